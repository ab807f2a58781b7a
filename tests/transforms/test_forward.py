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
