"""Sums of gradients: who owns an array may add into it, and nobody else."""

import functools

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import bare
from tapeflow.core.slices import SparseGradient
from tapeflow.tape.accumulation import Sum, total


def test_what_is_given_is_not_written_over():
    terms = [np.full(3, float(k)) for k in range(20)]
    running = Sum(terms[0], terms[1])
    for term in terms[2:]:
        running.add(term)
    assert running.result(bare).tolist() == [190.0] * 3
    assert [t.tolist() for t in terms] == [[float(k)] * 3 for k in range(20)]


def test_an_array_that_was_made_for_the_sum_is_added_into():
    own, other = np.ones(1 << 18), np.ones(1 << 18)
    running = Sum(own, other, owned=True)
    assert running.result(bare) is own and own[0] == 2 and other[0] == 1


def test_large_terms_do_not_wait():
    running = Sum(np.ones(1 << 18))  # 2 MB
    for _ in range(5):
        running.add(np.ones(1 << 18))
        assert len(running.waiting) <= 1
    assert running.result(bare)[0] == 6


def test_sparse_terms_stay_sparse_in_the_order_of_the_program():
    """The walk meets the last one first."""
    sparse = lambda value, row: SparseGradient(np.full((1, 2), value), np.array([row]), (4, 2))
    found = Sum(sparse(2.0, 1), sparse(1.0, 3)).result(bare)
    assert found.values.tolist() == [[1, 1], [2, 2]] and found.indices.tolist() == [3, 1]


def test_sparse_and_dense_together_are_dense():
    mixed = Sum(np.ones((4, 2)), SparseGradient(np.full((2, 2), 5.0), np.array([1, 1]), (4, 2)))
    assert mixed.result(bare).tolist() == [[1, 1], [11, 11], [1, 1], [1, 1]]


def test_nothing_adds_nothing():
    assert Sum(None).result(bare) is None
    assert total(bare, [np.float64(1), Sum(np.float64(2), np.float64(3))]) == 6


def test_tensors_that_are_recorded():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = Sum(x, x * 2.0).result(tf)
    assert float(tape.gradient(y, x)) == 3


def test_small_terms_are_added_in_groups_of_eight():
    """As TensorFlow adds them: to the last bit, and a long sum loses little."""
    terms = np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32)
    running = Sum(terms[0], terms[1])
    for term in terms[2:]:
        running.add(term)
    in_order = terms[::-1]  # the walk meets the last one first
    groups = [functools.reduce(np.add, in_order[k : k + 8]) for k in range(0, 20, 8)]
    np.testing.assert_array_equal(running.result(bare), functools.reduce(np.add, groups))


def test_a_term_of_another_dtype_is_not_squeezed_into_the_sum():
    running = Sum(np.ones(3, np.complex64), np.ones(3, np.float32))
    running.add(np.ones(3, np.float32))
    assert running.result(bare).tolist() == [3, 3, 3] and running.result(bare).dtype == np.complex64


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_indices_of_two_dtypes(wrap):
    """A table that int32 and int64 indices are looked up in had no gradient: the indices could not be joined."""
    table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]))

    def f(narrow, wide):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, narrow) ** 2) + tf.reduce_sum(tf.gather(table, wide))
        return tape.gradient(y, table)

    g = wrap(f)(tf.constant([0, 1]), tf.constant([1, 2], tf.int64))
    assert g.indices.dtype is tf.int64 and tf.convert_to_tensor(g).numpy().tolist() == [[0, 2], [5, 7], [1, 1], [0, 0]]
