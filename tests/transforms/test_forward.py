import numpy as np
import pytest

import tapeflow as tf


def test_forward_agrees_with_reverse():
    w = tf.constant(np.random.default_rng(0).normal(size=(3, 2)))
    x = tf.constant([[0.3, -0.2, 0.9]], tf.float64)
    v = tf.constant([[1.0, 2.0, -1.0]], tf.float64)
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        y = tf.tanh(x @ w)
    with tf.GradientTape() as tape:
        tape.watch(x)
        again = tf.tanh(x @ w)
    jacobian = tape.jacobian(again, x).numpy().reshape(2, 3)
    np.testing.assert_allclose(acc.jvp(y).numpy()[0], jacobian @ v.numpy()[0], rtol=1e-12)


def test_forward_over_reverse_is_a_hessian_vector_product():
    x, v = tf.constant([1.0, 2.0]), tf.constant([1.0, 10.0])
    with tf.autodiff.ForwardAccumulator(x, v) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x[0] ** 2 * x[1] ** 3
        d = tape.gradient(y, x)
    np.testing.assert_allclose(acc.jvp(d), [256.0, 144.0], rtol=1e-6)


def test_a_tangent_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match=r"shape \(3,\), but its primal has shape \(2,\)"):
        tf.autodiff.ForwardAccumulator(tf.ones([2]), tf.ones([3]))


def pushed(f, x, t):
    with tf.autodiff.ForwardAccumulator(x, t) as acc:
        y = f(x)
    return acc.jvp(y)


def test_a_linear_custom_rule_is_transposed():
    @tf.custom_gradient
    def product(a, b):
        return a * b, lambda g: (g * 10 * b, g * 100 * a)

    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.autodiff.ForwardAccumulator([a, b], [tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])]) as acc:
        y = product(a, b)
    np.testing.assert_allclose(acc.jvp(y), [30.0, 200.0])


@pytest.mark.parametrize(
    "clipped", [lambda g: tf.clip_by_value(g, -0.1, 0.1), lambda g: tf.clip_by_norm(g, 1.0), tf.sign]
)
def test_a_custom_rule_that_is_not_linear_leaves_the_tangent_to_the_function(clipped):
    f = tf.custom_gradient(lambda x: (x * x, clipped))
    np.testing.assert_allclose(pushed(f, tf.constant([3.0, 1.0]), tf.constant([1.0, 1.0])), [6.0, 2.0])
    mapped = lambda x: tf.vmap(f)(x)
    np.testing.assert_allclose(pushed(mapped, tf.constant([3.0, 1.0]), tf.constant([1.0, 1.0])), [6.0, 2.0])


def test_several_directions_at_once():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator._batch_accumulator(x, tf.eye(3)) as acc:
        y = tf.math.cumprod(x)
        constant = tf.ones([2])
    np.testing.assert_allclose(acc.jvp(y), np.transpose([[1, 0, 0], [2, 1, 0], [6, 3, 2]]))
    assert acc.jvp(constant) is None
    assert acc.jvp(constant, unconnected_gradients="zero").shape == (3, 2)


def test_tangents_of_sparse_results():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        slices = tf.IndexedSlices(x * x, tf.constant([0, 2]), tf.constant([3, 2]))
    assert isinstance(acc.jvp(slices), tf.IndexedSlices)
    np.testing.assert_allclose(acc.jvp(slices).values, [[2, 4], [6, 8]])


def test_dtypes_along_the_way():
    x = tf.constant([0.5, 2.0])
    half = pushed(lambda x: tf.cast(tf.sin(tf.cast(x, tf.float64)), tf.float16), x, tf.ones_like(x))
    assert half.dtype is tf.float16
    np.testing.assert_allclose(half, np.cos(x.numpy()), rtol=1e-3)
    z = pushed(lambda x: tf.abs(tf.complex(x, 2 * x)), x, tf.ones_like(x))
    np.testing.assert_allclose(z, np.sqrt(5) * np.ones(2), rtol=1e-6)


@pytest.mark.parametrize(
    "primals, tangents, error, words",
    [
        (tf.ones([2]), tf.ones([2], tf.float64), ValueError, "the tangent is float64, but its primal is float32"),
        (
            [tf.ones([2]), tf.ones([3])],
            [tf.ones([2]), tf.ones([2])],
            ValueError,
            r"tangents\[1\] has shape \(2,\), but its primal has shape \(3,\)",
        ),
        ({"a": tf.ones([2])}, {"b": tf.ones([2])}, ValueError, "different structures"),
        (1.0, 1.0, TypeError, "Primal 0 is 1.0 of type float"),
    ],
)
def test_tangents_that_do_not_fit(primals, tangents, error, words):
    with pytest.raises(error, match=words):
        tf.autodiff.ForwardAccumulator(primals, tangents)


def test_a_rule_that_clips_in_several_directions_at_once():
    f = tf.custom_gradient(lambda x: (tf.identity(x), lambda g: tf.clip_by_value(g, -1.0, 1.0)))
    x = tf.constant([1.0, 2.0])
    square = lambda x: f(x) ** 2
    want = np.diag([2.0, 4.0])
    np.testing.assert_allclose(tf.derivatives.jacobian(square, mode="forward")(x), want)
    np.testing.assert_allclose(tf.vmap(lambda t: tf.derivatives.jvp(square, x, t)[1])(tf.eye(2)), want)


def test_tangents_go_when_their_tensors_go():
    x = tf.ones([1000])
    with tf.autodiff.ForwardAccumulator(x, x) as acc:
        y = x
        for _ in range(50):
            y = tf.sin(y) * 2.0
        known = len(acc._pushing.tangents)
    assert known <= 4  # of x, y, and what the last step still holds
    assert acc.jvp(y) is not None


def test_an_unconnected_value_can_be_an_error():
    x, other = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = other * other
    with pytest.raises(ValueError, match="does not depend on the primals"):
        accumulator.jvp(y, unconnected_gradients="error")
