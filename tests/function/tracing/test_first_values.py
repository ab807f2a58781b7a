import numpy as np
import pytest

import tapeflow as tf


class Lazy(tf.Module):
    def __init__(self, initial):
        super().__init__()
        self.w, self.initial = None, initial

    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(self.initial())
        return x * self.w


def test_in_a_loop():
    """The symbol of the body was looked up in the function's own graph: a NameError, or another symbol's value."""
    start = tf.constant([2.0, 3.0])
    module = Lazy(lambda: tf.ones([2]) * start * 2.0 + tf.reduce_sum(tf.random.stateless_normal([3], [1, 2])) * 0.0)

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = module(x) + 0.0
        return x

    assert f(tf.ones([2]), tf.constant(2)).numpy().tolist() == [16.0, 36.0]
    assert f(tf.ones([2]), tf.constant(1)).numpy().tolist() == [4.0, 6.0]
    assert module.w.numpy().tolist() == [4.0, 6.0]


def test_in_a_branch_from_what_is_outside():
    scale = tf.Variable(3.0)

    @tf.function
    def f(x):
        outside = tf.exp(x) * scale
        module.initial = lambda: outside + scale
        return tf.cond(x > 0.0, lambda: tf.cond(x < 5.0, lambda: module(x), lambda: -x), lambda: x)

    module = Lazy(None)
    y = f(tf.constant(1.0))
    np.testing.assert_allclose(y, 3.0 * np.e + 3.0, rtol=1e-6)


def test_random_values_are_drawn_once():
    module = Lazy(lambda: tf.random.normal([4], seed=3))

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = x + module(tf.ones([4]))
        return x

    once = f(tf.zeros([4]), tf.constant(1)).numpy()
    assert np.array_equal(once, module.w) and len(set(once.tolist())) == 4


def test_from_what_a_loop_is_given():
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = Lazy(lambda: x * 2.0)(x)  # noqa: B023
        return x

    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        f.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([], tf.int32))
