"""What Keras' own tests do not ask: that a function is differentiable, and the same in a graph."""

import numpy as np

import tapeflow as tf


def normal(*shape, seed=5):
    """Numbers that depend on nothing but the shape (and a seed, where two arrays of a shape must differ)."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def results(y):
    """The floating tensors of a structure."""
    return [v for v in tf.nest.flatten(y) if v.dtype.is_floating]


def check(function, *values):
    """Gradients (float64) against finite differences in one direction for each argument; a graph against eager."""
    xs = [tf.constant(x, tf.float64) for x in values]
    found = results(function(*xs))
    for eager, graph in zip(found, results(tf.function(function)(*xs))):
        np.testing.assert_allclose(graph.numpy(), eager.numpy(), rtol=1e-9, atol=1e-12)
    rng = np.random.default_rng(7)  # one for each check: no test depends on which ran before it
    weights = [rng.normal(size=y.shape) for y in found]
    total = lambda *xs: sum([tf.reduce_sum(y * w) for y, w in zip(results(function(*xs)), weights)])
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = total(*xs)
    for i, gradient in enumerate(tape.gradient(y, xs)):
        way = rng.normal(size=xs[i].shape)
        up, down = [total(*xs[:i], xs[i] + e * way, *xs[i + 1 :]).numpy() for e in (1e-6, -1e-6)]
        np.testing.assert_allclose(np.sum(gradient.numpy() * way), (up - down) / 2e-6, rtol=1e-5, atol=1e-6)
