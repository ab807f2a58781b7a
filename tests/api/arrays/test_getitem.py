import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient
from tests.rounding import close

c = tf.constant
A = np.random.default_rng(0).normal(size=(3, 4, 5))
MASK = A[:, 0, 0] > 0

KEYS = {
    "int": np.s_[0], "negative": np.s_[-1], "slice": np.s_[1:], "stride": np.s_[::-2], "ellipsis": np.s_[..., 0],
    "newaxis": np.s_[:, None, 1], "nothing": np.s_[()], "ints": np.s_[1, 2, 3], "past the end": np.s_[1:99],
    "empty slice": np.s_[2:1], "list": np.s_[[0, 2]], "repeated": np.s_[[1, 1, 1]], "from the end": np.s_[[-1, 0]],
    "no rows": np.s_[[]], "2d list": np.s_[[[0, 1], [2, 0]]], "array": np.s_[np.array([0, 2], np.uint8)],
    "second axis": np.s_[:, [1, 3, 3]], "together": np.s_[[0, 1], [1, 2]], "apart": np.s_[[0, 1], :, [1, 2]],
    "int and array apart": np.s_[0, :, [1, 2]], "int and array": np.s_[:, 0, [1, 2]],
    "newaxis and array": np.s_[None, [0, 1]], "newaxis between": np.s_[[0, 1], None, [1, 2]],
    "all three": np.s_[1, [0, 1], [2, 3]], "slices and array": np.s_[::-1, [0, 1], 1:3],
    "ellipsis and arrays": np.s_[[-1, 0], ..., [0, 1]],
    "broadcast": np.s_[:, np.array([[0, 1]]), np.array([[1], [2]])], "mask": np.s_[MASK],
    "mask list": np.s_[[True, False, True]], "full mask": np.s_[A > 0], "mask of two axes": np.s_[A[:, :, 0] > 0],
    "mask of a later axis": np.s_[:, A[0, :, 0] > 0], "mask and array": np.s_[MASK, :, [0]],
    "mask, ellipsis": np.s_[MASK, ..., 1:2], "mask of two later axes": np.s_[0, A[0] > 0],
    "no mask is true": np.s_[A > 99], "tuple": np.s_[(0, 2), :], "tuples": np.s_[(0, 1), (1, 2), 1],
    "mask tuple": np.s_[(True, False, True), :],
}  # fmt: skip


def as_tensors(key):
    one = lambda k: c(k) if isinstance(k, np.ndarray) else k
    return tuple(map(one, key)) if isinstance(key, tuple) else one(key)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("convert", [lambda k: k, as_tensors])
def test_as_in_numpy_and_differentiable(name, convert):
    key = KEYS[name]
    x, v = c(A), tf.Variable(A)
    np.testing.assert_array_equal(x[convert(key)].numpy(), A[key])
    np.testing.assert_array_equal(v[convert(key)].numpy(), A[key])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[convert(key)] ** 2
    want = np.zeros_like(A)
    np.add.at(want, key, 2 * A[key])
    np.testing.assert_allclose(tape.gradient(y, x, unconnected_gradients="zero").numpy(), want)


def test_scalar_tensors_and_variables_as_indices_and_bounds():
    x, one = c([10.0, 20.0, 30.0]), tf.Variable(1)
    assert x[c(1)].numpy() == x[one].numpy() == x[np.int64(1)].numpy() == x[np.array(1)].numpy() == 20.0
    assert x[one : c(3)].numpy().tolist() == [20.0, 30.0]
    assert x[:: c(2)].numpy().tolist() == [10.0, 30.0]


@pytest.mark.parametrize("key", ["a", 1.0, c(1.0), np.s_[1.0:], np.s_[0, 1.5], [0.5], c([1.0]), {}])
def test_what_is_no_index(key):
    with pytest.raises(TypeError, match="valid indices"):
        c([1.0, 2.0])[key]


@pytest.mark.parametrize(
    "key", [5, -4, [0, 3], [-4], np.s_[0, 0], np.s_[..., ...], np.s_[::0], np.s_[[0], [0]], np.s_[..., [0], ...]]
)
def test_out_of_range(key):
    with pytest.raises(tf.errors.InvalidArgumentError):
        c([1.0, 2.0, 3.0])[key]


@pytest.mark.parametrize("key", [True, np.True_, c(True), [True, False], np.s_[[True] * 4], np.s_[..., [True]]])
def test_masks_that_do_not_fit(key):
    with pytest.raises(ValueError, match=r"mask|Mask|incompatible"):
        c([1.0, 2.0, 3.0])[key]


def test_scalars_have_no_parts():
    with pytest.raises(tf.errors.InvalidArgumentError):
        c(1.0)[0]
    with pytest.raises(TypeError, match="scalar"):
        iter(c(1.0))


def test_iteration():
    x = c([[1.0, 2.0], [3.0, 4.0]])
    assert [r.numpy().tolist() for r in x] == [r.numpy().tolist() for r in tf.Variable(x)] == [[1.0, 2.0], [3.0, 4.0]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b = x
        y = a * b
    assert tape.gradient(y, x).numpy().tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert list(tf.zeros([0, 2])) == []


def test_iteration_stops_early_without_making_every_row():
    rows = iter(tf.zeros([10**6, 1]))
    assert next(rows).shape == (1,)


def test_second_order_through_an_index_array():
    x = c([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x[[0, 0, 2]] ** 3
        g = inner.gradient(y, x)
    assert g.numpy().tolist() == [6.0, 0.0, 27.0]
    assert outer.gradient(g, x).numpy().tolist() == [12.0, 0.0, 18.0]


# ---- in vectorised functions


PICKS = [
    lambda r, i, j: r[i], lambda r, i, j: r[i, j], lambda r, i, j: r[:, j], lambda r, i, j: r[1:, j, None], lambda r,
    i, j: r[..., i], lambda r, i, j: r[i, 1:3], lambda r, i, j: r[[0, 1], j], lambda r, i, j: r[i, :, None], lambda r,
    i, j: c(A)[1, i, j] * r[0, 0],
]  # fmt: skip


@pytest.mark.parametrize("pick", PICKS)
def test_every_row_has_its_own_index(pick):
    x, i, j = c(A[:2]), c([2, -1]), c([[0, 3], [-4, 1]])
    one_by_one = lambda x: tf.stack([pick(x[k], i[k], j[k]) for k in range(2)])
    together = lambda x: tf.vmap(pick)(x, i, j)
    np.testing.assert_array_equal(together(x), one_by_one(x))
    close(
        gradient(lambda x: together(x) ** 2, x),
        gradient(lambda x: one_by_one(x) ** 2, x),
        terms=4,
        size=np.abs(A).max(),
    )


def test_an_index_out_of_bounds_in_one_row():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Index 3 is out of bounds for an axis of size 3"):
        tf.vmap(lambda r, i: r[i])(tf.ones([2, 3]), tf.constant([0, 3]))


def test_what_would_give_rows_of_different_sizes():
    x, i = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.constant([1, 2])
    with pytest.raises(TypeError, match="index or size"):
        tf.vmap(lambda r, i: r[:i])(x, i)
    with pytest.raises(TypeError, match="Some rows have 1 elements that are true and others up to 3"):
        tf.vmap(lambda r: r[r > 2])(x)
    assert tf.vectorized_map(lambda r: tf.reduce_sum(r[r > 2]), x).numpy().tolist() == [3, 15]
