"""Sparse tensors: values, order, errors and gradients. Expected values are TensorFlow's, or computed densely."""

import pickle

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

P = tf.sparse
a = P.from_dense([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
b = P.from_dense([[0.0, 5.0, -2.0], [0.0, 0.0, 4.0]])
A, B = np.array([[1.0, 0, 2], [0, 0, 3]]), np.array([[0.0, 5, -2], [0, 0, 4]])


def dense(s):
    return np.asarray(P.to_dense(s)).tolist()


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_parts():
    assert a.shape == [2, 3] and a.dtype is tf.float32 and a.ndim == 2
    assert a.indices.dtype is tf.int64 and np.asarray(a.indices).tolist() == [[0, 0], [0, 2], [1, 2]]
    assert dense(pickle.loads(pickle.dumps(a))) == A.tolist()
    with pytest.raises(ValueError, match=r"\(n, r\)"):
        tf.SparseTensor([[0, 0]], [1.0, 2.0], [2, 2])


def test_to_dense_wants_order():
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
        P.to_dense(tf.SparseTensor([[1, 0], [0, 1]], [1.0, 2.0], [2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="repeated"):
        P.to_dense(tf.SparseTensor([[0, 0], [0, 0]], [1.0, 2.0], [2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        P.to_dense(tf.SparseTensor([[0, 5]], [1.0], [2, 2]))
    unordered = tf.SparseTensor([[1, 0], [0, 1]], [1.0, 2.0], [2, 2])
    assert (
        dense(P.reorder(unordered))
        == np.asarray(P.to_dense(unordered, validate_indices=False)).tolist()
        == [[0, 2], [1, 0]]
    )
    assert np.asarray(P.to_dense(tf.SparseTensor([[0]], ["a"], [2]))).tolist() == [b"a", b""]


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (lambda: P.add(a, b), A + B),
        (lambda: P.transpose(a), A.T),
        (lambda: P.concat(0, [a, b]), np.concatenate([A, B])),
        (lambda: P.concat(-1, [a, b]), np.concatenate([A, B], 1)),
        (lambda: P.slice(a, [0, 1], [2, 5]), A[:, 1:]),
        (lambda: P.reshape(a, [3, -1]), A.reshape(3, 2)),
        (lambda: P.expand_dims(a, 1), A[:, None]),
        (lambda: P.retain(a, [True, False, True]), [[1, 0, 0], [0, 0, 3]]),
        (lambda: P.reset_shape(a, [3, 3]), [*A.tolist(), [0, 0, 0]]),
        (lambda: P.eye(2, 3), np.eye(2, 3)),
        (lambda: P.maximum(a, b), np.maximum(A, B)),
        (lambda: P.minimum(a, b), np.minimum(A, B)),
        (lambda: P.reduce_sum(a, axis=0, output_is_sparse=True), [1, 0, 5]),
        (lambda: P.map_values(tf.multiply, a, 2.0), 2 * A),
        (lambda: a * 2.0, 2 * A),
        (lambda: 2.0 * a, 2 * A),
        (lambda: a * tf.constant([[1.0], [10.0]]), A * [[1], [10]]),
        (lambda: a / 2.0, A / 2),
        (lambda: tf.square(-a), A**2),
        (
            lambda: P.concat(1, [a, P.eye(3)], expand_nonconcat_dims=True),
            [[1, 0, 2, 1, 0, 0], [0, 0, 3, 0, 1, 0], [0, 0, 0, 0, 0, 1]],
        ),
    ],
)
def test_sparse_results(got, want):
    assert dense(got()) == np.asarray(want).tolist()


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (lambda: P.add(a, tf.ones([2, 3])), A + 1),
        (lambda: P.reduce_sum(a), A.sum()),
        (lambda: P.reduce_sum(a, axis=-1, keepdims=True), A.sum(-1, keepdims=True)),
        (lambda: P.reduce_max(a, axis=0), [1, 0, 3]),
        (lambda: P.sparse_dense_matmul(a, tf.ones([3, 2])), A @ np.ones([3, 2])),
        (lambda: P.sparse_dense_matmul(a, tf.ones([2, 2]), adjoint_a=True), A.T @ np.ones([2, 2])),
        (lambda: P.sparse_dense_matmul(a, [[1.0, 2.0, 3.0]], adjoint_b=True), A @ [[1], [2], [3]]),
        (lambda: P.sparse_dense_matmul(tf.constant([[1.0, 2.0]]), a), [[1, 2]] @ A),
        (lambda: P.sparse_dense_matmul(tf.constant([[1.0, 2.0, 3.0]]), a, adjoint_b=True), [[1, 2, 3]] @ A.T),
        (lambda: P.to_dense(a, default_value=7.0), [[1, 7, 2], [7, 7, 3]]),
        (lambda: P.segment_sum([[1.0], [2.0], [3.0]], [0, 1], [0, 3]), [[1], [0], [0], [2]]),
        (lambda: P.segment_mean([[1.0], [2.0], [3.0]], [0, 1, 2], [0, 0, 1], num_segments=3), [[1.5], [3], [0]]),
        (lambda: P.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [1, 0], [2, 1]), 2), [[False, True], [True, False]]),
    ],
)
def test_dense_results(got, want):
    assert np.asarray(got()).tolist() == np.asarray(want).tolist()


@pytest.mark.parametrize("value", [-1, 2])
def test_an_indicator_has_no_place_for_a_value_beyond_the_vocabulary(value):
    """-1 used to mark the last place."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        P.to_indicator(tf.SparseTensor([[0, 0]], [value], [1, 1]), 2)


def test_complex_adjoints():
    s = P.from_dense(tf.constant([[1 + 1j, 0], [0, 2j]]))
    x = np.array([[1j], [1 + 0j]])
    want = np.conj([[1 + 1j, 0], [0, 2j]]).T @ x
    assert np.allclose(P.sparse_dense_matmul(s, x, adjoint_a=True), want)


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("adjoint", [False, True])
def test_a_stored_zero_times_infinity_is_not_a_number(jit, adjoint):
    """SciPy leaves stored zeros out of a product, and gave a number; TensorFlow and XLA do not."""

    def product(values, dense):
        sparse = tf.SparseTensor([[0, 0], [1, 1], [0, 1]], values, [2, 2])
        return tf.sparse.sparse_dense_matmul(sparse, dense, adjoint_a=adjoint)

    got = tf.function(product, jit_compile=jit)(tf.constant([0.0, 2.0, 1.0]), tf.constant([[np.inf], [3.0]]))
    np.testing.assert_array_equal(got.numpy(), [[np.nan], [np.inf]] if adjoint else [[np.nan], [6.0]])


def test_threshold_only_drops_sums():
    assert np.asarray(P.add(a, b, threshold=1.5).values).tolist() == [1.0, 5.0, 7.0]


def test_fill_empty_rows_and_softmax_and_split():
    filled, empty = P.fill_empty_rows(tf.SparseTensor([[1, 2], [3, 0]], [5.0, 6.0], [5, 4]), 9.0)
    assert np.asarray(filled.values).tolist() == [9.0, 5.0, 9.0, 6.0, 9.0]
    assert np.asarray(empty).tolist() == [True, False, True, False, True]
    assert np.allclose(P.softmax(a).values, [0.26894142, 0.7310586, 1.0])
    assert [dense(part) for part in P.split(a, 2, axis=1)] == [[[1, 0], [0, 0]], [[2], [3]]]


@pytest.mark.parametrize(
    ("f", "want"),
    [
        (lambda s: P.to_dense(s) ** 2, [2.0, 4.0, 6.0]),
        (lambda s: P.to_dense(P.add(s, b)) ** 2, [2.0, 0.0, 14.0]),
        (lambda s: P.reduce_sum(s, axis=1) ** 2, [6.0, 6.0, 6.0]),
        (lambda s: P.sparse_dense_matmul(s, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) ** 2, [78.0, 278.0, 366.0]),
        (lambda s: P.to_dense(P.concat(0, [s, b])) ** 2, [2.0, 4.0, 6.0]),
        (lambda s: P.to_dense(P.slice(s, [0, 1], [2, 2])) ** 2, [0.0, 4.0, 6.0]),
        (lambda s: P.to_dense(P.transpose(s)) ** 2, [2.0, 4.0, 6.0]),
        (lambda s: P.maximum(s, b).values ** 2, [2.0, 4.0, 0.0]),
        (lambda s: P.reduce_max(s, axis=1), [0.0, 1.0, 1.0]),
    ],
)
def test_gradients_go_through_the_values(f, want):
    assert np.allclose(gradient(f, a).values, want)
    assert np.allclose(gradient(lambda v: f(a.with_values(v)), a.values), want)


def test_gradient_of_the_dense_factor_and_of_segments():
    x = tf.ones([3, 1])
    assert np.asarray(gradient(lambda x: P.sparse_dense_matmul(a, x), x)).tolist() == [[1.0], [0.0], [5.0]]
    rows = tf.constant([[1.0], [2.0], [3.0]])
    assert np.asarray(gradient(lambda x: P.segment_mean(x, [0, 0, 2], [0, 0, 1]), rows)).tolist() == [
        [1.0],
        [0.0],
        [1.0],
    ]
    sparse = gradient(lambda x: P.segment_sum(x, [0, 0, 2], [0, 0, 1], sparse_gradient=True), rows)
    assert isinstance(sparse, tf.IndexedSlices) and sparse.numpy().tolist() == [[2.0], [0.0], [1.0]]


def test_second_order():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = gradient(
            lambda v: P.sparse_dense_matmul(a.with_values(v), P.to_dense(P.transpose(a.with_values(v)))), x
        )
    assert np.asarray(outer.gradient(first, x)).shape == (3,)


@pytest.mark.parametrize(
    "call",
    [
        lambda: P.concat(1, [a, P.eye(3)]),
        lambda: P.sparse_dense_matmul(a, tf.ones([2, 2])),
        lambda: P.segment_sum([[1.0], [2.0]], [0, 1], [1, 0]),
        lambda: P.segment_sum([[1.0], [2.0]], [0, 7], [0, 0]),
        lambda: P.reshape(a, [4, -1]),
    ],
)
def test_errors(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_what_does_not_take_sparse_says_so():
    with pytest.raises(ValueError, match="functions of tf"):
        tf.reduce_sum(a)
    with pytest.raises(TypeError, match="SparseTensor"):
        P.to_dense([1.0])


@pytest.mark.parametrize("f", [tf.exp, tf.cos, tf.sigmoid, tf.math.log])
def test_functions_that_move_zero_are_refused(f):
    # they used to act on the values alone, so that the zeros between them were silently wrong
    with pytest.raises(ValueError, match="leave 0 at 0"):
        f(tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]]))


@pytest.mark.parametrize(
    "f", [tf.sin, tf.square, tf.abs, tf.nn.relu, tf.negative, tf.identity, lambda s: 3.0 * s, lambda s: s / 2.0]
)
def test_functions_that_leave_zero_alone_agree_with_dense_ones(f):
    dense = np.array([[0.0, 2.0], [-3.0, 0.0]], np.float32)
    close(tf.sparse.to_dense(f(tf.sparse.from_dense(dense))), f(tf.constant(dense)))


def test_strings_pass_through():
    s = tf.identity(tf.SparseTensor([[1]], ["a"], [3]))
    assert s.values.numpy().tolist() == [b"a"]


@pytest.mark.parametrize("number", [0.0, 5.0])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize(
    "f, want",
    [
        (lambda x: P.to_dense(P.from_dense(x)), 1),
        (lambda x: P.to_dense(P.from_dense(x) * x), 5),
        (lambda x: P.to_dense(P.reshape(P.from_dense(x), [])), 1),
        (lambda x: P.reduce_sum(P.from_dense(x)), 1),
        (lambda x: P.reduce_max(P.from_dense(x)), 1),
        (lambda x: P.add(P.from_dense(x), x), 2),
        (lambda x: P.to_dense(P.expand_dims(P.from_dense(x)))[0], 1),
    ],
    ids=["dense", "mul", "reshape", "sum", "max", "add", "expand"],
)
def test_scalars_have_one_place_without_columns(wrap, f, want, number):
    for value in (number, 5.0 - number):
        assert float(wrap(f)(tf.constant(value))) == want * value
