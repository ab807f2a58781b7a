"""Datasets of files: lines, records, names, CSV."""

import gzip
import os
import sys
import zlib

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset


def values(ds):
    return [v.tolist() if hasattr(v, "tolist") else v for v in ds.as_numpy_iterator()]


def test_lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\r\nb\n\nc\rd\ne")
    lines = [b"a", b"b", b"", b"cd", b"e"]  # as TensorFlow reads them
    assert values(tf.data.TextLineDataset(str(path))) == lines == values(tf.data.TextLineDataset(path))
    assert values(tf.data.TextLineDataset([str(path), str(path)])) == lines * 2
    assert values(tf.data.TextLineDataset(tf.constant([str(path)]))) == lines
    assert values(tf.data.TextLineDataset(DS.from_tensor_slices([str(path)]).repeat(2))) == lines * 2
    assert values(DS.from_tensor_slices([str(path)]).flat_map(lambda p: tf.data.TextLineDataset(p).skip(3))) == [
        b"cd",
        b"e",
    ]
    assert sorted(values(tf.data.TextLineDataset([str(path)] * 3, num_parallel_reads=2))) == sorted(lines * 3)
    for kind, packed in (("GZIP", gzip.compress), ("ZLIB", zlib.compress)):
        (tmp_path / kind).write_bytes(packed(path.read_bytes()))
        assert values(tf.data.TextLineDataset(str(tmp_path / kind), compression_type=kind)) == lines
    with pytest.raises(tf.errors.NotFoundError, match="nope; No such file"):
        list(tf.data.TextLineDataset(str(tmp_path / "nope")))
    with pytest.raises(TypeError, match=r"`tf\.string` elements"):
        tf.data.TextLineDataset(3)
    with pytest.raises(TypeError, match=r"`tf\.string` elements"):
        tf.data.TextLineDataset(DS.range(2))


def test_fixed_lengths(tmp_path):
    path = str(tmp_path / "a.bin")
    (tmp_path / "a.bin").write_bytes(b"#abcdef$$")
    assert values(tf.data.FixedLengthRecordDataset(path, 3, header_bytes=1, footer_bytes=2)) == [b"abc", b"def"]
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="body length 9 bytes, which is not an exact multiple of the record length",
    ):
        list(tf.data.FixedLengthRecordDataset(path, 4))


def test_records(tmp_path):
    names = [str(tmp_path / f"{k}.tfrecord") for k in range(2)]
    for k, name in enumerate(names):
        with tf.io.TFRecordWriter(name) as writer:
            for i in range(3):
                writer.write(f"{k}{i}".encode())
    wanted = [b"00", b"01", b"02", b"10", b"11", b"12"]
    assert values(tf.data.TFRecordDataset(names)) == wanted
    assert values(tf.data.TFRecordDataset(names, num_parallel_reads=2)) == [b"00", b"10", b"01", b"11", b"02", b"12"]
    files = DS.list_files(str(tmp_path / "*.tfrecord"), shuffle=False)
    assert values(files.interleave(tf.data.TFRecordDataset, cycle_length=1)) == wanted
    assert values(tf.data.TFRecordDataset(files).map(lambda r: tf.strings.length(r)).batch(6)) == [[2] * 6]


def test_names_of_files(tmp_path):
    for name in ("b.txt", "a.txt", "c.bin"):
        (tmp_path / name).write_text("")
    text = str(tmp_path / "*.txt")
    wanted = [str(tmp_path / name).encode() for name in ("a.txt", "b.txt", "c.bin")]
    assert values(DS.list_files(text, shuffle=False)) == wanted[:2]
    assert values(DS.list_files([text, str(tmp_path / "c*")], shuffle=False)) == wanted
    shuffled = DS.list_files([text, str(tmp_path / "c*")], seed=1)
    assert (
        len({tuple(values(shuffled)) for _ in range(20)}) > 1 and sorted(values(shuffled)) == wanted
    )  # by default, anew every time
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        DS.list_files(str(tmp_path / "*.png"))


@pytest.fixture
def table(tmp_path):
    (tmp_path / "t.csv").write_text('a,b,c\n1,2.5,"x,y"\n,3,z\n')
    return str(tmp_path / "t.csv")


def test_csv_records(table):
    csv = tf.data.experimental.CsvDataset
    assert values(csv(table, [7, tf.float32, ""], header=True)) == [(1, 2.5, b"x,y"), (7, 3.0, b"z")]
    assert values(csv(table, [0.0, tf.string], header=True, select_cols=[0, 2])) == [(1.0, b"x,y"), (0.0, b"z")]
    assert values(csv(table, [tf.string], header=True, exclude_cols=[0, 1])) == [(b"x,y",), (b"z",)]
    assert csv(table, [7, tf.float64, ""]).element_spec[1] == tf.TensorSpec([], tf.float64)
    for defaults, header, message in (
        ([tf.int32, tf.float32, ""], True, "Field 0 is required but missing"),
        ([tf.int32, tf.float32], True, "Expect 2 fields but have 3"),
        ([tf.int32, tf.float32, ""], False, "Field 0 in record is not a valid int32: a"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            list(csv(table, defaults, header=header))


def test_csv_tables(table):
    make = tf.data.experimental.make_csv_dataset
    ((features, label),) = make(table, 2, label_name="c", num_epochs=1, shuffle=False)
    assert (
        features["a"].numpy().tolist() == [1, 0]
        and features["b"].dtype is tf.float32
        and label.numpy().tolist() == [b"x,y", b"z"]
    )
    assert list(features) == ["a", "b"]
    endless = make(table, 2, select_columns=["a", "c"])
    assert int(endless.cardinality()) == -1 and endless.element_spec["a"] == tf.TensorSpec([2], tf.int32)
    assert len(list(endless.take(5))) == 5
    with pytest.raises(ValueError, match="'d' is not in"):
        make(table, 2, label_name="d")
    with pytest.raises(ValueError, match=r"has \['d'\]"):
        make(table, 2, select_columns=["d"])


def test_csv_dtypes(tmp_path):
    (tmp_path / "t.csv").write_text("i,l,f,d,s\n1,3000000000,1.5,1e300,x\n")
    (row,) = tf.data.experimental.make_csv_dataset(str(tmp_path / "t.csv"), 1, num_epochs=1)
    assert [row[k].dtype for k in "ilfds"] == [tf.int32, tf.int64, tf.float32, tf.float64, tf.string]
    assert np.isfinite(row["d"].numpy()).all()


def test_names_of_files_that_begin_with_a_dot_count(tmp_path):
    names = [".hidden", "a", *(["日本 é"] if sys.getfilesystemencoding() == "utf-8" else [])]
    for name in names:
        (tmp_path / name).write_text("x\n")
    found = DS.list_files(str(tmp_path / "*"), shuffle=False)
    assert [os.path.basename(os.fsdecode(name.numpy())) for name in found] == names
    assert list(tf.data.TextLineDataset([])) == []
