"""Quotients and remainders: rounding, zero divisors, integers."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.derivatives import same
from tests.api.gradients import gradient

inf, nan = np.inf, np.nan


def test_division():
    a, b = gradient(tf.divide, [1.0, 0.0, 1.0], [0.0, 0.0, 2.0])
    same(a, [inf, inf, 0.5])
    same(b, [-inf, nan, -0.25])


@pytest.mark.parametrize(
    ("dtype", "wide"), [("int8", "float32"), ("uint16", "float32"), ("int32", "float64"), ("int64", "float64")]
)
def test_integers_divide_into_floats(dtype, wide):
    x = tf.constant([7, 1], dtype)
    for divide in (tf.truediv, tf.divide, tf.math.divide_no_nan):
        out = divide(x, tf.constant([2, 4], dtype))
        assert out.dtype == wide
        same(out, [3.5, 0.25])


def test_what_does_not_divide():
    with pytest.raises(TypeError):
        tf.truediv([True], [True])
    with pytest.raises(TypeError):
        tf.divide(tf.constant(1.0), tf.constant(1.0, tf.float64))


@pytest.mark.parametrize("f", [tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod])
def test_integer_division_by_zero_raises(f):
    with pytest.raises(tf.errors.InvalidArgumentError, match="by zero"):
        f([7, 8], [1, 0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="by zero"):
        f(7, 0)


def test_quotients_and_remainders_round_as_named():
    a, b = [7, -7, 7, -7], [2, 2, -2, -2]
    assert tf.math.floordiv(a, b).numpy().tolist() == [3, -4, -4, 3]
    assert tf.math.floormod(a, b).numpy().tolist() == [1, 1, -1, -1]
    assert tf.truncatediv(a, b).numpy().tolist() == [3, -3, -3, 3]
    assert tf.truncatemod(a, b).numpy().tolist() == [1, -1, 1, -1]
    same(tf.math.floordiv([5.0, -5.0, 5.0], [inf, inf, 0.0]), [0, -0.0, inf])


def test_gradients_of_remainders():
    a, b = gradient(tf.math.floormod, [7.0, -7.0], [3.0, 3.0])
    same(a, [1, 1])
    same(b, [-2, 3])
    assert gradient(tf.truncatemod, [7.0, -7.0], [3.0, 3.0])[1].tolist() == [-2, 2]
    assert gradient(tf.math.floordiv, [7.0], [3.0]) == [None, None]


@pytest.mark.parametrize("divide", [tf.truncatediv, tf.truncatemod, tf.math.floordiv, tf.math.floormod])
def test_nothing_divided_by_zero_is_nothing(divide):
    assert divide(tf.zeros([0, 3], tf.int32), tf.zeros([3], tf.int32)).shape == (0, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        divide(tf.ones([2, 3], tf.int32), tf.zeros([3], tf.int32))
