"""`tf.sparse.cross`, `cross_hashed` and `bincount`. The numbers are TensorFlow's."""

import pytest

import tapeflow as tf

NUMBERS = tf.constant([[1, 2], [3, 4]], tf.int64)
WORDS = tf.constant([["a", "b", "c"], ["d", "e", "f"]])
SPARSE = tf.sparse.from_dense(tf.constant([["x", ""], ["y", "z"]]))


@pytest.mark.parametrize(
    "arguments, values, shape",
    [
        (([NUMBERS, WORDS], 7), [1, 1, 0, 2, 3, 1, 0, 0, 4, 0, 0, 1], [2, 6]),
        (([WORDS], 5), [0, 3, 1, 1, 1, 3], [2, 3]),
        (([SPARSE, NUMBERS], 13), [12, 9, 8, 4, 10, 3], [2, 4]),
        (
            ([NUMBERS, WORDS, NUMBERS], 11, 99),
            [8, 7, 0, 5, 8, 4, 2, 0, 2, 10, 6, 6, 4, 1, 0, 4, 2, 6, 2, 8, 3, 10, 2, 9],
            [2, 12],
        ),
        (
            ([SPARSE, SPARSE],),
            [7363294272350108128, 3205006308105557182, 6098642639711685831, 1286366253827797948, 8894946999411398661],
            [2, 4],
        ),
    ],
)
def test_values(arguments, values, shape):
    found = tf.sparse.cross_hashed(*arguments)
    assert found.dense_shape.numpy().tolist() == shape and found.dtype == tf.int64
    assert found.values.numpy().tolist() == values


def test_rows_may_have_fewer_combinations():
    assert tf.sparse.cross_hashed([SPARSE, NUMBERS]).indices.numpy().tolist() == [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
        [1, 2],
        [1, 3],
    ]


@pytest.mark.parametrize("inputs, message", [
    ([tf.constant([1, 2])], r"should be a matrix .* got the shape \(2,\)"),
    ([tf.constant([[1, 2]]), tf.constant([[1], [2]])], r"same number of rows, got \[1, 2\]"),
])  # fmt: skip
def test_what_cannot_be_crossed(inputs, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.cross_hashed(inputs)


def test_texts():
    found = tf.sparse.cross([tf.sparse.from_dense([["a", ""], ["c", "d"]]), tf.constant([["x"], ["y"]])])
    assert found.values.numpy().tolist() == [b"a_X_x", b"c_X_y", b"d_X_y"]
    assert found.indices.numpy().tolist() == [[0, 0], [1, 0], [1, 1]] and found.shape == [2, 2]
    found = tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([[1, 2]])], separator="_")
    assert found.values.numpy().tolist() == [b"a_1", b"a_2", b"b_1", b"b_2"]


DENSE = tf.constant([[1, 1, 2], [5, 1, 0]])


@pytest.mark.parametrize(
    ("values", "options", "indices", "counts", "shape"),
    [
        (DENSE, {}, [[0], [1], [2], [5]], [1, 3, 1, 1], [6]),
        (DENSE, {"axis": -1, "minlength": 8}, [[0, 1], [0, 2], [1, 0], [1, 1], [1, 5]], [2, 1, 1, 1, 1], [2, 8]),
        (DENSE, {"axis": -1, "maxlength": 2}, [[0, 1], [1, 0], [1, 1]], [2, 1, 1], [2, 2]),
        (DENSE, {"binary_output": True}, [[0], [1], [2], [5]], [1, 1, 1, 1], [6]),
        (tf.sparse.from_dense([[1, 1, 2], [5, 0, 0]]), {"axis": -1}, [[0, 1], [0, 2], [1, 5]], [2, 1, 1], [2, 6]),
        (tf.ragged.constant([[1, 1], [], [3]]), {"axis": -1}, [[0, 1], [2, 3]], [2, 1], [3, 4]),
        (DENSE, {"weights": tf.constant([[0.5, 1, 2], [1, 1, 1]])}, [[0], [1], [2], [5]], [1, 2.5, 2, 1], [6]),
        (tf.constant([], tf.int32), {}, [], [], [1]),
    ],
)
def test_counts(values, options, indices, counts, shape):
    found = tf.sparse.bincount(values, **options)
    assert found.indices.numpy().tolist() == indices and found.values.numpy().tolist() == counts
    assert found.dense_shape.numpy().tolist() == shape
    assert found.dtype is (tf.float32 if "weights" in options else tf.int32)


def test_what_cannot_be_counted():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input values must all be non-negative"):
        tf.sparse.bincount([[-1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Weights and data must have the same shape"):
        tf.sparse.bincount(DENSE, weights=tf.constant([1.0]))
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.sparse.bincount(DENSE, weights=DENSE, binary_output=True)
    with pytest.raises(ValueError, match="Unsupported value for argument axis=1"):
        tf.sparse.bincount(DENSE, axis=1)


def test_of_other_numbers_the_whole_part_counts():
    """They were refused; TensorFlow casts them. Ragged tensors are refused there, too."""
    values = tf.sparse.cross([tf.constant([[1.7, -2.9]])]).values
    assert values.numpy().tolist() == [b"1", b"-2"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="integers or strings, got float32"):
        tf.ragged.cross([tf.constant([[1.7, -2.9]])])
