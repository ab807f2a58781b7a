"""Files that are compressed, damaged, or not what they say."""

import gzip
import os
import struct
import subprocess
import sys
import threading
import zlib

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.image.bitmaps import read_deep_png, write_deep_png
from tapeflow.io.records import read_records
from tapeflow.io.streams import open_stream, read_up_to


@pytest.mark.parametrize("kind, packed", [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_streams_one_after_the_other(tmp_path, kind, packed):
    first, second = os.urandom(1 << 20), b"x" * 3_000_000
    (tmp_path / "a").write_bytes(packed(first) + packed(second) + packed(b""))
    with open_stream(str(tmp_path / "a"), kind) as file:
        assert read_up_to(file, 10) == first[:10] and read_up_to(file, 2**63) == first[10:] + second


def test_a_small_file_that_unpacks_to_much_is_unpacked_as_it_is_read(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(bytes(1 << 26)))
    with open_stream(str(tmp_path / "a"), "GZIP") as file:
        assert file.read(5) == bytes(5)
        assert len(file.peek()) <= 1 << 18


@pytest.mark.parametrize("damaged", [b"hello\nworld", gzip.compress(os.urandom(1000))[:600]])
@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_what_cannot_be_unpacked(tmp_path, damaged, kind):
    path = tmp_path / "a"
    path.write_bytes(damaged)
    for read in (
        tf.data.TextLineDataset,
        lambda *given: tf.data.FixedLengthRecordDataset(given[0], 1, compression_type=given[1]),
    ):
        with pytest.raises(tf.errors.DataLossError, match=f"{kind} says: .* Is that the file's compression"):
            list(read(str(path), kind))


@pytest.mark.parametrize("length", [2**64 - 1, 2**63 - 1, 2**62, 2**40])
def test_lengths_of_records_are_not_believed(tmp_path, length):
    crc = pytest.importorskip("google_crc32c").value(head := struct.pack("<Q", length))
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    (tmp_path / "r").write_bytes(head + struct.pack("<I", masked) + b"abc")
    with pytest.raises(tf.errors.DataLossError, match="the file ends in its data"):
        list(tf.data.TFRecordDataset(str(tmp_path / "r")))


def test_sizes_of_pictures_are_not_believed():
    def with_header(**changed):
        header = {"width": 1, "height": 1, "bits": 16, "kind": 0} | changed
        body = struct.pack(">IIBBBBB", *header.values(), 0, 0, 0)
        packed = zlib.compress(bytes(1 << 22))
        chunks = [(b"IHDR", body), (b"IDAT", packed), (b"IEND", b"")]
        return write_deep_png(np.zeros((1, 1, 1), np.uint16))[:8] + b"".join(
            struct.pack(">I", len(b)) + n + b + struct.pack(">I", zlib.crc32(n + b)) for n, b in chunks
        )

    for changed in ({}, {"kind": 5}, {"width": 2**31, "height": 2**20}):
        with pytest.raises(ValueError):
            read_deep_png(with_header(**changed))
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_png(with_header(**changed), dtype=tf.uint16)


def test_shapes_of_messages_are_not_believed():
    messages = pytest.importorskip("tapeflow.io.messages")
    for size in (-1, 2**62):
        proto = messages.TensorProto(dtype=1)
        proto.tensor_shape.dim.add(size=size)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse tensor from proto"):
            tf.io.parse_tensor(proto.SerializeToString(), tf.float32)


def test_pictures_decoded_by_many_threads_leave_warnings_alone():
    pytest.importorskip("PIL")
    import warnings

    before, data = list(warnings.filters), tf.io.encode_png(np.zeros((4, 4, 3), np.uint8))
    threads = [threading.Thread(target=lambda: [tf.io.decode_png(data) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before


FORGETFUL = """
import time
import tapeflow as tf
numbers = iter(tf.data.Dataset.range(10**6).map(lambda x: (time.sleep(.001), x)[1], num_parallel_calls=2).prefetch(2))
for _ in range(5):
    next(numbers)
note = tf.io.gfile.GFile({folder!r} + "/note", "w")
note.write("tape")
records = tf.io.TFRecordWriter({folder!r} + "/records", "GZIP")
records.write(b"first")
"""


def test_files_are_finished_at_the_end_of_a_program_whose_threads_go_on(tmp_path):
    pytest.importorskip("google_crc32c")
    subprocess.run([sys.executable, "-c", FORGETFUL.format(folder=str(tmp_path))], check=True, timeout=600)
    assert (tmp_path / "note").read_text() == "tape"
    assert list(read_records(str(tmp_path / "records"), "GZIP")) == [b"first"]
