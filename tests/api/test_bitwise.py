"""Bits."""

import numpy as np
import pytest

import tapeflow as tf


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_like_numpy(dtype):
    x, y = np.array([0, 1, 5, 100], dtype), np.array([1, 2, 3, 7], dtype)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        got = getattr(tf.bitwise, name)(x, y)
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.numpy(), getattr(np, name)(x, y))
    np.testing.assert_array_equal(tf.bitwise.invert(x).numpy(), ~x)


def test_shifts_stay_within_the_width():
    """What lies beyond the width is undefined in C; counts are clipped, as in TensorFlow."""
    assert tf.bitwise.left_shift([1, -1, 1, 5], [31, 32, -1, 40]).numpy().tolist() == [-(2**31), -(2**31), 1, -(2**31)]
    assert tf.bitwise.right_shift([1, -8, 1, -5], [31, 1, -1, 40]).numpy().tolist() == [0, -4, 1, -1]


@pytest.mark.parametrize(
    "f", [tf.bitwise.bitwise_and, tf.bitwise.bitwise_or, tf.bitwise.bitwise_xor, tf.bitwise.left_shift]
)
def test_floats_have_no_bits_here(f):
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not take"):
        f([1.0], [2.0])
