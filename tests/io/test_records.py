"""TFRecord files: what is written is read again; what is damaged is noticed."""

import gzip
import pathlib
import sys

import pytest

import tapeflow as tf
from tapeflow.io.records import read_records

# Written by TensorFlow: the record b"hello".
HELLO = bytes.fromhex("0500000000000000eab2043e68656c6c6fbb1f1c19")


def write(path, records, options=None):
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for record in records:
            writer.write(record)
    return str(path)


@pytest.mark.parametrize("kind", [None, "", "GZIP", "ZLIB"])
def test_what_is_written_is_read(tmp_path, kind):
    records = [b"", b"a", bytes(range(256)) * 4000, b"end"]
    path = write(tmp_path / "r", records, kind)
    assert list(read_records(path, kind)) == records


def test_the_bytes_are_those_of_tensorflow(tmp_path):
    path = write(tmp_path / "r", [b"hello"])
    assert pathlib.Path(path).read_bytes() == HELLO


def test_old_names(tmp_path):
    v1 = tf.compat.v1
    options = v1.python_io.TFRecordOptions(v1.python_io.TFRecordCompressionType.GZIP)
    path = write(tmp_path / "r", ["text", b"bytes", tf.constant("tensor")], options)
    assert list(v1.io.tf_record_iterator(path, options)) == [b"text", b"bytes", b"tensor"]
    assert list(v1.python_io.tf_record_iterator(path=path, options="GZIP")) == [b"text", b"bytes", b"tensor"]


def test_streams_one_after_the_other(tmp_path):
    path = tmp_path / "r.gz"
    path.write_bytes(gzip.compress(HELLO) + gzip.compress(HELLO * 2))
    assert list(read_records(path, "GZIP")) == [b"hello"] * 3


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda d: d[:-2], r"truncated record at 21: record number 1 of .*the file ends in its data"),
        (lambda d: d[:25], r"truncated record at 21: record number 1 of .*the file ends in its length"),
        (lambda d: d[:21] + b"X" + d[22:], r"corrupted record at 21: record number 1 of .*checksum of its length"),
        (lambda d: d[:-6] + b"X" + d[-5:], r"corrupted record at 21: record number 1 of .*checksum of its 5 bytes"),
        (lambda d: d[:-1] + b"X", r"corrupted record at 21"),
    ],
)
@pytest.mark.parametrize("kind", ["", "GZIP"])
def test_damage_is_found_after_the_good_records(tmp_path, damage, message, kind):
    path = tmp_path / "r"
    data = damage(HELLO * 2)
    path.write_bytes(gzip.compress(data) if kind else data)
    found = read_records(path, kind)
    assert next(found) == b"hello"
    with pytest.raises(tf.errors.DataLossError, match=message):
        next(found)


def test_a_compressed_file_that_is_cut(tmp_path):
    path = tmp_path / "r"
    path.write_bytes(gzip.compress(HELLO)[:-8])
    found = read_records(path, "GZIP")
    assert next(found) == b"hello"
    with pytest.raises(tf.errors.DataLossError, match="ends too early"):
        next(found)


def test_the_wrong_compression(tmp_path):
    plain, packed = write(tmp_path / "p", [b"x"]), write(tmp_path / "z", [b"x"], "GZIP")
    with pytest.raises(tf.errors.DataLossError, match="Is this a TFRecord file"):
        list(read_records(packed))
    with pytest.raises(tf.errors.DataLossError, match="Is that the file's compression"):
        list(read_records(plain, "GZIP"))
    with pytest.raises(ValueError, match="LZ4"):
        tf.io.TFRecordOptions("LZ4")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="nope; No such file"):
        list(read_records(tmp_path / "nope"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.TFRecordWriter(str(tmp_path / "folder" / "r"))
    with pytest.raises(tf.errors.UnimplementedError, match="gs"):
        list(read_records("gs://bucket/r"))


def test_a_writer_that_is_closed(tmp_path):
    writer = tf.io.TFRecordWriter(str(tmp_path / "r"))
    writer.close()
    writer.close()
    for use in (writer.flush, lambda: writer.write(b"x")):
        with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
            use()


@pytest.mark.parametrize("kind", [None, "GZIP"])
def test_flush_brings_records_to_the_file(tmp_path, kind):
    with tf.io.TFRecordWriter(str(tmp_path / "r"), kind) as writer:
        writer.write(b"early")
        writer.flush()
        assert next(read_records(tmp_path / "r", kind)) == b"early"


def test_what_is_no_record(tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "r")) as writer, pytest.raises(TypeError, match="not int"):
        writer.write(5)


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "google_crc32c", None)
    with pytest.raises(ImportError, match="pip install google-crc32c"):
        tf.io.TFRecordWriter(str(tmp_path / "r"))
