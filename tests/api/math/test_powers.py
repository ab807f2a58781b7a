"""Powers: shortcuts against NumPy's power, the corner at 0, errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.derivatives import same, second
from tests.api.gradients import gradient

inf, nan = np.inf, np.nan


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int32", "int8"])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5, 0.5, 1.5, -0.5, -1, -2, -3])
def test_shortcuts_of_pow_give_what_power_gives(dtype, exponent):
    x = tf.constant([1, 2, 3], dtype)
    if x.dtype.is_integer and (exponent < 0 or exponent != int(exponent)):
        with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
            x**exponent
        return
    out = x**exponent
    assert out.dtype is x.dtype
    np.testing.assert_allclose(
        out.numpy(), np.power(x.numpy(), np.asarray(exponent, x.dtype.np)), rtol=2e-3 if dtype == "float16" else 1e-6
    )


def test_pow_of_zero():
    a, b = gradient(tf.pow, [0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 2.0, 0.5])
    same(a, [0, 1, 0, inf])
    same(b, [0, 0, 0, 0])
    for exponent, want in ((0, 0), (1, 0), (2, 2), (3, 0), (1.5, inf)):
        assert second(lambda x, exponent=exponent: x**exponent, 0.0) == want


def test_exponent_of_a_base_that_is_not_positive_has_slope_zero():
    same(gradient(tf.pow, [-2.0, -2.0], [2.0, 3.0])[1], [0, 0])
    same(gradient(tf.pow, [2.0], [3.0])[1], [8 * np.log(2)])


def test_negative_powers_of_integers_raise():
    for exponent in ([-1, 2], -1, -2, -3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
            tf.pow([2, 3], exponent)


def test_polyval():
    x = tf.constant([0.0, 2.0])
    same(tf.math.polyval([1.0, tf.constant(-2.0), 3.0], x), [3, 3])
    same(tf.math.polyval([], x), [0, 0])
    with pytest.raises(ValueError, match="list"):
        tf.math.polyval(tf.constant([1.0]), x)
