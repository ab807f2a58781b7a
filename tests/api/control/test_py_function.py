"""`tf.py_function` and `tf.numpy_function` inside vectorised functions."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

X = tf.constant([-1.0, 3.0])


def per_row_gradient(f, source=None):
    def inner(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x if source is None else source, unconnected_gradients="zero")

    return inner


def test_rows_one_by_one():
    seen = []

    def function(z):
        seen.append(z.numpy())
        return z * 2 if z > 0 else z

    assert tf.vmap(lambda x: tf.py_function(function, [x], tf.float32))(X).numpy().tolist() == [-1, 6]
    assert seen == [-1, 3]
    doubled = tf.vectorized_map(lambda x: tf.numpy_function(lambda z: z * 2, [x], tf.float32), X)
    assert doubled.numpy().tolist() == [-2, 6]


def test_what_is_the_same_for_all_rows_is_called_once():
    calls = []
    f = lambda x: x + tf.py_function(lambda: calls.append(1) or 5.0, [], tf.float32)
    assert tf.vmap(f)(X).numpy().tolist() == [4, 8]
    assert calls == [1]


def test_gradients_of_every_order():
    f = lambda x: tf.py_function(lambda z: z**4 if z > 0 else -(z**3), [x], tf.float32)
    first, second = [-3.0, 108.0], [6.0, 108.0]
    np.testing.assert_allclose(gradient(tf.vmap(f), X), first)
    np.testing.assert_allclose(tf.vmap(per_row_gradient(f))(X), first)
    np.testing.assert_allclose(gradient(tf.vmap(per_row_gradient(f)), X), second)
    np.testing.assert_allclose(tf.vmap(per_row_gradient(per_row_gradient(f)))(X), second)
    assert tf.vmap(per_row_gradient(lambda x: tf.numpy_function(np.sin, [x], tf.float32)))(X).numpy().tolist() == [
        0,
        0,
    ]


def test_variables_that_the_function_reads():
    v = tf.Variable(2.0)
    f = lambda x: tf.py_function(lambda z: z * z * v if z > 0 else z, [x], tf.float32)
    assert tf.vmap(per_row_gradient(f, v))(X).numpy().tolist() == [0, 9]
    assert tf.vmap(per_row_gradient(f))(X).numpy().tolist() == [1, 12]
    with tf.GradientTape() as tape:
        y = tf.vmap(f)(X)
    assert tape.gradient(y, v).numpy() == 9


def test_several_results_and_nested_maps():
    f = lambda a, b: tf.py_function(lambda a, b: [a * b, int(a)], [a, b], [tf.float32, tf.int32])
    product, whole = tf.vmap(tf.vmap(f, in_axes=(None, 0)), in_axes=(0, None))(X, tf.constant([1.0, 2.0, 3.0]))
    assert product.numpy().tolist() == [[-1, -2, -3], [3, 6, 9]] and whole.numpy().tolist() == [[-1] * 3, [3] * 3]
    inner = lambda a: per_row_gradient(lambda b: tf.vmap(lambda q: f(a, q)[0])(b))(tf.constant([1.0, 2.0]))
    assert tf.vmap(inner)(X).numpy().tolist() == [[-1, -1], [3, 3]]


def test_in_a_branch_it_gets_rows_of_the_branch_only():
    root = lambda z: tf.sqrt(z) if z > 0 else pytest.fail("a negative row")
    f = lambda x: tf.cond(x > 0, lambda: tf.py_function(root, [x], tf.float32), lambda: x)
    np.testing.assert_allclose(tf.vmap(f)(X), [-1, 3**0.5], rtol=1e-6)
    np.testing.assert_allclose(tf.vmap(per_row_gradient(f))(X), [1, 0.5 / 3**0.5], rtol=1e-6)


def test_no_rows():
    assert tf.vmap(lambda x: tf.py_function(lambda z: z, [x], tf.float32))(tf.zeros([0])).shape == [0]


@pytest.mark.parametrize("function", [tf.py_function, tf.numpy_function])
def test_loops_may_be_forbidden(function):
    with pytest.raises(ValueError, match=f"{function.__name__} has no batching rule"):
        tf.vectorized_map(lambda x: function(lambda z: z * 2, [x], tf.float32), X, fallback_to_while_loop=False)


@pytest.mark.parametrize("function", [tf.py_function, tf.numpy_function])
def test_mistakes_of_the_call(function):
    @function(Tout=tf.int32)
    def plus(a, b):
        """Adds."""
        return a + b

    assert plus(np.int32(1), np.int32(2)).numpy() == 3 and plus.__name__ == "plus" and plus.__doc__ == "Adds."
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        function(lambda a: a, [3.0])
    with pytest.raises(TypeError, match="Missing required argument: 'Tout'"):
        function()
    with pytest.raises((TypeError, ValueError), match="callable"):
        function(3, [3.0], tf.float32)


def test_numpy_function_raises_what_the_function_raises():
    """Outside of a graph it is a call like any other."""
    for wrong in [lambda a: int("x"), lambda a, b: a, lambda a: {}[a.item()]]:
        with pytest.raises((ValueError, TypeError, KeyError)) as info:
            tf.numpy_function(wrong, [3.0], tf.float32)
        assert not isinstance(info.value, tf.errors.OpError)
    with pytest.raises(tf.errors.InvalidArgumentError, match="ValueError: invalid literal"):
        tf.function(lambda x: tf.numpy_function(lambda a: int("x"), [x], tf.TensorSpec([])))(1.0)
