"""cache, save, load and snapshot: elements made once, and files that are whole or not there."""

import json
import os
import struct
import zlib

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset


def values(ds):
    return [v.tolist() if hasattr(v, "tolist") else v for v in ds.as_numpy_iterator()]


def counted(n=4):
    calls = []
    return calls, DS.range(n).map(lambda x: calls.append(int(x)) or x * 10)


ELEMENTS = {
    "strings": lambda: DS.from_tensor_slices(["a", "", "\xff"]).map(lambda s: (s, tf.stack([s, s]))),
    "dtypes": lambda: DS.from_tensors(
        {
            "z": tf.constant(True),
            "b": tf.ones([2, 0], tf.bfloat16),
            "c": (tf.constant(1j), tf.range(3, dtype=tf.uint8)),
            "a": None,
        }
    ),
    "shapes": lambda: DS.range(3).map(lambda n: tf.ones([n, 2])),
    "ragged": lambda: DS.from_tensors(tf.ragged.constant([[[1], []], [[2, 3]]])),
    "nothing": lambda: DS.range(0),
}


def same(a, b):
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, tf.RaggedTensor):
        return a.to_list() == b.to_list()
    return (
        a is b
        if a is None
        else a.dtype is b.dtype and a.shape == b.shape and np.array_equal(np.asarray(a), np.asarray(b))
    )


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements_survive_the_disk(name, tmp_path):
    ds = ELEMENTS[name]()
    cached = ds.cache(str(tmp_path / "kept"))
    for first, second in zip(list(cached), list(cached), strict=True):
        assert same(first, second)
    for compression in (None, "GZIP"):
        ds.save(str(tmp_path / "saved"), compression=compression)
        assert all(map(same, list(ds), list(DS.load(str(tmp_path / "saved"), compression=compression))))
    assert len(list(DS.load(str(tmp_path / "saved")))) == len(list(ds))


def test_a_cache_is_made_by_the_first_whole_iteration(tmp_path):
    for name in ("", str(tmp_path / "some" / "folder" / "cache")):
        calls, ds = counted()
        cached = ds.cache(name)
        assert [int(x) for x in cached.take(2)] == [0, 10]
        assert values(cached) == values(cached) == [0, 10, 20, 30] and calls == [0, 1, 0, 1, 2, 3]
    assert values(DS.range(9).cache(name)) == [0, 10, 20, 30]  # as in TensorFlow: what is there is believed
    assert os.listdir(tmp_path / "some" / "folder") == ["cache.elements.tapeflow"]


def test_an_iteration_that_is_left_leaves_no_file(tmp_path):
    it = iter(DS.range(3).cache(str(tmp_path / "c")))
    next(it)
    assert [".tmp-" in f for f in os.listdir(tmp_path)] == [True]
    del it
    assert os.listdir(tmp_path) == []


def test_a_failure_while_saving_keeps_what_was_there(tmp_path):
    DS.range(3).save(tmp_path)

    def fails(x):
        if int(x) == 2:
            raise OSError("the disk is full")
        return x

    with pytest.raises(OSError, match="disk is full"):
        DS.range(9).map(fails).save(tmp_path)
    assert values(DS.load(tmp_path)) == [0, 1, 2] and len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-5], lambda b: b[:40] + b"x" + b[41:], lambda b: b"", lambda b: b"something else" * 9]
)
def test_damaged_files_are_noticed(damage, tmp_path):
    DS.from_tensor_slices([[1.0, 2.0], [3.0, 4.0]]).save(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(tf.errors.DataLossError, match=r"elements\.tapeflow is corrupt.*Delete it"):
        list(DS.load(tmp_path))


def test_snapshots(tmp_path):
    calls, ds = counted()
    assert (
        values(ds.snapshot(str(tmp_path))) == values(ds.snapshot(str(tmp_path))) == [0, 10, 20, 30] and len(calls) == 4
    )


def test_load(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="writes it"):
        DS.load(tmp_path)
    DS.from_tensor_slices(([1, 2], ["a", "b"])).save(tmp_path)
    loaded = DS.load(tmp_path)
    assert loaded.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string))
    assert next(iter(loaded.batch(2)))[0].numpy().tolist() == [1, 2]
    assert len(values(DS.load(tmp_path, reader_func=lambda parts: parts.flat_map(lambda d: d.repeat(2))))) == 4


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(TypeError, match="SparseTensor cannot be written"):
        DS.from_tensors(tf.sparse.eye(2)).save(tmp_path)
    with pytest.raises(ValueError, match="compression='LZ4'"):
        DS.range(2).save(tmp_path, compression="LZ4")
    assert os.listdir(tmp_path) == []


def _file_with(length, content):
    return b"tapeflow elements 1\n" + struct.pack("<QI", length, zlib.crc32(content)) + content


def _element(structure, content=b""):
    text = json.dumps(structure).encode() + b"\n" + content
    return _file_with(len(text), text)


@pytest.mark.parametrize(
    "content",
    [
        _file_with(2**64 - 2, b"abc"),
        _file_with(2**40, b"abc"),
        _file_with(100_001, b"[" * 100_000 + b"\n"),
        _element({"tensor": "string", "shape": [10**12]}),
        _element({"tensor": "float32", "shape": [10**12]}),
        _element({"tensor": "resource", "shape": []}),
        _element({"tensor": "string", "shape": [1]}, struct.pack("<q", 50) + b"a"),
        _element(3),
    ],
)
def test_sizes_in_files_are_not_believed(tmp_path, content):
    (tmp_path / "c.elements.tapeflow").write_bytes(content)
    with pytest.raises(tf.errors.DataLossError, match="corrupt"):
        list(DS.range(3).cache(str(tmp_path / "c")))


def test_what_is_written_can_be_read_by_whom_the_system_says(tmp_path):
    (tmp_path / "other").write_text("")
    list(DS.range(3).cache(str(tmp_path / "c")))
    assert (tmp_path / "c.elements.tapeflow").stat().st_mode == (tmp_path / "other").stat().st_mode
