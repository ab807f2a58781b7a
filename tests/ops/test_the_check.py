"""The check of the registry must notice a rule that is wrong by one part in a thousand."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY

from .test_registry import check_gradients, tf_tensor


def wrong_by(factor, prim_name):
    """A function whose tape gradient is off by `factor`."""

    @tf.custom_gradient
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = REGISTRY[prim_name].entry(x)

        def backward(g):
            with tf.GradientTape() as again:
                again.watch(x)
                y = REGISTRY[prim_name].entry(x)
            return again.gradient(y, x, g) * factor

        return y, backward

    return lambda x: [f(x)]


@pytest.mark.parametrize("name", ["sin", "exp", "tanh", "square"])
def test_a_planted_error_is_caught(name):
    x = [tf_tensor(np.array([0.3, -0.7, 1.1]))]
    check_gradients(wrong_by(1.0, name), x, name, order=1, rtol=1e-4)
    with pytest.raises(AssertionError, match="gradient of"):
        check_gradients(wrong_by(1.001, name), x, name, order=1, rtol=1e-4)


def test_an_error_in_the_second_order_is_caught():
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x)

        @tf.custom_gradient
        def slope(x):  # the right value, whose own derivative is off
            return tf.cos(x), lambda g: g * -tf.sin(x) * 1.001

        return y, slope

    @tf.custom_gradient
    def sine(x):
        return tf.sin(x), lambda g: g * f(x)[1](x)

    x = [tf_tensor(np.array([0.3, -0.7, 1.1]))]
    with pytest.raises(AssertionError, match="the gradient of sine"):
        check_gradients(lambda x: [sine(x)], x, "sine", order=2, rtol=1e-5)


def test_a_rule_that_asks_for_what_does_not_exist_fails_at_its_declaration():
    from tapeflow.core.primitive import primitive

    with pytest.raises(TypeError, match="asks for 'z'"):
        primitive("never_declared(x)", kernel="sin", vjp=lambda g, z: g * z)
    assert "never_declared" not in REGISTRY
