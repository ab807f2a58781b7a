"""Branches, loops and scans by Keras' rules, eagerly and in a graph."""

import itertools

import numpy as np
import pytest
from keras import ops

import tapeflow as tf

both = pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])


@both
def test_branches(wrap):
    choose = wrap(lambda p, x: ops.cond(p, lambda: x + 1, lambda: x - 1))
    assert [float(choose(tf.constant(p), tf.constant(5.0))) for p in (True, False, 2, 0)] == [6, 4, 6, 4]
    switch = wrap(lambda i, x: ops.switch(i, [lambda x: x, lambda x: x * 2, lambda x: x * 3], x))
    assert [float(switch(tf.constant(i), tf.constant(1.0))) for i in (-5, 1, 9)] == [1, 2, 3]  # held within


@both
def test_loops(wrap):
    halved = wrap(lambda x: ops.while_loop(lambda x, n: x > 1, lambda x, n: (x / 2, n + 1), (x, 0)))
    x, n = halved(tf.constant(20.0))
    assert (float(x), int(n)) == (0.625, 5)
    assert float(ops.while_loop(lambda x: x < 9, lambda x: x + 1, 0.0, maximum_iterations=4)) == 4
    summed = wrap(lambda stop: ops.fori_loop(2, stop, lambda i, s: s + ops.cast(i, "float32"), 0.0))
    assert float(summed(tf.constant(6))) == 2 + 3 + 4 + 5


@both
@pytest.mark.parametrize("reverse", [False, True])
def test_scan(wrap, reverse):
    xs = np.float32([1, 2, 3, 4])
    last, sums = wrap(lambda xs: ops.scan(lambda s, x: (s + x, s + x), 0.0, xs, reverse=reverse))(tf.constant(xs))
    order = xs[::-1] if reverse else xs
    expected = list(itertools.accumulate(order.tolist()))
    assert float(last) == 10 and sums.numpy().tolist() == (expected[::-1] if reverse else expected)


def test_scan_without_rows_or_results():
    last, results = ops.scan(lambda s, _: (s * 2, None), tf.constant([1.0, 1.0]), length=3)
    assert last.numpy().tolist() == [8, 8] and results.shape == (3, 2)
    for wrong in (dict(f=3, init=0), dict(f=lambda s, x: (s, x), init=0), dict(f=max, init=0, length=2, unroll=0)):
        with pytest.raises((TypeError, ValueError)):
            ops.scan(**wrong)


@pytest.mark.parametrize("count", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("reverse", [False, True])
def test_associative_scan(count, reverse):
    """Of products of matrices, which do not commute."""
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(count, 2, 2))
    found = ops.associative_scan(lambda a, b: ops.matmul(a, b), tf.constant(matrices), reverse=reverse)
    order = matrices[::-1] if reverse else matrices
    expected = list(itertools.accumulate(order, np.matmul))
    np.testing.assert_allclose(found, expected[::-1] if reverse else expected, rtol=1e-10)


def test_associative_scan_along_another_axis():
    x = np.arange(10.0).reshape(2, 5)
    np.testing.assert_array_equal(ops.associative_scan(ops.add, tf.constant(x), axis=1), x.cumsum(1))
    with pytest.raises(ValueError, match="same first dimension"):
        ops.associative_scan(ops.add, (tf.ones([2]), tf.ones([3])))


def test_maps():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert ops.map(ops.sum, x).numpy().tolist() == ops.vectorized_map(ops.sum, x).numpy().tolist() == [3, 7]
