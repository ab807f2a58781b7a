"""Damaged files of every format are read or refused as documented: `python -m fuzz.files`, a short part of it each
time."""

import gzip
import os
import random
import subprocess
import sys
import zlib

import pytest

import tapeflow as tf
from fuzz.files.formats import FORMATS, Format
from fuzz.files.mutations import damaged
from fuzz.files.search import judge

unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="reads damaged files in processes that it forks")


def search(*arguments):
    """The program, by itself: it forks, and limits its memory."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.files", *map(str, arguments)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    return done.stdout


@unix
def test_damage_has_a_name_in_every_format():
    said = search("--seed", 13, "--cases", 15)
    assert all(name in said for name in FORMATS)


@unix
@pytest.mark.long
def test_damage_has_a_name_in_every_format_and_many_cases():
    search("--seed", 14, "--seconds", 60)


@unix
@pytest.mark.parametrize(
    ("read", "what"),
    [
        (lambda data: {}[0], "KeyError"),
        (lambda data: data.decode("utf-8"), "UnicodeDecodeError"),
        (lambda data: (_ for _ in ()).throw(ValueError("")), "says nothing"),
        (lambda data: bytes(data), "another value"),
        (lambda data: all(True for _ in iter(int, 1)), "takes too long"),
    ],
)
def test_the_search_notices(read, what, monkeypatch):
    """A reader that is wrong in each of the ways that are searched for."""
    monkeypatch.setattr("fuzz.files.search.SECONDS", 0.2)
    chosen = Format(lambda: [b"good"], read, (ValueError,), lambda found, expected: found in expected)
    assert what in judge("wrong", chosen, b"\xff bad", "", [b"good"]).what


def test_the_same_seed_makes_the_same_damage():
    make = lambda: [damaged(b"a file of bytes", random.Random(seed)) for seed in range(300)]
    assert make() == make() and b"a file of bytes" not in make()
    assert len(set(make())) > 250


def test_what_decompresses_has_a_limit(monkeypatch):
    bomb = zlib.compress(bytes(1_000_000))
    monkeypatch.setenv("TAPEFLOW_MAX_DECOMPRESSED_BYTES", "999999")
    with pytest.raises(
        tf.errors.ResourceExhaustedError, match=r"more than 999999 bytes.*TAPEFLOW_MAX_DECOMPRESSED_BYTES"
    ):
        tf.io.decode_compressed(bomb, "ZLIB")
    monkeypatch.setenv("TAPEFLOW_MAX_DECOMPRESSED_BYTES", "1000000")
    assert tf.io.decode_compressed(bomb, "ZLIB").numpy() == bytes(1_000_000)
    with pytest.raises(tf.errors.DataLossError, match="end too early"):
        tf.io.decode_compressed(bomb[:-3], "ZLIB")
    assert tf.io.decode_compressed(b"", "GZIP").numpy() == b""


@pytest.mark.parametrize("program", ["1" + "+1" * 20_000, "x" + ".a" * 5_000, "(" * 1_000, "f(" * 5_000 + ")" * 5_000])
def test_programs_too_deep_to_be_read_say_so(tmp_path, program, capsys):
    from tapeflow.programs.checking import UNREADABLE, check

    path = tmp_path / "deep.py"
    path.write_text(program)
    found = check([str(path)])
    said = capsys.readouterr()
    assert (
        found != UNREADABLE
        or "deep.py: " in said.err
        and ("nested" in said.err or "never closed" in said.err or "many" in said.err)
    )


def test_nested_headers_and_indices(tmp_path):
    deep = b"[" * 100_000
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(str(tmp_path / "ck"))
    (tmp_path / "ck.safetensors").write_bytes(len(deep).to_bytes(8, "little") + deep)
    with pytest.raises(tf.errors.DataLossError, match="its header cannot be read"):
        tf.train.load_checkpoint(path)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_json_example(deep)


def test_damage_that_was_read_silently_or_without_a_name():
    """What the search found once: a PNG whose rows changed, the second of two GZIP streams, numbers that do not fit,
    frames of two sizes."""
    png = bytearray(tf.io.encode_png(tf.zeros([9, 9, 3], tf.uint8)).numpy())
    png[png.index(b"IEND") - 5] ^= 1  # the last byte of the checksum of the rows
    for dtype in (tf.uint8, tf.uint16):
        with pytest.raises(tf.errors.InvalidArgumentError, match="chunk b'IDAT' is damaged"):
            tf.io.decode_png(bytes(png), dtype=dtype)
    assert tf.io.decode_compressed(gzip.compress(b"one") + gzip.compress(b"two"), "GZIP").numpy() == b"onetwo"
    from tapeflow.io.messages import TensorProto

    proto = TensorProto(dtype=6, int_val=[300])  # int8, as TensorFlow cuts it
    assert tf.io.parse_tensor(proto.SerializeToString(), tf.int8).numpy() == 44
    for _ in range(65):
        proto.tensor_shape.dim.add(size=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="its shape is"):
        tf.io.parse_tensor(proto.SerializeToString(), tf.int8)


def test_rows_of_csv_name_their_file_and_need_no_utf8(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"1,caf\xe9\nx,y\n")
    rows = iter(tf.data.experimental.CsvDataset(str(path), [tf.int32, tf.string]))
    assert next(rows)[1].numpy() == b"caf\xe9"
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"valid int32: x.*record 1 of .*rows\.csv"):
        next(rows)
