"""`tf.sparse.cross_hashed`. The numbers are TensorFlow's."""

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
    ([tf.constant([[1.0]])], "integers or strings, got float32"),
    ([tf.constant([[1, 2]]), tf.constant([[1], [2]])], r"same number of rows, got \[1, 2\]"),
])  # fmt: skip
def test_what_cannot_be_crossed(inputs, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.cross_hashed(inputs)
