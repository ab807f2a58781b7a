"""Functions of one number: hard points, rounding, complex branches."""

import numpy as np
import pytest

import tapeflow as tf

inf, nan = np.inf, np.nan


def value_and_gradient(f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    g = tape.gradient(y, x)
    return y.numpy(), None if g is None else g.numpy()


@pytest.mark.parametrize(
    ("f", "x", "value", "slope"),
    [
        (tf.abs, [-2.0, 0.0, inf, nan], [2, 0, inf, nan], [-1, 0, 1, nan]),
        (tf.sign, [-2.0, 0.0, 2.0], [-1, 0, 1], [0, 0, 0]),
        (tf.exp, [-200.0, 0.0, 89.0, -inf], [0, 1, inf, 0], [0, 1, inf, 0]),
        (tf.math.expm1, [0.0, 100.0, -100.0], [0, inf, -1], [1, inf, 0]),
        (tf.math.log, [0.0, -1.0, inf], [-inf, nan, inf], [inf, nan, 0]),
        (tf.math.log1p, [-1.0, -2.0, 0.0], [-inf, nan, 0], [inf, nan, 1]),
        (tf.sigmoid, [-200.0, 0.0, 100.0], [0, 0.5, 1], [0, 0.25, 0]),
        (tf.tanh, [-50.0, 0.0, 50.0], [-1, 0, 1], [0, 1, 0]),
        (tf.sinh, [0.0, 100.0], [0, inf], [1, inf]),
        (tf.asin, [-1.0, 0.0, 1.0, 2.0], [-np.pi / 2, 0, np.pi / 2, nan], [inf, 1, inf, nan]),
        (tf.acos, [-1.0, 0.0, 1.0], [np.pi, np.pi / 2, 0], [-inf, -1, -inf]),
        (tf.acosh, [1.0, 0.5, 2.0], [0, nan, 1.316958], [inf, nan, 3**-0.5]),
        (tf.atanh, [-1.0, 0.0, 1.0], [-inf, 0, inf], [inf, 1, inf]),
        (tf.asinh, [0.0, 1e30], [0, 69.77070], [1, 1e-30]),
        (tf.atan, [0.0, inf], [0, np.pi / 2], [1, 0]),
    ],
)
def test_hard_points(f, x, value, slope):
    got_value, got_slope = value_and_gradient(f, x)
    np.testing.assert_allclose(got_value, value, rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(got_slope, slope, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("f", [tf.floor, tf.math.ceil, tf.round, tf.math.rint])
def test_rounding_passes_no_gradient(f):
    assert value_and_gradient(f, [1.5, 2.5])[1] is None


def test_round():
    assert tf.round([0.5, 1.5, 2.5, -0.5]).numpy().tolist() == [0, 2, 2, 0]
    assert tf.round([1, 2]).dtype == tf.int32


@pytest.mark.parametrize("f", [tf.exp, tf.sin, tf.sqrt, tf.math.log, tf.sigmoid, tf.floor, tf.math.erf])
@pytest.mark.parametrize("x", [[1, 2], [True], ["a"]])
def test_integers_are_not_converted_by_themselves(f, x):
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not take"):
        f(x)


@pytest.mark.parametrize("f", [tf.asin, tf.acos, tf.acosh, tf.atanh, tf.asinh, tf.atan, tf.sqrt, tf.math.log])
@pytest.mark.parametrize("z", [3 + 0j, -3 + 0j, 0.5 + 0j, 2j, 0.3 - 2j, -2 + 0.5j])
def test_complex_gradients_follow_the_values_across_branches(f, z):
    """Cuts lie along the axes; the difference is taken along the same axis, so on one side of a cut."""
    h = 1e-6j if z.real == 0 else 1e-6
    numeric = (f(tf.constant(z + h)).numpy() - f(tf.constant(z - h)).numpy()) / (2 * h)
    np.testing.assert_allclose(np.conj(value_and_gradient(f, z)[1]), numeric, rtol=1e-6, atol=1e-8)


def test_sigmoid_is_smooth_to_second_order():
    x = tf.constant(0.5, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sigmoid(x)
        g = tape.gradient(y, x)
    s = 1 / (1 + np.exp(-0.5))
    np.testing.assert_allclose(outer.gradient(g, x).numpy(), s * (1 - s) * (1 - 2 * s), rtol=1e-12)
