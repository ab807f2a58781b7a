"""Convolutions of integers, which GPUs have no routine for: compiled, they are NumPy's."""

import numpy as np
import pytest

import tapeflow as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")


def integers(*shape):
    return tf.constant(np.random.default_rng(0).integers(-9, 9, shape))


def same(f, *args):
    got = tf.function(f, jit_compile=True)(*args)
    assert got.dtype is tf.int64 and np.array_equal(got, f(*args))


@pytest.mark.parametrize(("strides", "dilations"), [(1, 1), (2, 1), (3, 1), (1, 2)])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_integers(strides, dilations, groups, padding):
    conv = lambda x, w: tf.nn.conv2d(x, w, strides, padding, dilations=dilations)
    same(conv, integers(2, 9, 10, 4), integers(3, 2, 4 // groups, 6))


@pytest.mark.parametrize("strides", [1, 2, 3])
def test_transposed(strides):
    size = (2, 9 * strides, 10 * strides, 6)
    same(lambda x, w: tf.nn.conv2d_transpose(x, w, size, strides, "SAME"), integers(2, 9, 10, 4), integers(3, 2, 6, 4))


def test_empty():
    conv = lambda x, w: tf.nn.conv2d(x, w, 1, "SAME")
    same(conv, integers(0, 3, 3, 2), integers(2, 2, 2, 3))
