"""Axes, counts and shapes as they are given; public functions made of primitives."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.arguments import expose, normal_axis, one_axis, static_shape, whole
from tapeflow.ops.math.elementwise import sin


def test_axes():
    assert normal_axis(None, 3) == (0, 1, 2)
    assert normal_axis(-1, 3) == (2,)
    assert normal_axis([2, 0, -1], 3) == normal_axis(tf.constant([2, 0]), 3) == (0, 2)
    assert one_axis(np.int64(-2), 3) == 1
    for axis in (3, -4):
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"axis={axis} is out of range .* from -3 to 2"):
            one_axis(axis, 3)


def test_counts():
    assert whole(tf.constant(4), "count") == whole(np.int8(4), "count") == 4
    for value in (2.0, "2", None):
        with pytest.raises(TypeError, match="count must be an integer"):
            whole(value, "count")


def test_shapes():
    given = [2, 3]
    assert {
        static_shape(s) for s in (given, tuple(given), tf.TensorShape(given), tf.constant(given), np.array(given))
    } == {(2, 3)}
    assert static_shape(4) == (4,) and static_shape([tf.constant(2), np.int64(3)]) == (2, 3)
    with pytest.raises(ValueError, match="partially known shape"):
        static_shape([2, None])
    with pytest.raises(TypeError, match="made of integers"):
        static_shape([2.5])


def test_a_primitive_under_a_public_name():
    @expose(sin)
    def sine(angle, name=None):
        """The sine.

        >>> 1
        1
        """

    try:
        assert sine(angle=0.5).numpy() == np.sin(np.float32(0.5)) and sine.__doc__.startswith("The sine.")
        with pytest.raises(TypeError, match=r"sine\(\)"):
            sine(x=0.5)
    finally:
        del globals()["__test__"]["sine"]
    with pytest.raises(TypeError, match="after the inputs goes `name"):
        expose(sin)(lambda x: x)


def test_shapes_that_numpy_made_floats_of():
    """What NumPy joins with its own [], an array of floats, was no shape."""
    assert tf.zeros(np.concatenate([np.array([2], np.int32), []])).shape == [2]
    assert tf.reshape(tf.range(6), np.array([3.0, -1.0])).shape == [3, 2]
    for wrong in (np.array([1.5]), np.array([np.nan]), np.array([np.inf])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="made of integers"):
            tf.zeros(wrong)
