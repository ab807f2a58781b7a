"""What the tests of branches and loops share: a program run by Python, by a NumPy plan, and compiled by XLA, gives the
same."""

from importlib.util import find_spec

import numpy as np
import pytest

import tapeflow as tf

_XLA = pytest.param(
    True, id="xla", marks=pytest.mark.skipif(not find_spec("jax"), reason="the extra `xla` is not installed")
)
engines = pytest.mark.parametrize("jit", [pytest.param(False, id="numpy"), _XLA])


def graph(function, jit=False):
    """As a graph; fails if it is run by Python instead."""
    made = tf.function(function, jit_compile=jit)

    def run(*args):
        assert not made.get_concrete_function(*args).as_python, "it does not become a graph"
        return made(*args)

    return run


def repeat(times, body, x):
    """`body` of the number of the iteration and `x`, that many times."""
    return tf.while_loop(lambda i, _: i < times, lambda i, t: (i + 1, body(i, t)), (0, x), maximum_iterations=times)[1]


def slope(function, x, order=1):
    """The derivative of that order of the sum of what `function` gives."""
    if not order:
        return function(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(slope(function, x, order - 1))
    return tape.gradient(y, x, unconnected_gradients="zero")


def same(found, wanted, rtol=1e-4):
    tf.nest.assert_same_structure(found, wanted)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(wanted)):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=rtol, atol=1e-5)


def check(function, *points, jit=False, order=None):
    """Values and derivatives are those of Python, with the tape around the function and inside of it."""
    order = order or (2 if jit else 3)  # compiling takes its time
    outside = graph(function, jit)
    inside = graph(lambda x: [slope(function, x, k) for k in range(1, order + 1)], jit)
    for x in map(tf.constant, points):
        same(outside(x), function(x))
        wanted = [slope(function, x, k) for k in range(1, order + 1)]
        same([slope(outside, x, k) for k in range(1, order + 1)], wanted)
        same(inside(x), wanted)


def difference(function, x, step=1e-3):
    """The slope of a function of one float64 number by a central difference."""
    return (function(x + step) - function(x - step)) / (2 * step)
