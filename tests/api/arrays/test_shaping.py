import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

Invalid = tf.errors.InvalidArgumentError
GRID = tf.constant([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    "shape,expected",
    [
        ([-1], (6,)),
        ([3, -1], (3, 2)),
        (6, (6,)),
        (tf.constant([2, 3], tf.int64), (2, 3)),
        ([tf.constant(2), 3], (2, 3)),
        ([1, 6, -1], (1, 6, 1)),
    ],
)
def test_reshape(shape, expected):
    got = tf.reshape(tf.range(6), shape)
    assert got.shape == expected
    np.testing.assert_array_equal(got, np.arange(6).reshape(expected))


@pytest.mark.parametrize("shape", [[2, 2], [-1, 4], [-1, -1], [-2], [2.0]])
def test_reshape_that_does_not_fit(shape):
    with pytest.raises(Invalid):
        tf.reshape(tf.range(6), shape)


def test_reshape_of_nothing():
    assert tf.reshape(tf.zeros([0, 2]), [-1]).shape == (0,)
    assert tf.reshape(tf.zeros([0, 2]), [0, -1]).shape == (0, 2)


def test_transpose():
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(tf.transpose(x), x.T)
    np.testing.assert_array_equal(tf.transpose(x, [-1, 0, 1]), x.transpose(2, 0, 1))
    assert tf.transpose([[1 + 1j]], conjugate=True).numpy().tolist() == [[1 - 1j]]
    for perm in ([0, 0, 1], [0, 1], [0, 1, 3]):
        with pytest.raises(Invalid, match="perm"):
            tf.transpose(x, perm)


def test_expand_and_squeeze():
    x = tf.zeros([2, 3])
    assert [tf.expand_dims(x, a).shape for a in (0, 1, -1, tf.constant(-3))] == [
        (1, 2, 3),
        (2, 1, 3),
        (2, 3, 1),
        (1, 2, 3),
    ]
    with pytest.raises(Invalid):
        tf.expand_dims(x, 3)
    y = tf.zeros([1, 2, 1, 3])
    assert (
        tf.squeeze(y).shape == (2, 3)
        and tf.squeeze(y, -2).shape == (1, 2, 3)
        and tf.squeeze(y, [0, 2]).shape == (2, 3)
    )
    with pytest.raises(Invalid, match="expected a dimension of 1, got 2"):
        tf.squeeze(y, [1])


def test_tile_and_repeat_against_numpy():
    x = np.arange(6.0).reshape(2, 3)
    for times in ([2, 1], [1, 3], [0, 2], [2, 2]):
        np.testing.assert_array_equal(tf.tile(x, times), np.tile(x, times))
    for repeats, axis in ((2, None), (3, 1), ([1, 2], 0), ([0, 2, 1], -1), ([2], 0)):
        np.testing.assert_array_equal(tf.repeat(x, repeats, axis), np.repeat(x, repeats, axis))
    assert tf.tile(["a"], [2]).numpy().tolist() == [b"a", b"a"] and tf.tile(3, []).numpy() == 3
    for times in ([2], [-1, 1]):
        with pytest.raises(Invalid, match="multiples"):
            tf.tile(x, times)
    with pytest.raises(ValueError, match="3 numbers for 2"):
        tf.repeat(x, [1, 2, 3], axis=0)


def test_gradients_of_copies_add_up():
    weights = tf.reshape(tf.range(16.0), [4, 4])
    assert gradient(lambda x: tf.tile(x, [2, 2]) * weights, GRID).tolist() == [[20, 24], [36, 40]]
    assert gradient(lambda x: tf.repeat(x, [1, 0, 2]) * tf.constant([1.0, 2.0, 3.0]), [1.0, 2.0, 5.0]).tolist() == [
        1,
        0,
        5,
    ]
    assert gradient(lambda x: tf.broadcast_to(x, [3, 2]), [1.0, 2.0]).tolist() == [3, 3]


@pytest.mark.parametrize(
    "mode,numpy_mode", [("CONSTANT", "constant"), ("REFLECT", "reflect"), ("SYMMETRIC", "symmetric")]
)
@pytest.mark.parametrize("paddings", [[[0, 0], [0, 0]], [[1, 0], [2, 1]], [[0, 1], [0, 2]], [[1, 1], [2, 2]]])
def test_pad_against_numpy(mode, numpy_mode, paddings):
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(tf.pad(x, paddings, mode.lower()), np.pad(x, paddings, numpy_mode))


def test_pad_with_other_things_than_zero():
    np.testing.assert_array_equal(tf.pad([1.5], [[1, 2]], constant_values=9), [9, 1.5, 9, 9])
    assert tf.pad(["a"], [[1, 0]]).numpy().tolist() == [b"", b"a"]
    assert tf.pad([True], [[1, 1]], constant_values=True).numpy().tolist() == [True] * 3
    np.testing.assert_array_equal(tf.pad(np.zeros(0), [[0, 2]]), [0, 0])
    x, value = gradient(
        lambda x, v: tf.pad(x, [[1, 2]], constant_values=v) * tf.constant([1.0, 2.0, 3.0, 4.0]), [1.0], 5.0
    )
    assert x.tolist() == [2] and value == 8


@pytest.mark.parametrize(
    "paddings,mode",
    [
        ([[2, 0]], "REFLECT"),
        ([[0, 3]], "SYMMETRIC"),
        ([1, 1], "CONSTANT"),
        ([[1, -1]], "CONSTANT"),
        ([[1, 1], [0, 0]], "CONSTANT"),
    ],
)
def test_pad_that_cannot_be(paddings, mode):
    with pytest.raises(Invalid):
        tf.pad([1, 2], paddings, mode)


def test_pad_mode_that_does_not_exist():
    with pytest.raises(ValueError, match="EDGE"):
        tf.pad([1, 2], [[1, 1]], "EDGE")


def test_gradient_of_a_mirror():
    weights = tf.reshape(tf.range(16.0), [4, 4])
    assert gradient(lambda x: tf.pad(x, [[1, 1], [2, 0]], "SYMMETRIC") * weights, GRID).tolist() == [
        [14, 14],
        [46, 46],
    ]
    assert gradient(lambda x: tf.pad(x, [[1, 1]], "REFLECT"), [1.0, 2.0, 3.0]).tolist() == [1, 3, 1]


def test_reverse_and_roll():
    x = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(tf.reverse(x, [-1]), x[:, ::-1])
    np.testing.assert_array_equal(tf.reverse(x, []), x)
    for axis in ([0, 0], [2]):
        with pytest.raises(Invalid):
            tf.reverse(x, axis)
    np.testing.assert_array_equal(tf.roll(x, [1, 1, -1], [0, 1, -1]), np.roll(x, 1, 0))
    with pytest.raises(Invalid, match="same number"):
        tf.roll(x, [1, 1], [0])


def test_reverse_sequence():
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    assert tf.reverse_sequence(x, [2, 1, 2], seq_axis=0, batch_axis=1).numpy().tolist() == [[4, 2, 6], [1, 5, 3]]
    for lengths in ([2], [2, 4], [2, -1]):
        with pytest.raises(Invalid):
            tf.reverse_sequence(x, lengths, seq_axis=1)
    with pytest.raises(TypeError):
        tf.reverse_sequence(x, [1, 1])


def test_a_scalar_has_no_axis_to_squeeze():
    with pytest.raises(tf.errors.InvalidArgumentError, match="of a scalar"):
        tf.squeeze(tf.constant(1.0), [0])


@pytest.mark.parametrize(
    "have,asked,found",
    [
        ((0, 3), (0, -1), (0, 3)), ((0, 6), (0, -1, 3), (0, 2, 3)), ((3, 0), (0, -1), (0, 3)),
        ((2, 0, 4), (0, -1), (0, 8)), ((2, 0, 5), (-1, 0, 5), (2, 0, 5)), ((0, 7), (0, -1, 3), (0, 2, 3)),
        ((5, 0, 3), (-1, 0), (15, 0)), ((0, 0), (0, -1), (0, 1)), ((0, 3), (-1, 0, 3), (1, 0, 3)),
        ((0, 4), (-1, 4), (0, 4)), ((3, 0, 2), (2, 0, -1), (2, 0, 3)), ((0,), (-1,), (0,)),
    ],
)  # fmt: skip
def test_what_remains_of_nothing(have, asked, found):
    """TensorFlow's shapes, by running it."""
    assert tuple(tf.reshape(tf.zeros(have), asked).shape) == found
    assert tuple(tf.function(lambda x: tf.reshape(x, asked))(tf.zeros(have)).shape) == found


def test_sizes_that_reshape_refuses():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^Size 1 must be non-negative, not -2"):
        tf.reshape(tf.ones([4]), [2, -2])
    with pytest.raises(ValueError, match=r"^Can't convert Python sequence with mixed types to Tensor"):
        tf.reshape(tf.ones([4]), [2, "two"])
