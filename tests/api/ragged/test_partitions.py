"""Ragged and sparse tensors in functions: graphs, traced once for all rows, with the results of TensorFlow."""

import numpy as np
import pytest

import tapeflow as tf

R = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
DEEP = tf.ragged.constant([[[1.0], [2.0, 3.0]], [], [[4.0]]])
S = tf.sparse.from_dense([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])


def graph_of(function, **options):
    """A function that fails if it is no graph."""
    made = tf.function(function, **options)

    def run(*args):
        found = made(*args)
        assert not made.get_concrete_function(*args).as_python
        return found

    run.function = made
    return run


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, tf.SparseTensor):
        return tf.sparse.to_dense(value).numpy().tolist()
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


# The results are TensorFlow's, of the same functions.
RAGGED = {
    "times": (lambda r: r * 2.0, R, [[2.0, 4.0], [], [6.0]]),
    "exp": (lambda r: tf.exp(r * 0.0), R, [[1.0, 1.0], [], [1.0]]),
    "plus itself": (lambda r: r + r, R, [[2.0, 4.0], [], [6.0]]),
    "plus a column": (lambda r: r + tf.constant([[1.0], [2.0], [3.0]]), R, [[2.0, 3.0], [], [6.0]]),
    "sum": (lambda r: tf.reduce_sum(r), R, 6.0),
    "sums of rows": (lambda r: tf.reduce_sum(r, axis=1), R, [3.0, 0.0, 3.0]),
    "sums of columns": (lambda r: tf.reduce_sum(r, axis=0), R, [4.0, 2.0]),
    "largest": (lambda r: tf.reduce_max(r[::2], axis=1), R, [2.0, 3.0]),
    "means": (lambda r: tf.reduce_mean(r[::2], axis=1), R, [1.5, 3.0]),
    "sums of inner rows": (lambda r: tf.reduce_sum(r, axis=2), DEEP, [[1.0, 5.0], [], [4.0]]),
    "sums across rows": (lambda r: tf.reduce_sum(r, axis=1), DEEP, [[3.0, 3.0], [], [4.0]]),
    "to_tensor": (lambda r: r.to_tensor(), R, [[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]),
    "to_tensor, filled": (lambda r: r.to_tensor(-1.0), R, [[1.0, 2.0], [-1.0, -1.0], [3.0, -1.0]]),
    "to_tensor, cut": (lambda r: r.to_tensor(shape=[None, 1]), R, [[1.0], [0.0], [3.0]]),
    "deep to_tensor": (
        lambda r: r.to_tensor(), DEEP,
        [[[1.0, 0.0], [2.0, 3.0]], [[0.0, 0.0], [0.0, 0.0]], [[4.0, 0.0], [0.0, 0.0]]],
    ),
    "row_lengths": (lambda r: r.row_lengths(), R, [2, 0, 1]),
    "row_splits": (lambda r: r.row_splits, R, [0, 2, 2, 3]),
    "value_rowids": (lambda r: r.value_rowids(), R, [0, 0, 2]),
    "row_starts": (lambda r: r.row_starts(), R, [0, 2, 2]),
    "nrows": (lambda r: r.nrows(), R, 3),
    "bounding_shape": (lambda r: r.bounding_shape(), R, [3, 2]),
    "a row": (lambda r: r[0], R, [1.0, 2.0]),
    "the last row": (lambda r: r[-1], R, [3.0]),
    "a row of rows": (lambda r: r[0], DEEP, [[1.0], [2.0, 3.0]]),
    "some rows": (lambda r: r[1:], R, [[], [3.0]]),
    "beginnings of rows": (lambda r: r[:, :1], R, [[1.0], [], [3.0]]),
    "ends of rows": (lambda r: r[:, -1:], R, [[2.0], [], [3.0]]),
    "gathered": (lambda r: tf.gather(r, [2, 0]), R, [[3.0], [1.0, 2.0]]),
    "end to end": (lambda r: tf.concat([r, r], axis=0), R, [[1.0, 2.0], [], [3.0], [1.0, 2.0], [], [3.0]]),
    "side by side": (lambda r: tf.concat([r, r], axis=1), R, [[1.0, 2.0, 1.0, 2.0], [], [3.0, 3.0]]),
    "merged": (lambda r: r.merge_dims(0, 1), R, [1.0, 2.0, 3.0]),
    "deep, merged": (lambda r: r.merge_dims(1, 2), DEEP, [[1.0, 2.0, 3.0], [], [4.0]]),
    "looked up": (lambda r: tf.gather([5.0, 6.0, 7.0, 8.0], tf.cast(r, tf.int32)), R, [[6.0, 7.0], [], [8.0]]),
    "expanded": (lambda r: tf.expand_dims(r, 0), R, [[[1.0, 2.0], [], [3.0]]]),
    "a map": (lambda r: tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.float32), R, [3.0, 0.0, 3.0]),
    "flat values": (lambda r: tf.ragged.map_flat_values(tf.square, r), R, [[1.0, 4.0], [], [9.0]]),
    "from lengths": (lambda n: tf.RaggedTensor.from_row_lengths([1, 2, 3], n), tf.constant([1, 2]), [[1], [2, 3]]),
    "from splits": (lambda n: tf.RaggedTensor.from_row_splits([1, 2, 3], n), tf.constant([0, 0, 3]), [[], [1, 2, 3]]),
    "from ids": (lambda n: tf.RaggedTensor.from_value_rowids([1, 2, 3], n), tf.constant([0, 0, 2]), [[1, 2], [], [3]]),
    "from starts": (lambda n: tf.RaggedTensor.from_row_starts([1, 2, 3], n), tf.constant([0, 1]), [[1], [2, 3]]),
    "from limits": (lambda n: tf.RaggedTensor.from_row_limits([1, 2, 3], n), tf.constant([1, 3]), [[1], [2, 3]]),
    "from a tensor": (
        lambda n: tf.RaggedTensor.from_tensor([[1, 2], [3, 4]], lengths=n), tf.constant([1, 2]), [[1], [3, 4]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RAGGED)
def test_ragged(name):
    function, x, want = RAGGED[name]
    assert plain(graph_of(function)(x)) == want == plain(function(x))


SPARSE = {
    "times": (lambda s: s * 2.0, S, [[0.0, 2.0, 4.0], [6.0, 0.0, 0.0]]),
    "times dense": (lambda s: s * tf.constant([[1.0], [3.0]]), S, [[0.0, 1.0, 2.0], [9.0, 0.0, 0.0]]),
    "to_dense": (tf.sparse.to_dense, S, [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]),
    "from_dense": (tf.sparse.from_dense, tf.constant([[1.0, 0.0]]), [[1.0, 0.0]]),
    "sum": (tf.sparse.reduce_sum, S, 6.0),
    "sums of rows": (lambda s: tf.sparse.reduce_sum(s, axis=1), S, [3.0, 3.0]),
    "largest": (lambda s: tf.sparse.reduce_max(s, axis=0), S, [3.0, 1.0, 2.0]),
    "product": (lambda s: tf.sparse.sparse_dense_matmul(s, tf.ones([3, 1])), S, [[3.0], [3.0]]),
    "mapped": (lambda s: tf.sparse.map_values(tf.square, s), S, [[0.0, 1.0, 4.0], [9.0, 0.0, 0.0]]),
    "values": (lambda s: s.values, S, [1.0, 2.0, 3.0]),
    "shape": (lambda s: s.dense_shape, S, [2, 3]),
}


@pytest.mark.parametrize("name", SPARSE)
def test_sparse(name):
    function, x, want = SPARSE[name]
    assert plain(graph_of(function)(x)) == want == plain(function(x))


def test_one_trace_for_all_rows():
    double = graph_of(lambda r: r * 2)
    for k in range(1, 5):
        assert plain(double(tf.ragged.constant([[1] * k, [2]]))) == [[2] * k, [4]]
    assert double.function.experimental_get_tracing_count() == 1
    total = graph_of(lambda s: tf.sparse.reduce_sum(s))
    for row in ([1.0, 0.0], [1.0, 2.0], [0.0, 0.0]):
        assert float(total(tf.sparse.from_dense([row]))) == sum(row)
    assert total.function.experimental_get_tracing_count() == 1


def test_a_signature_leaves_the_number_of_rows_open():
    signature = [tf.RaggedTensorSpec([None, None], tf.float32)]
    sums = graph_of(lambda r: (tf.reduce_sum(r, axis=1), r.to_tensor()), input_signature=signature)
    for rows in ([[1.0, 2.0], [3.0]], [[4.0]], [[], [], [1.0]]):
        r = tf.ragged.constant(rows, ragged_rank=1)
        assert plain(sums(r)) == [plain(tf.reduce_sum(r, axis=1)), plain(r.to_tensor())]
    assert sums.function.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError):
        sums(tf.constant([[1.0]]))


def test_shapes_while_tracing():
    shapes = []
    tf.function(lambda r, s: shapes.extend([r.shape, r.flat_values.shape, r.row_splits.shape, s.shape]))(R, S)
    assert [str(shape) for shape in shapes] == ["(3, None)", "(None,)", "(4,)", "(2, 3)"]


def test_gradients_outside_and_inside():
    squares = graph_of(lambda r: tf.reduce_sum(r * r, axis=1))
    with tf.GradientTape() as tape:
        tape.watch(R)
        y = squares(R)
    assert plain(tape.gradient(y, R)) == [[2.0, 4.0], [], [6.0]]

    @tf.function
    def slope(r):
        with tf.GradientTape() as tape:
            tape.watch(r)
            y = tf.reduce_sum(r.to_tensor() ** 2)
        return tape.gradient(y, r)

    assert plain(slope(R)) == [[2.0, 4.0], [], [6.0]]
    product = graph_of(lambda s: tf.reduce_sum(tf.sparse.sparse_dense_matmul(s, tf.ones([3, 2])) ** 2))
    with tf.GradientTape() as tape:
        tape.watch(S)
        y = product(S)
    assert tape.gradient(y, S).values.numpy().tolist() == [12.0, 12.0, 12.0]


def test_branches_and_loops():
    @tf.function
    def function(r, n):
        for _ in tf.range(n):
            r = tf.concat([r, r], axis=1)
        if n > 1:
            r = r + 1.0
        else:
            r = r[:, :1]
        return r

    assert plain(function(R, tf.constant(1))) == [[1.0], [], [3.0]]
    assert plain(function(R, tf.constant(2))) == [[2.0, 3.0] * 4, [], [4.0] * 4]
    assert not function.get_concrete_function(R, tf.constant(2)).as_python


def test_custom_gradient():
    @tf.custom_gradient
    def doubled(r):
        return r * 2.0, lambda g: g * 3.0

    with tf.GradientTape() as tape:
        tape.watch(R)
        y = graph_of(doubled)(R)
    assert plain(y) == [[2.0, 4.0], [], [6.0]] and plain(tape.gradient(y, R)) == [[3.0, 3.0], [], [3.0]]


def test_rows_that_do_not_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same lengths"):
        graph_of(lambda a, b: a + b)(R, tf.ragged.constant([[1.0], [], [3.0, 4.0]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="row_splits end 2, but there are 3 values"):
        graph_of(lambda n: tf.RaggedTensor.from_row_splits([1, 2, 3], n))(tf.constant([0, 1, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        graph_of(tf.sparse.to_dense)(tf.SparseTensor([[2]], [1.0], [2]))


def test_saved_and_loaded(tmp_path):
    module = tf.Module()
    module.ragged = tf.function(
        lambda r: (r * 2.0, tf.reduce_sum(r, axis=1)), input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)]
    )
    module.sparse = tf.function(
        lambda s: tf.sparse.reduce_sum(s, axis=1), input_signature=[tf.SparseTensorSpec([None, None], tf.float32)]
    )
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for rows in ([[1.0, 2.0], [3.0]], [[1.0], [3.0], [4.0, 5.0]]):
        double, sums = loaded.ragged(tf.ragged.constant(rows))
        assert plain(double) == [[2 * v for v in row] for row in rows]
        np.testing.assert_array_equal(sums, [sum(row) for row in rows])
    assert loaded.sparse(tf.sparse.from_dense([[1.0, 2.0], [0.0, 3.0]])).numpy().tolist() == [3.0, 3.0]
    assert loaded.sparse(tf.sparse.from_dense([[1.0], [4.0], [0.0]])).numpy().tolist() == [1.0, 4.0, 0.0]


def test_compiled():
    """XLA is given the sizes: a program for each."""
    double = tf.function(lambda r: tf.reduce_sum(r * 2.0, axis=1), jit_compile=True)
    assert plain(double(R)) == [6.0, 0.0, 6.0] and plain(double(R[:1])) == [6.0]
