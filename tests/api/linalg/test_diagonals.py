"""tf.linalg.diag, diag_part, set_diag, band_part and friends: every alignment, against loops."""

import itertools

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

ALIGNMENTS = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]
BANDS = [(-1, 1), (0, 2), (-2, -1), (-2, 3), (1, 1), (0, 0)]


def packed(matrix, low, high, align, padding):
    """The diagonals of one matrix by loops."""
    rows = []
    longest = max(len(np.diag(matrix, k)) for k in range(low, high + 1))
    for k in range(high, low - 1, -1):
        diagonal = list(np.diag(matrix, k))
        filler = [padding] * (longest - len(diagonal))
        side = align.split("_")[0 if k >= 0 else 1]
        rows.append(filler + diagonal if side == "RIGHT" else diagonal + filler)
    return np.array(rows if low != high else rows[0])


@pytest.mark.parametrize(
    ("band", "align", "shape"), list(itertools.product(BANDS, ALIGNMENTS, [(4, 4), (3, 5), (5, 4)]))
)
def test_diag_part_and_back(band, align, shape):
    x = 1.0 + np.arange(2 * np.prod(shape)).reshape(2, *shape)
    got = tf.linalg.diag_part(x, k=band, padding_value=-7, align=align).numpy()
    np.testing.assert_array_equal(got, [packed(m, *band, align, -7) for m in x])

    offset = np.arange(shape[1]) - np.arange(shape[0])[:, None]
    inside = (band[0] <= offset) & (offset <= band[1])
    cleared = tf.linalg.set_diag(x, tf.zeros_like(got), k=band, align=align).numpy()
    np.testing.assert_array_equal(cleared, np.where(inside, 0, x))
    np.testing.assert_array_equal(
        tf.linalg.set_diag(tf.zeros_like(x), got, k=band, align=align).numpy(), np.where(inside, x, 0)
    )
    rebuilt = tf.linalg.diag(got, k=band, num_rows=shape[0], num_cols=shape[1], padding_value=5, align=align).numpy()
    np.testing.assert_array_equal(rebuilt, np.where(inside, x, 5))


@pytest.mark.parametrize(
    ("kwargs", "shape"),
    [
        ({}, (2, 2)),
        ({"k": 1}, (3, 3)),
        ({"k": -2}, (4, 4)),
        ({"k": 5}, (7, 7)),
        ({"k": 1, "num_rows": 5}, (5, 3)),
        ({"num_cols": 4}, (2, 4)),
    ],
)
def test_diag_chooses_its_size(kwargs, shape):
    out = tf.linalg.diag([1.0, 2.0], **kwargs).numpy()
    assert out.shape == shape
    assert np.diag(out, kwargs.get("k", 0))[:2].tolist() == [1, 2] and out.sum() == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.linalg.diag(1.0),
        lambda: tf.linalg.diag([1.0, 2.0], num_rows=5, num_cols=1),
        lambda: tf.linalg.diag([1.0, 2.0], num_rows=5, num_cols=5),
        lambda: tf.linalg.diag([[1.0, 2.0]], k=(0, 1)),
        lambda: tf.linalg.diag_part(tf.ones([3, 4]), k=7),
        lambda: tf.linalg.diag_part(tf.ones([3, 4]), k=(1, -1)),
        lambda: tf.linalg.diag_part(tf.ones([3, 4]), align="X"),
        lambda: tf.linalg.diag_part(tf.ones([3])),
        lambda: tf.linalg.set_diag(tf.ones([3, 4]), tf.ones([2])),
        lambda: tf.linalg.band_part(tf.ones([2, 2]), 5, 0),
        lambda: tf.linalg.band_part(tf.ones([2]), 0, 0),
        lambda: tf.linalg.tensor_diag_part(tf.ones([2, 3])),
        lambda: tf.linalg.tensor_diag_part(tf.ones([2])),
    ],
)
def test_wrong_arguments(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_gradients():
    x = np.arange(12.0).reshape(3, 4)
    offset = np.arange(4) - np.arange(3)[:, None]
    near = (np.abs(offset) <= 1).astype(float)
    np.testing.assert_array_equal(gradient(lambda x: tf.linalg.diag_part(x, k=(-1, 1), padding_value=9), x), near)
    np.testing.assert_array_equal(gradient(lambda d: tf.linalg.diag(d, padding_value=3), [1.0, 2.0]), [1, 1])
    g_x, g_d = gradient(lambda x, d: tf.linalg.set_diag(x, d, k=(-1, 1)), x, np.ones((3, 3)))
    np.testing.assert_array_equal(g_x, 1 - near)
    np.testing.assert_array_equal(g_d, [[1, 1, 1], [1, 1, 1], [1, 1, 0]])  # nothing for the place that is only filler
    np.testing.assert_array_equal(gradient(tf.linalg.trace, np.ones((2, 3))), [[1, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize(("lower", "upper"), [(0, 0), (-1, 0), (0, -1), (1, 2), (-5, 1), (3, 4), (-1, -1)])
def test_band_part(lower, upper):
    x = np.arange(1, 25).reshape(2, 3, 4)
    offset = np.arange(4) - np.arange(3)[:, None]
    keep = ((lower < 0) | (-offset <= lower)) & ((upper < 0) | (offset <= upper))
    np.testing.assert_array_equal(tf.linalg.band_part(x, lower, tf.constant(upper)).numpy(), np.where(keep, x, 0))


def test_bands_of_bools_and_strings():
    assert tf.linalg.band_part([[True, True], [True, True]], 0, -1).numpy().tolist() == [[True, True], [False, True]]
    assert tf.linalg.diag_part([[True, False], [False, True]]).numpy().tolist() == [True, True]


def test_tensor_diag_and_back():
    x = np.arange(6.0).reshape(2, 3)
    spread = tf.linalg.tensor_diag(x)
    assert (
        spread.shape == (2, 3, 2, 3) and spread[1, 2, 1, 2].numpy() == 5 and tf.reduce_sum(spread).numpy() == x.sum()
    )
    np.testing.assert_array_equal(tf.linalg.tensor_diag_part(spread).numpy(), x)


def test_trace_of_a_batch():
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(tf.linalg.trace(x).numpy(), np.trace(x, axis1=1, axis2=2))
