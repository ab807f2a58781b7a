import numpy as np
import pytest

import tapeflow as tf

S = tf.sparse
MATRICES = [
    np.array([[1.0, 0.0, -3.0], [0.0, 2.0, 0.0]]),
    np.array([[1.0, 3.0, 4.0], [0.0, 2.0, 5.0]]),
    np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 7.0]]),
    np.zeros((2, 3)),
]
OTHER = tf.sparse.from_dense(np.array([[5.0, 0.0, 3.0], [0.0, -2.0, 0.0]]))
FUNCTIONS = {
    "reorder": lambda s: S.reorder(tf.SparseTensor(s.indices[::-1], s.values[::-1], s.dense_shape)),
    "transpose": lambda s: S.transpose(s),
    "transpose by axes": lambda s: S.transpose(s, [0, 1]),
    "reshape": lambda s: S.reshape(s, [3, 2]),
    "reshape to what fits": lambda s: S.reshape(s, [-1]),
    "reshape to more axes": lambda s: S.reshape(s, [1, 3, -1]),
    "expand_dims": lambda s: S.expand_dims(s, 0),
    "expand_dims at the end": lambda s: S.expand_dims(s),
    "concat": lambda s: S.concat(0, [s, OTHER, s]),
    "concat of columns": lambda s: S.concat(-1, [s, OTHER]),
    "slice": lambda s: S.slice(s, [0, 1], [2, 9]),
    "slice of nothing": lambda s: S.slice(s, [1, 3], [1, 2]),
    "retain": lambda s: S.retain(s, s.values > 1.5),
    "add": lambda s: S.add(s, OTHER),
    "add to itself": lambda s: S.add(s, s),
    "add dense": lambda s: S.add(s, tf.ones([2, 3], tf.float64)),
    "maximum": lambda s: S.maximum(s, OTHER),
    "minimum": lambda s: S.minimum(OTHER, s),
    "abs": lambda s: tf.abs(s),
    "cast": lambda s: tf.cast(s, tf.int32),
    "neg": lambda s: -s,
}


def parts(result):
    return [
        t.numpy() for t in ((result.indices, result.values, result.dense_shape) if is_sparse(result) else (result,))
    ]


def is_sparse(result):
    return isinstance(result, tf.SparseTensor)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_trace_gives_what_eager_calls_give(name):
    """They ran as plain Python, after a trace for each number of entries."""
    function, traces = FUNCTIONS[name], []

    @tf.function
    def traced(s):
        traces.append(tf.executing_eagerly())
        return function(s)

    for matrix in MATRICES:
        s = S.from_dense(matrix)
        for got, want in zip(parts(traced(s)), parts(function(s)), strict=True):
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_array_equal(got, want)
    assert traces == [False]


def test_gradients_reach_the_values():
    weights = tf.Variable([[2.0, 3.0, 5.0], [7.0, 11.0, 13.0]], dtype=tf.float64)

    @tf.function
    def loss(indices, values):
        s = tf.SparseTensor(indices, values, [2, 3])
        moved = S.transpose(S.concat(0, [S.add(s, s), S.slice(s, [0, 0], [1, 3])]))
        return tf.reduce_sum(S.to_dense(moved) * tf.transpose(tf.concat([weights, weights[:1]], 0)))

    for matrix in MATRICES[:3]:
        s = S.from_dense(matrix)
        with tf.GradientTape() as tape:
            tape.watch(s.values)
            y = loss(s.indices, s.values)
        w = weights.numpy()
        total = 2 * w
        total[0] += w[0]
        assert float(y) == pytest.approx(float((total * matrix).sum()))
        np.testing.assert_allclose(tape.gradient(y, s.values).numpy(), total[matrix != 0])


def test_what_does_not_fit_is_refused_while_tracing():
    spec = tf.SparseTensorSpec([2, 3], tf.float64)
    for wrong, text in [
        (lambda s: S.reshape(s, [4, 2]), "Cannot reshape"),
        (lambda s: S.concat(0, [s, S.eye(2, dtype=tf.float64)]), "must agree in the other axes"),
        (lambda s: S.maximum(s, S.eye(2, dtype=tf.float64)), "must have the same shape"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.function(wrong).get_concrete_function(spec)
