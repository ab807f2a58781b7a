"""Tensors as bytes. The bytes are those that TensorFlow wrote for the same tensors."""

import numpy as np
import pytest

import tapeflow as tf


@pytest.mark.parametrize(
    "value, dtype, serialized",
    [
        (
            [[1, 0, 3]],
            "float32",
            b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x03"\x0c\x00\x00\x80?\x00\x00\x00\x00\x00\x00@@',
        ),
        ([[1, 0, 3]], "bfloat16", b'\x08\x0e\x12\x08\x12\x02\x08\x01\x12\x02\x08\x03"\x06\x80?\x00\x00@@'),
        ([[1, 0, 3]], "bool", b'\x08\n\x12\x08\x12\x02\x08\x01\x12\x02\x08\x03"\x03\x01\x00\x01'),
        ([[1, 0, 3]], "uint16", b'\x08\x11\x12\x08\x12\x02\x08\x01\x12\x02\x08\x03"\x06\x01\x00\x00\x00\x03\x00'),
        (2.5, "float32", b'\x08\x01\x12\x00"\x04\x00\x00 @'),
        (np.zeros([0, 2]), "float32", b"\x08\x01\x12\x06\x12\x00\x12\x02\x08\x02"),
    ],
)
def test_there_and_back(value, dtype, serialized):
    tensor = tf.cast(tf.constant(value), dtype)
    assert tf.io.serialize_tensor(tensor).numpy() == serialized
    back = tf.io.parse_tensor(serialized, dtype)
    assert back.dtype == tensor.dtype and back.shape == tensor.shape
    np.testing.assert_array_equal(back.numpy(), tensor.numpy())


def test_strings():
    serialized = tf.io.serialize_tensor([["a", "bb"]])
    assert serialized.numpy() == b"\x08\x07\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02B\x01aB\x02bb"
    assert tf.io.parse_tensor(serialized, tf.string).numpy().tolist() == [[b"a", b"bb"]]


def test_values_listed_one_by_one():
    """TensorFlow writes a constant tensor as its shape and one value."""
    shortened = bytes.fromhex("08011204120208032a040000803f")
    assert tf.io.parse_tensor(shortened, tf.float32).numpy().tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "data, message",
    [
        (b"\x08\xff", "Could not parse"),
        (b"", "dtype number 0"),
        (b'\x08\x01\x12\x00"\x04\x00\x00 @', r"Type mismatch between parsed tensor \(float32\) and dtype \(int32\)"),
        (b'\x08\x03\x12\x00"\x03\x00\x00 ', "3 bytes for 1 values"),
    ],
)
def test_bad_bytes(data, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.parse_tensor(data, tf.int32)


def test_raw():
    assert tf.io.decode_raw([b"abc", b"def"], tf.uint8).numpy().tolist() == [[97, 98, 99], [100, 101, 102]]
    assert tf.io.decode_raw(b"\x00\x00\x80\x3f\x00\x00\x00\x40", tf.float32).numpy().tolist() == [1.0, 2.0]
    assert tf.io.decode_raw(b"\x00\x01", tf.int16, little_endian=False).numpy().tolist() == [1]
    assert tf.io.decode_raw([b"abc", b"d"], tf.uint8, fixed_length=2).numpy().tolist() == [[97, 98], [100, 0]]
    assert tf.io.decode_raw([b"", b""], tf.uint8).shape == (2, 0)


@pytest.mark.parametrize(
    "given, dtype, length, message",
    [
        (b"abc", tf.int16, None, "length 3 that is not a multiple of 2"),
        ([b"abc", b"d"], tf.uint8, None, "element 1 has size 1 != 3"),
        ([b"abc"], tf.int16, 3, "fixed_length"),
        ([b"abc"], tf.string, None, "out_type=string"),
        ([1, 2], tf.uint8, None, "input_bytes must be strings"),
    ],
)
def test_raw_that_does_not_fit(given, dtype, length, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.decode_raw(given, dtype, fixed_length=length)


# ---- sparse tensors


def test_sparse_there_and_back():
    matrix = tf.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])
    rows = tf.io.serialize_many_sparse(matrix)
    assert rows.shape == (3, 3)
    back = tf.io.deserialize_many_sparse(rows, tf.float32, rank=1)
    np.testing.assert_array_equal(tf.sparse.to_dense(back).numpy(), tf.sparse.to_dense(matrix).numpy())


def test_sparse_bytes_are_those_of_tensorflow():
    one = tf.io.serialize_sparse(tf.SparseTensor([[0, 1]], [5.0], [3, 2])).numpy().tolist()
    assert one == [
        b'\x08\t\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x10' + bytes(8) + b"\x01" + bytes(7),
        b'\x08\x01\x12\x04\x12\x02\x08\x01"\x04\x00\x00\xa0@',
        b'\x08\t\x12\x04\x12\x02\x08\x02"\x10\x03' + bytes(7) + b"\x02" + bytes(7),
    ]


def test_sparse_that_does_not_fit():
    row = tf.io.serialize_sparse(tf.SparseTensor([[0]], [5.0], [3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inconsistent rank"):
        tf.io.deserialize_many_sparse([row], tf.float32, rank=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        tf.io.deserialize_many_sparse([row], tf.int32)
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.io.serialize_sparse([1.0])
