"""Jacobians: many rows in one walk, in chunks, row by row; and next to each other."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.tape import jacobians, memory

rng = np.random.default_rng(0)


def net(x, ws):
    for w in ws:
        x = tf.tanh(x @ w)
    return x


@pytest.fixture
def problem():
    ws = [tf.Variable(rng.normal(size=s)) for s in ((5, 6), (6, 3))]
    return tf.constant(rng.normal(size=(4, 5))), ws


def all_ways(problem, call):
    """The same Jacobian, all rows at once, in chunks, and row by row."""
    x, ws = problem
    found = []
    for options in ({}, {"parallel_iterations": 5}, {"parallel_iterations": 1}, {"experimental_use_pfor": False}):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = net(x, ws)
        found.append(call(tape, y, options))
    return found


def test_rows_together_in_chunks_and_alone_agree(problem):
    x, ws = problem
    first, *others = all_ways(problem, lambda tape, y, options: tape.jacobian(y, [x, *ws], **options))
    assert [j.shape for j in first] == [(4, 3, 4, 5), (4, 3, 5, 6), (4, 3, 6, 3)]
    for other in others:
        for a, b in zip(first, other):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def test_batch_jacobian_is_the_diagonal_of_the_jacobian(problem):
    x, _ = problem
    batch = all_ways(problem, lambda tape, y, options: tape.batch_jacobian(y, x, **options))
    full = all_ways(problem, lambda tape, y, options: tape.jacobian(y, x, **options))[0].numpy()
    for found in batch:
        np.testing.assert_allclose(found, np.stack([full[i, :, i] for i in range(4)]), rtol=1e-12, atol=1e-14)


def test_a_memory_limit_cuts_the_rows_into_chunks(problem, monkeypatch):
    x, ws = problem
    with tf.GradientTape(persistent=True) as tape:
        y = net(x, ws)
    want = tape.jacobian(y, ws)
    sizes = []
    together = jacobians.Rows.together
    monkeypatch.setattr(jacobians.Rows, "together", lambda self, a, b: (sizes.append(b - a), together(self, a, b))[1])
    monkeypatch.setattr(memory, "LIMIT", 4 * 5 * 6 * 8 * 4)  # four rows of the largest weight, four arrays at a time
    monkeypatch.setattr(memory, "FIRST", 2)
    got = tape.jacobian(y, ws)
    assert sizes == [2, 3, 3, 4]
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_chunks_are_of_about_one_size():
    assert list(memory.chunks(10, 4)) == [(0, 3), (3, 6), (6, 10)]
    assert list(memory.chunks(8, 8)) == [(0, 8)]
    assert list(memory.chunks(0, 8)) == []


def test_a_large_constant_does_not_make_chunks_small(monkeypatch):
    """A weight that nobody differentiates by is not repeated for the rows."""
    w, x = tf.ones([1000, 1000]), tf.ones([1, 1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x @ w)[:, :100]
    monkeypatch.setattr(memory, "LIMIT", 4_000_000)
    sizes = []
    together = jacobians.Rows.together
    monkeypatch.setattr(jacobians.Rows, "together", lambda self, a, b: (sizes.append(b - a), together(self, a, b))[1])
    tape.jacobian(y, x)
    assert sizes == [8, 92]


def test_a_rule_that_needs_values_is_walked_row_by_row():
    @tf.custom_gradient
    def looks(x):
        return x * 2.0, lambda g: g * float(2.0 + 0 * g.numpy().sum())

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = looks(x)
    np.testing.assert_allclose(tape.jacobian(y, x), 2 * np.eye(3))


def test_an_outer_tape_sees_through():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([x[0] ** 2 * x[1], x[1] ** 3])
        j = tape.jacobian(y, x)
    np.testing.assert_allclose(outer.jacobian(j, x), [[[4, 2], [2, 0]], [[0, 0], [0, 12]]])


def test_a_number_for_each_example_is_a_target():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_prod(x, 1)
    np.testing.assert_allclose(tape.batch_jacobian(y, x), [[2, 1], [4, 3]])


def test_sparse_and_dropped_paths():
    table = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]))
    tf.random.set_seed(1)
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup(table, [2, 0, 2])
        y = tf.nn.dropout(rows, 0.5) + table[1] * 0.0
    j = tape.jacobian(y, table).numpy()
    assert j.shape == (3, 2, 3, 2)
    kept = np.diag(j[0, :, 2])
    np.testing.assert_allclose(np.abs(kept * (kept - 2)), 0)


@pytest.mark.parametrize(
    "target, source, words",
    [
        ((), (4, 3), r"\(\) and \(4, 3\)"),
        ((4,), (4,), r"\(4,\) and \(4,\)"),
        ((4, 2), (3, 2), r"same first dimension.*\(4, 2\) and \(3, 2\)"),
    ],
)
def test_batches_that_do_not_fit(target, source, words):
    x = tf.ones(source)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.ones(target) * tf.reduce_sum(x)
    with pytest.raises(ValueError, match=words):
        tape.batch_jacobian(y, x)


def test_the_limit_counts_what_the_tape_does_not_keep(monkeypatch):
    """A broadcast and a sum keep shapes only, but the gradients between them are as large as what they made."""
    x = tf.range(40.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        wide = tf.broadcast_to(x[:, None], [40, 1000])
        y = tf.reduce_sum(wide + wide, 1)
    monkeypatch.setattr(memory, "LIMIT", 4 * 40_000 * 4 * 10)  # ten rows
    sizes = []
    together = jacobians.Rows.together
    monkeypatch.setattr(jacobians.Rows, "together", lambda self, a, b: (sizes.append(b - a), together(self, a, b))[1])
    np.testing.assert_allclose(tape.jacobian(y, x), 2000 * np.eye(40))
    assert sizes == [8, 8, 8, 8, 8]
