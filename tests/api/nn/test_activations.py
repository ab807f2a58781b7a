"""Activations: values at hard points, slopes at corners, dtypes, errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

INF, NAN = np.inf, np.nan


def second(function, x):
    return gradient(lambda u: gradient_tensor(function, u), x)


def gradient_tensor(function, u):
    with tf.GradientTape() as tape:
        tape.watch(u)
        y = function(u)
    return tape.gradient(y, u)


@pytest.mark.parametrize(
    "name,points,slopes",
    [
        ("relu", [-1.0, 0.0, 2.0, INF, -INF], [0, 0, 1, 1, 0]),
        ("relu6", [-1.0, 0.0, 2.0, 6.0, 7.0], [0, 0, 1, 0, 0]),
        ("leaky_relu", [-1.0, 0.0, 2.0], [0.2, 0.2, 1]),
        ("elu", [-200.0, 0.0, 2.0], [0, 1, 1]),
        ("selu", [-200.0, 0.0, 2.0], [0, 1.0507010, 1.0507010]),
        ("softplus", [-200.0, 0.0, 200.0], [0, 0.5, 1]),
        ("softsign", [-1e30, 0.0, 1.0], [0, 1, 0.25]),
        ("silu", [-200.0, 0.0, 200.0], [0, 0.5, 1]),
        ("gelu", [-200.0, 0.0, 200.0], [0, 0.5, 1]),
    ],
)
def test_slopes_at_corners_and_far_out(name, points, slopes):
    np.testing.assert_allclose(
        gradient(getattr(tf.nn, name), np.float32(points)), np.float32(slopes), rtol=1e-6, atol=1e-6
    )


def test_a_nan_passes_relu():
    x = np.float32([NAN, -1.0])
    assert np.isnan(tf.nn.relu(x).numpy()[0])
    np.testing.assert_array_equal(gradient(tf.nn.relu, x), [0, 0])  # as in TensorFlow: the unit is not on


@pytest.mark.parametrize("size", [3, 10_000])
def test_relu_is_the_same_by_both_of_its_ways(size):
    x = np.linspace(-1, 1, size).astype(np.float32)
    np.testing.assert_array_equal(tf.nn.relu(x).numpy(), np.where(x > 0, x, 0))


def test_relu_takes_integers():
    assert tf.nn.relu(tf.constant([-2, 3], tf.int8)).numpy().tolist() == [0, 3]


@pytest.mark.parametrize(
    "alpha,values,slopes",
    [(0.0, [0, 3, INF], [0, 1, 1]), (2.0, [-4, 3, INF], [2, 1, 1]), (-1.0, [2, 3, INF], [-1, 1, 1])],
)
def test_leaky_relu_with_unusual_alpha(alpha, values, slopes):
    x = np.float32([-2.0, 3.0, INF])
    np.testing.assert_array_equal(tf.nn.leaky_relu(x, alpha).numpy(), values)
    np.testing.assert_array_equal(gradient(lambda u: tf.nn.leaky_relu(u, alpha), x), slopes)


def test_leaky_relu_makes_floats_of_integers():
    assert tf.nn.leaky_relu(tf.constant([-5, 5])).numpy().tolist() == [-1.0, 5.0]


def test_crelu_along_an_axis():
    y = tf.nn.crelu(tf.constant([[1.0, -2.0]]), axis=0)
    np.testing.assert_array_equal(y.numpy(), [[1, 0], [0, 2]])


def test_gelu_keeps_its_tail():
    assert tf.nn.gelu(np.float32([-10.0])).numpy()[0] == pytest.approx(-7.61985e-23, rel=1e-4)
    assert gradient(tf.nn.gelu, np.float32([-10.0]))[0] == pytest.approx(-7.6184e-22, rel=1e-4)


def test_approximate_gelu_of_huge_numbers_has_slope_one():
    """x ** 3 is infinite there, and times a tanh' of 0 it used to be NaN."""
    x = np.float32([1e20, INF, -1e20])
    np.testing.assert_array_equal(gradient(lambda u: tf.nn.gelu(u, approximate=True), x), [1, 1, 0])


