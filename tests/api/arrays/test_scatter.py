import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

Invalid = tf.errors.InvalidArgumentError


def one_by_one(x, indices, updates, combine):
    out = np.array(x)
    for place in np.ndindex(np.shape(indices)[:-1]):
        index = tuple(np.asarray(indices)[place])
        out[index] = combine(out[index], np.asarray(updates)[place])
    return out


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    "name,combine",
    [
        ("add", np.add),
        ("sub", np.subtract),
        ("max", np.maximum),
        ("min", np.minimum),
        ("update", lambda old, new: new),
    ],
)
def test_against_a_loop(depth, name, combine):
    rng = np.random.default_rng(depth)
    x = rng.normal(size=(3, 2, 4))
    indices = rng.integers(0, 2, (4, 2, depth))  # with repetitions
    updates = rng.normal(size=(4, 2, *x.shape[depth:]))
    got = getattr(tf, f"tensor_scatter_nd_{name}")(x, indices, updates)
    np.testing.assert_allclose(got, one_by_one(x, indices, updates, combine))
    if name == "add":
        np.testing.assert_allclose(
            tf.scatter_nd(indices, updates, x.shape), one_by_one(np.zeros_like(x), indices, updates, combine)
        )


def test_scatter_nd_of_what_does_not_add():
    assert tf.scatter_nd([[1]], ["a"], [2]).numpy().tolist() == [b"", b"a"]
    assert tf.scatter_nd([[1], [1]], [True, False], [2]).numpy().tolist() == [False, True]
    assert tf.tensor_scatter_nd_update(["a", "b"], [[0]], ["z"]).numpy().tolist() == [b"z", b"b"]


def test_nothing_to_scatter():
    empty = tf.zeros([0, 1], tf.int32)
    assert tf.scatter_nd(empty, tf.zeros([0]), [2]).numpy().tolist() == [0, 0]
    assert tf.tensor_scatter_nd_max([1.0, 2.0], empty, tf.zeros([0])).numpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    "indices,updates,shape",
    [([[4]], [1], [4]), ([[-1]], [1], [4]), ([[0]], [1, 2], [2]), ([[0, 0]], [1], [2]), ([0], [1], [2]), (0, 1, [2])],
)
def test_scatter_that_does_not_fit(indices, updates, shape):
    with pytest.raises(Invalid):
        tf.scatter_nd(indices, updates, shape)


def test_bad_indices_can_be_ignored():
    assert tf.scatter_nd([[5], [0]], [1, 3], [2], bad_indices_policy="IGNORE").numpy().tolist() == [3, 0]
    assert tf.tensor_scatter_nd_max([1, 2], [[5], [0]], [9, 3], bad_indices_policy="IGNORE").numpy().tolist() == [3, 2]


def test_updates_take_the_dtype_of_the_tensor():
    assert tf.tensor_scatter_nd_update(tf.constant([1.0, 2.0]), [[0]], [9]).dtype is tf.float32
    with pytest.raises(Invalid):
        tf.tensor_scatter_nd_update(tf.constant([1.0, 2.0]), [[0]], tf.constant([9]))


def test_gradients():
    weights = tf.constant([1.0, 2.0])
    grads = lambda f, x, u: [g.tolist() for g in gradient(lambda x, u: f(x, [[0], [1], [1]], u) * weights, x, u)]
    assert grads(tf.tensor_scatter_nd_add, [1.0, 2.0], [0.0, 1.0, 2.0]) == [[1, 2], [1, 2, 2]]
    assert grads(tf.tensor_scatter_nd_sub, [1.0, 2.0], [0.0, 1.0, 2.0]) == [[1, 2], [-1, -2, -2]]
    assert grads(tf.tensor_scatter_nd_min, [1.0, 2.0], [0.0, 1.0, 2.0]) == [[0, 0], [1, 2, 0]]
    x, u = gradient(lambda x, u: tf.tensor_scatter_nd_update(x, [[1]], u) * weights, [1.0, 2.0], [5.0])
    assert x.tolist() == [1, 0] and u.tolist() == [2]


def test_equal_extremes_share_the_gradient():
    x, u = gradient(
        lambda x, u: tf.tensor_scatter_nd_max(x, [[0], [1], [1]], u) * [1.0, 3.0], [1.0, 2.0], [1.0, 2.0, 2.0]
    )
    np.testing.assert_allclose(x, [0.5, 1])
    np.testing.assert_allclose(u, [0.5, 1, 1])


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_strings_at_one_place_are_joined(wrap):
    """The last one was kept; the others were lost."""
    found = wrap(lambda: tf.scatter_nd([[3], [3], [1]], tf.constant(["a", "b", "c"]), [5]))()
    assert found.numpy().tolist() == [b"", b"c", b"", b"ab", b""]
    found = wrap(lambda: tf.scatter_nd([[0, 1], [0, 1]], tf.constant(["a", "b"]), [1, 2]))()
    assert found.numpy().tolist() == [[b"", b"ab"]]
    words = tf.constant(["x", "y"])
    assert tf.tensor_scatter_nd_add(words, [[0], [0]], ["a", "b"]).numpy().tolist() == [b"xab", b"y"]
