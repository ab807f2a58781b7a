import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close


def gradient(f, *xs):
    xs = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return tape.gradient(y, xs)


def test_the_rule_applies_to_arguments_given_by_keyword():
    @tf.custom_gradient
    def f(x, scale=1.0):
        return x * scale, lambda g: g * 10.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x=x)
    assert float(tape.gradient(y, x)) == 10.0


def test_python_arguments_need_no_slot():
    @tf.custom_gradient
    def f(x, n):
        return x * n, lambda g: g * 7.0

    assert float(gradient(lambda x: f(x, 3.0), 2.0)[0]) == 7.0


def test_what_backward_returns_is_checked():
    @tf.custom_gradient
    def wrong_shape(x):
        return x * 2.0, lambda g: tf.ones([3])

    @tf.custom_gradient
    def wrong_dtype(x):
        return x * 2.0, lambda g: tf.constant([1.0, 1.0], tf.float64)

    with pytest.raises(ValueError, match=r"shape \(3,\) for argument 0, which has shape \(2,\)"):
        gradient(wrong_shape, [1.0, 2.0])
    with pytest.raises(ValueError, match="float64"):
        gradient(wrong_dtype, [1.0, 2.0])


def test_a_forgotten_backward_function():
    @tf.custom_gradient
    def f(x):
        return x * 2.0

    with pytest.raises(TypeError, match="must return"):
        f(tf.constant(1.0))


def test_variables_come_in_the_order_of_creation():
    variables = [tf.Variable(float(i), name=f"v{i}") for i in range(12)]
    seen = []

    @tf.custom_gradient
    def f(x):
        y = x
        for v in reversed(variables):
            y = y + v

        def backward(g, variables=None):
            seen.append([v.name for v in variables])
            return g, [g * float(k) for k in range(len(variables))]

        return y, backward

    with tf.GradientTape() as tape:
        y = f(tf.constant(1.0))
    assert [float(g) for g in tape.gradient(y, variables)] == [float(k) for k in range(12)]
    assert seen == [[f"v{i}:0" for i in range(12)]]


def test_a_variable_that_does_not_reach_the_output_is_no_concern():
    v = tf.Variable(5.0)

    @tf.custom_gradient
    def f(x):
        return x * float(v.numpy()) * tf.stop_gradient(v), lambda g: g * 10.0

    assert float(gradient(f, 2.0)[0]) == 10.0


def test_integer_outputs_get_no_gradient():
    @tf.custom_gradient
    def f(x):
        return (x * 2.0, tf.argmax(x)), lambda g, h: g * 5.0

    np.testing.assert_array_equal(gradient(lambda x: f(x)[0], [1.0, 2.0])[0], [5.0, 5.0])
    assert gradient(lambda x: f(x)[1], [1.0, 2.0])[0] is None


def test_pass_through_keeps_the_function_name_in_errors():
    def total(x):
        return tf.reduce_sum(x)

    with pytest.raises(ValueError, match="total"):
        gradient(tf.grad_pass_through(total), [1.0, 2.0])


def test_complex_outputs_that_no_recorded_operation_made():
    """The walk used not to know that complex numbers are about, and did not conjugate."""

    @tf.custom_gradient
    def turned(x):
        return tf.constant(np.complex64(x.numpy() * (1 + 2j))), lambda g: tf.math.real(g) + 2 * tf.math.imag(g)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.imag(turned(x) * tf.constant(1 + 2j, tf.complex64))
    assert float(tape.gradient(y, x)) == 4.0


def test_a_backward_function_with_a_loop_about_what_the_forward_one_computed():
    """In a tf.function the backward function is written down when a tape asks; a loop or a branch in it was refused
    tensors of the function, which the backward function itself may use."""

    @tf.custom_gradient
    def scaled(x):
        a = tf.exp(x)

        def backward(g):
            power = tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, p * a), (0, tf.ones_like(a)))[1]
            return tf.cond(tf.reduce_sum(a) > 0, lambda: g * power, lambda: g * a)

        return x * a, backward

    x = tf.constant([0.5, 1.0])
    for f in (scaled, tf.function(scaled), tf.function(lambda x: tf.function(scaled)(x))):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        close(tape.gradient(y, x), np.exp(3 * x.numpy()), terms=8)
