"""Depth, order, accumulation and complex numbers in the backward walk."""

import sys

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.tape.accumulation import Sum


@pytest.mark.parametrize("count", [50_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_a_long_chain_of_operations(count):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(count):
            y = y * 1.0000001
    assert abs(float(tape.gradient(y, x)) - float(y)) < 1e-3
    assert sys.getrecursionlimit() <= 10_000


def test_second_order_of_a_deep_chain():
    x = tf.constant(1.0, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x
            for _ in range(3000):
                y = y + 1e-4 * x * x
        d = inner.gradient(y, x)
    assert float(outer.gradient(d, x)) == pytest.approx(0.6, rel=1e-9)


def test_order_nine_of_sine():
    def derivative(f):
        def df(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tape.gradient(y, x)

        return df

    f = tf.sin
    for _ in range(9):
        f = derivative(f)
    assert float(f(tf.constant(0.3, tf.float64))) == pytest.approx(np.cos(0.3), rel=1e-12)


def test_many_small_terms_keep_their_sum():
    # one by one in float32 the sum of 100,000 thousandths is 99.957
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.add_n([x * 1e-3 for _ in range(100_000)])
    assert float(tape.gradient(y, x)) == pytest.approx(100.0, rel=2e-4)


@pytest.mark.parametrize("size", [3, 50_000, 300_000])
@pytest.mark.parametrize("count", [2, 3, 8, 9, 17])
def test_a_sum_never_changes_what_it_was_given(count, size):
    terms = [np.full(size, float(k)) for k in range(count)]
    total = Sum(terms[0], terms[1])
    for t in terms[2:]:
        total.add(t)
    np.testing.assert_array_equal(total.result(None), np.full(size, count * (count - 1) / 2))
    np.testing.assert_array_equal(total.result(None), np.full(size, count * (count - 1) / 2))
    for k, t in enumerate(terms):
        np.testing.assert_array_equal(t, np.full(size, float(k)))


def test_large_terms_do_not_wait():
    total = Sum(np.ones(1 << 20), np.ones(1 << 20))
    for _ in range(5):
        total.add(np.ones(1 << 20))
        assert len(total.waiting) <= 1


def test_aliased_gradients_stay_apart():
    # add passes the same array on to both inputs; adding to one in place would corrupt the other
    x, y = tf.constant([1.0, 1.0]), tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        s = x + y
        z = s + x + x + x + x
    gx, gy = tape.gradient(z, [x, y])
    np.testing.assert_array_equal(gx, [5.0, 5.0])
    np.testing.assert_array_equal(gy, [1.0, 1.0])


def test_sparse_and_dense_paths_to_one_table():
    table = tf.Variable(np.arange(12.0, dtype=np.float32).reshape(4, 3))
    with tf.GradientTape() as tape:
        y = (
            tf.reduce_sum(tf.gather(table, [1, 1, 3]) * 2.0)
            + tf.reduce_sum(table[0])
            + tf.reduce_sum(tf.gather(table, [3]))
        )
    g = tf.convert_to_tensor(tape.gradient(y, table))
    np.testing.assert_array_equal(g, [[1.0] * 3, [4.0] * 3, [0.0] * 3, [3.0] * 3])


def test_steepest_ascent_for_complex_numbers():
    z = tf.constant([1 + 2j, -0.5j], tf.complex128)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.math.real(tf.reduce_sum(tf.exp(z) * z))
    g = tape.gradient(y, z).numpy()
    eps = 1e-6
    f = lambda w: np.real(np.sum(np.exp(w) * w))
    for k in range(2):
        for unit, part in ((1, g.real), (1j, g.imag)):
            step = np.zeros(2, complex)
            step[k] = eps * unit
            assert (f(z.numpy() + step) - f(z.numpy() - step)) / (2 * eps) == pytest.approx(part[k], rel=1e-6)


def test_rows_stay_rows_for_a_source_in_the_middle():
    """The step that made them dense for its own rule used to leave the dense form to the caller too."""
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        table = x * 2.0
        y = tf.gather(table, [0, 0])
    of_x, of_table = tape.gradient(y, [x, table])
    assert isinstance(of_table, tf.IndexedSlices) and of_table.indices.numpy().tolist() == [0, 0]
    np.testing.assert_array_equal(of_x, [[4.0, 4.0], [0.0, 0.0]])


def test_nothing_is_computed_for_what_is_no_source():
    """The product's other factor is watched, too, but only one gradient is wanted: one product in the walk."""
    a, b = tf.Variable(np.ones((2, 3), np.float32)), tf.Variable(np.ones((3, 4), np.float32))
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as tape:
            y = tf.matmul(a, b)
        before = len(outer._recording.records)
        tape.gradient(y, a)
        for_one = len(outer._recording.records) - before
        tape.gradient(y, [a, b])
        for_both = len(outer._recording.records) - before - for_one
    assert 0 < for_one < for_both
