"""Parts of tensors at positions that may be computed."""

import numpy as np
import pytest
from keras import ops

import tapeflow as tf

X = np.arange(12.0, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_slices(wrap):
    for starts in ([1, 2], np.array([1, 2])):
        np.testing.assert_array_equal(ops.slice(X, starts, [2, 1]), X[1:3, 2:3])
    cut = wrap(lambda at: ops.slice(X, [at, 1], [2, 3]))
    np.testing.assert_array_equal(cut(tf.constant(1)), X[1:3, 1:])
    changed = wrap(lambda at: ops.slice_update(X, [at, 0], np.full((1, 2), -1.0)))(tf.constant(2))
    expected = X.copy()
    expected[2, :2] = -1
    np.testing.assert_array_equal(changed, expected)
    with pytest.raises(ValueError, match="must match length of `shape`"):
        ops.slice(X, [0], [1, 1])


@pytest.mark.parametrize(
    ("reduction", "combine"),
    [(None, lambda a, b: b), ("add", np.add), ("max", np.maximum), ("min", np.minimum), ("mul", np.multiply)],
)
def test_updates_one_by_one(reduction, combine):
    places, updates = [[0, 1], [2, 3], [1, 0]], np.float32([-5, 3, 40])
    if reduction:  # the same place twice
        places, updates = [*places, [2, 3]], np.float32([-5, 3, 40, 2])
    expected = X.copy()
    for place, update in zip(places, updates):
        expected[tuple(place)] = combine(expected[tuple(place)], update)
    np.testing.assert_array_equal(ops.scatter_update(X, places, updates, reduction=reduction), expected)


def test_products_of_rows():
    found = ops.scatter_update(X, [[1], [1]], np.full((2, 4), 3.0), reduction="mul")
    np.testing.assert_array_equal(found, X * np.float32([[1], [9], [1]]))


def test_scattered_and_apart():
    assert ops.scatter([[1], [3]], [5.0, 7.0], [4]).numpy().tolist() == [0, 5, 0, 7]
    assert [part.numpy().tolist() for part in ops.unstack(X, axis=1)] == X.T.tolist()