def test_gelu_needs_floats():
    with pytest.raises(ValueError, match="floating point"):
        tf.nn.gelu(tf.constant([1, 2]))


def test_silu_with_beta_has_a_gradient_in_beta():
    x, beta = np.float64([0.5, -2.0]), np.float64(1.5)
    s = 1 / (1 + np.exp(-beta * x))
    dx, dbeta = gradient(lambda u, b: tf.nn.silu(u, b), x, beta)
    np.testing.assert_allclose(dx, s * (1 + beta * x * (1 - s)))
    np.testing.assert_allclose(dbeta, np.sum(x * x * s * (1 - s)))


@pytest.mark.parametrize(
    "name,x,want",
    [
        ("softplus", 0.5, 0.235004),
        ("elu", -0.5, 0.606531),
        ("elu", 0.0, 0),
        ("selu", -0.5, 1.06634),
        ("relu", 3.0, 0),
        ("relu6", 0.5, 0),
        ("leaky_relu", -0.5, 0),
        ("gelu", 0.5, 0.616114),
        ("silu", 0.5, 0.441229),
        ("softsign", 0.5, -0.592593),
    ],
)
def test_second_derivatives(name, x, want):
    assert second(getattr(tf.nn, name), np.float32(x)) == pytest.approx(want, rel=1e-5)


def test_softmax_does_not_overflow_and_masks():
    np.testing.assert_array_equal(tf.nn.softmax([1000.0, 1000.0, -INF]).numpy(), [0.5, 0.5, 0])
    np.testing.assert_array_equal(gradient(lambda x: tf.nn.softmax(x)[0], np.float32([-INF, 0])), [0, 0])


def test_log_softmax_of_a_masked_class_has_a_finite_gradient():
    x = np.float32([-INF, 0.0])
    np.testing.assert_array_equal(tf.nn.log_softmax(x).numpy(), [-INF, 0])
    np.testing.assert_array_equal(gradient(lambda u: tf.nn.log_softmax(u)[0], x), [1, -1])


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_softmax_sums_to_one_along_its_axis(axis):
    x = np.random.default_rng(0).normal(size=(3, 4))
    for y in (tf.nn.softmax(x, axis).numpy(), np.exp(tf.nn.log_softmax(x, axis).numpy())):
        np.testing.assert_allclose(y.sum(-1 if axis is None else axis), 1)


def test_softmax_of_a_scalar_or_along_no_axis():
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
        tf.nn.softmax(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis=2"):
        tf.nn.softmax([[1.0]], axis=2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(
    "name",
    [
        "relu",
        "relu6",
        "leaky_relu",
        "elu",
        "selu",
        "crelu",
        "gelu",
        "silu",
        "softplus",
        "softsign",
        "softmax",
        "log_softmax",
    ],
)
def test_dtypes_and_empty_tensors(name, dtype):
    function = getattr(tf.nn, name)
    x = tf.cast([[-1.0, 0.5, 2.0]], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert y.dtype == dtype and tape.gradient(y, x).dtype == dtype
    reference = function(tf.cast(x, tf.float64)).numpy()
    np.testing.assert_allclose(
        y.numpy().astype(float), reference, rtol=2e-2 if dtype in ("float16", "bfloat16") else 1e-5, atol=2e-3
    )
    assert function(tf.zeros([0, 3], dtype)).shape[0] == 0


def test_names_that_say_the_same():
    assert tf.nn.swish is tf.nn.silu
    np.testing.assert_allclose(tf.math.log_sigmoid([-200.0, 0.0, 200.0]).numpy(), [-200, -0.693147, 0], rtol=1e-6)


@pytest.mark.parametrize("f", [tf.nn.softmax, tf.nn.log_softmax])
def test_a_scalar_has_no_axis_of_classes(f):
    """log_softmax gave 0 as float32, whatever the dtype; softmax NumPy's words."""
    for axis in (0, -1):
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least one axis"):
            f(tf.constant(2.0, tf.float16), axis=axis)
