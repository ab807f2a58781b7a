"""`tf.gradients` and `tf.hessians`: in a function; eagerly they say what to use."""

import pytest

import tapeflow as tf


def test_in_a_function():
    @tf.function
    def both(x, y):
        z = x**3 * y
        return tf.gradients(z, [x, y]), tf.hessians(z, x)[0]

    (by_x, by_y), curvature = both(tf.constant(2.0), tf.constant(5.0))
    assert (float(by_x), float(by_y), float(curvature)) == (60.0, 8.0, 60.0)


def test_eagerly():
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match=r"Use tf.GradientTape instead"):
        tf.gradients(x, x)
    with pytest.raises(RuntimeError, match=r"tf.derivatives.hessian"):
        tf.hessians(x, x)
