"""Embeddings: sparse gradients, tables in parts, norms, combinations."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

TABLE = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
WHERE = [[0, 0], [0, 1], [2, 0], [2, 3]]


def sparse(values):
    return tf.SparseTensor(WHERE, values, [4, 4])


def test_the_gradient_has_only_the_rows_that_were_read():
    table = tf.Variable(TABLE)
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup(table, [[4, 1], [4, 0]])
        loss = tf.reduce_sum(rows * rows)
    grad = tape.gradient(loss, table)
    assert isinstance(grad, tf.IndexedSlices) and grad.indices.numpy().tolist() == [4, 1, 4, 0]
    np.testing.assert_allclose(grad.values.numpy(), 2 * TABLE[[4, 1, 4, 0]])
    assert rows.shape == (2, 2, 3)


def test_a_table_in_parts():
    parts = [tf.constant(TABLE[:2]), tf.constant(TABLE[2:])]
    np.testing.assert_array_equal(tf.nn.embedding_lookup(parts, [3, 0]).numpy(), TABLE[[3, 0]])
    np.testing.assert_array_equal(tf.nn.embedding_lookup(TABLE.tolist(), [3, 0]).numpy(), TABLE[[3, 0]])


def test_max_norm_shortens_long_rows_only():
    rows = tf.nn.embedding_lookup(np.float32([[3, 4], [0.3, 0.4], [0, 0]]), [0, 1, 2], max_norm=1.0).numpy()
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.3, 0.4], [0, 0]], rtol=1e-6)
    assert np.isfinite(
        gradient(
            lambda t: tf.nn.embedding_lookup(t, [0, 1, 2], max_norm=1.0), np.float32([[3, 4], [0.3, 0.4], [0, 0]])
        )
    ).all()


def test_an_id_out_of_range():
    with pytest.raises(tf.errors.InvalidArgumentError, match="9"):
        tf.nn.embedding_lookup(TABLE, [9])


@pytest.mark.parametrize(
    "combiner,norm",
    [("sum", lambda w: 1.0), ("mean", np.sum), ("sqrtn", lambda w: np.sqrt(np.sum(w**2))), (None, np.sum)],
)
def test_combinations(combiner, norm):
    ids, weights = np.array([1, 3, 0, 1]), np.float32([0.5, 2, 1, 3])

    def row(k, w):
        return (TABLE[ids[k]] * w[k][:, None]).sum(0) / norm(w[k])

    for w, given in ((weights, sparse(weights)), (np.ones(4, np.float32), None)):
        y = tf.nn.embedding_lookup_sparse(TABLE, sparse(ids), given, combiner=combiner).numpy()
        np.testing.assert_allclose(y, [row([0, 1], w), [0, 0, 0], row([2, 3], w)], rtol=1e-5)


def test_combined_embeddings_have_gradients_in_table_and_weights():
    ids = sparse(np.array([1, 3, 0, 1]))
    dt, dw = gradient(
        lambda t, w: tf.nn.embedding_lookup_sparse(t, ids, sparse(w), combiner="sum"),
        TABLE,
        np.float32([0.5, 2, 1, 3]),
    )
    np.testing.assert_allclose(dt[:, 0], [1, 3.5, 0, 2, 0])
    np.testing.assert_allclose(dw, TABLE[[1, 3, 0, 1]].sum(1), rtol=1e-5)


def test_the_safe_lookup_leaves_out_what_is_invalid():
    ids = sparse(np.array([1, 3, -1, 2]))
    y = tf.nn.safe_embedding_lookup_sparse(TABLE, ids, combiner="sum").numpy()
    np.testing.assert_allclose(y, [TABLE[1] + TABLE[3], [0, 0, 0], TABLE[2], [0, 0, 0]], rtol=1e-6)
    weights = sparse(np.float32([2, -1, 1, 4]))
    y = tf.nn.safe_embedding_lookup_sparse(TABLE, ids, weights, combiner="mean", default_id=4).numpy()
    np.testing.assert_allclose(y, [TABLE[1], TABLE[4], TABLE[2], TABLE[4]], rtol=1e-5)


def test_errors():
    with pytest.raises(ValueError, match="combiner"):
        tf.nn.embedding_lookup_sparse(TABLE, sparse(np.array([0, 0, 0, 0])), None, combiner="max")
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.nn.embedding_lookup_sparse(TABLE, [0, 1], None)


def test_ragged_ids():
    table = tf.reshape(tf.range(8.0), [4, 2])
    ids, weights = tf.ragged.constant([[0, 1], [2]], dtype=tf.int64), tf.ragged.constant([[1.0, 2.0], [3.0]])
    assert tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum").numpy().tolist() == [[2, 4], [4, 5]]
    mean = tf.nn.embedding_lookup_sparse(table, ids, weights).numpy()
    np.testing.assert_allclose(mean, [[4 / 3, 7 / 3], [4, 5]], rtol=1e-6)
    some = tf.ragged.constant([[0, 1], []], dtype=tf.int64)
    assert tf.nn.safe_embedding_lookup_sparse(table, some).numpy().tolist() == [[1, 2], [0, 0]]
    short = tf.nn.embedding_lookup(
        tf.constant([[2.0, 0.0], [0.0, 1.0]]), tf.ragged.constant([[0, 1], [1]]), max_norm=1.0
    )
    assert short.to_list() == [[[1, 0], [0, 1]], [[0, 1]]]
