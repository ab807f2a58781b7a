import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

Invalid = tf.errors.InvalidArgumentError


def test_space_to_batch_takes_every_second():
    x = np.arange(16).reshape(1, 4, 4, 1)
    got = tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]).numpy()
    for k, (i, j) in enumerate(np.ndindex(2, 2)):
        np.testing.assert_array_equal(got[k], x[0, i::2, j::2])
    assert tf.space_to_batch_nd(np.zeros((2, 4, 6)), [2, 3], [[0, 0], [0, 0]]).shape == (12, 2, 2)


def test_batch_to_space_undoes_it():
    x = np.random.default_rng(0).normal(size=(2, 5, 7, 3))
    paddings, crops = tf.required_space_to_batch_paddings([5, 7], [2, 3], [[1, 0], [0, 1]])
    assert paddings.numpy().tolist() == [[1, 0], [0, 2]] and crops.numpy().tolist() == [[0, 0], [0, 1]]
    there = tf.space_to_batch(x, [2, 3], paddings)
    np.testing.assert_array_equal(tf.batch_to_space(there, [2, 3], paddings), x)
    assert gradient(lambda t: tf.space_to_batch(t, [2, 3], paddings), x).tolist() == np.ones_like(x).tolist()


def test_blocks_that_do_not_fit():
    x = tf.zeros([1, 3, 1])
    with pytest.raises(Invalid, match="multiple"):
        tf.space_to_batch(x, [2], [[0, 0]])
    with pytest.raises(Invalid):
        tf.space_to_batch(x, [2], [[0, -1]])
    with pytest.raises(Invalid):
        tf.space_to_batch(x, [2, 2, 2], [[0, 0]] * 3)
    with pytest.raises(Invalid, match="multiple"):
        tf.batch_to_space(tf.zeros([3, 2, 1]), [2], [[0, 0]])
    with pytest.raises(Invalid, match="crops"):
        tf.batch_to_space(tf.zeros([2, 1, 1]), [2], [[2, 1]])


@pytest.mark.parametrize(
    "padding,strides,count",
    [("VALID", (1, 1, 1), (2, 2, 3)), ("VALID", (2, 1, 2), (1, 2, 2)), ("SAME", (2, 1, 2), (2, 3, 2))],
)
def test_volume_patches(padding, strides, count):
    x = np.arange(3 * 3 * 4 * 2.0).reshape(1, 3, 3, 4, 2)
    got = tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, *strides, 1], padding).numpy()
    assert got.shape == (1, *count, 16)
    if padding == "SAME":  # what is missing is added after, unless there are two
        missing = [max((c - 1) * s + 2 - d, 0) for c, s, d in zip(count, strides, (3, 3, 4))]
        x = np.pad(x, [(0, 0), *[(m // 2, m - m // 2) for m in missing], (0, 0)])
    for place in np.ndindex(count):
        start = [p * s for p, s in zip(place, strides)]
        window = tuple(slice(a, a + 2) for a in start)
        np.testing.assert_array_equal(got[(0, *place)], x[(0, *window)].ravel())


def test_volume_patches_of_what_is_no_volume():
    with pytest.raises(Invalid, match="rank 5"):
        tf.extract_volume_patches(tf.zeros([3, 3]), [1] * 5, [1] * 5, "SAME")
    with pytest.raises(Invalid, match="FULL"):
        tf.extract_volume_patches(tf.zeros([1] * 5), [1] * 5, [1] * 5, "FULL")
