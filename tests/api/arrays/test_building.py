import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient


def test_zeros_and_ones():
    assert tf.zeros([2, 3]).dtype is tf.float32 and tf.zeros([2, 3]).shape == (2, 3)
    assert tf.zeros(3).shape == (3,) and tf.zeros([]).shape == () and tf.zeros(tf.constant([2, 1])).shape == (2, 1)
    assert tf.zeros([2], tf.string).numpy().tolist() == [b"", b""]
    assert tf.ones([2], tf.bool).numpy().tolist() == [True, True]
    assert tf.ones([tf.constant(2)], "bfloat16").dtype is tf.bfloat16
    assert tf.zeros_like(["a", "b"]).numpy().tolist() == [b"", b""]
    assert tf.ones_like(tf.Variable([1, 2]), dtype=tf.float64).dtype is tf.float64


@pytest.mark.parametrize(
    "shape,error",
    [
        ([2, -1], tf.errors.InvalidArgumentError),
        ([2.5], TypeError),
        ([2.5], tf.errors.InvalidArgumentError),
        (tf.TensorShape([2, None]), ValueError),
    ],
)
def test_bad_shapes(shape, error):
    with pytest.raises(error):
        tf.zeros(shape)


def test_ones_of_strings():
    with pytest.raises(TypeError, match=r"tf\.fill"):
        tf.ones([1], tf.string)


def test_like_functions_are_constants():
    assert gradient(tf.zeros_like, 3.0) is None
    assert gradient(lambda x: tf.ones_like(x) * x, 3.0) == 1


def test_fill():
    assert tf.fill([2], "a").numpy().tolist() == [b"a", b"a"]
    assert tf.fill([2, 0], 1).shape == (2, 0)
    assert gradient(lambda x: tf.fill([2, 2], x) * tf.constant([[1.0, 2.0], [3.0, 4.0]]), 2.0) == 10
    for dims, value in (([-1], 1), ([2], [1.0, 2.0])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.fill(dims, value)


def test_eye():
    np.testing.assert_array_equal(tf.eye(2, 3, batch_shape=[2], dtype=tf.int32), [np.eye(2, 3)] * 2)
    assert tf.eye(0).shape == (0, 0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.eye(-1)


@pytest.mark.parametrize(
    "arguments,dtype,expected",
    [
        ((3,), tf.int32, [0, 1, 2]),
        ((10, 1, -3), tf.int32, [10, 7, 4]),
        ((2**31, 2**31 + 2), tf.int64, [2**31, 2**31 + 1]),
        ((0,), tf.int32, []),
        ((2.5,), tf.float32, [0, 1, 2]),
        ((1.0, tf.constant(3, tf.int64)), tf.float32, [1, 2]),
        ((tf.constant(1), tf.constant(3.0, tf.float64)), tf.float64, [1, 2]),
        ((np.int64(2),), tf.int64, [0, 1]),
        ((0.0, 1.0, 0.25), tf.float32, [0, 0.25, 0.5, 0.75]),
        ((3, 3), tf.int32, []),
    ],
)
def test_range(arguments, dtype, expected):
    got = tf.range(*arguments)
    assert got.dtype is dtype and got.numpy().tolist() == expected


def test_range_has_as_many_steps_as_float32_says():
    assert tf.range(0.0, 1.0, 0.1).shape == (10,) and tf.range(0.0, 100.0, 0.1).shape == (1000,)
    assert tf.range(3, dtype=tf.bfloat16).dtype is tf.bfloat16


@pytest.mark.parametrize(
    "arguments,message",
    [((3, 0), "start <= limit"), ((0, 3, -1), "start >= limit"), ((0, 3, 0), "delta != 0"), (([1, 2],), "scalars")],
)
def test_range_that_leads_nowhere(arguments, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.range(*arguments)


def test_range_does_not_round_a_limit():
    with pytest.raises(TypeError):
        tf.range(2.5, dtype=tf.int32)
    assert tf.range(tf.constant(2.5), dtype=tf.int32).shape == (2,)


def test_range_has_no_gradient():
    assert gradient(lambda x: tf.range(0.0, x, 1.0), 3.0) is None


def test_linspace():
    assert tf.linspace(0, 1, 3).dtype is tf.float64
    np.testing.assert_allclose(tf.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=-1), [[0, 0.5, 1], [1, 2, 3]])
    assert tf.linspace(5.0, 9.0, 1).numpy().tolist() == [5] and tf.linspace(5.0, 9.0, 0).shape == (0,)
    assert tf.linspace(tf.constant(1, tf.bfloat16), tf.constant(2, tf.bfloat16), 3).dtype is tf.bfloat16
    ends = tf.linspace(0.1, 0.7, 1000).numpy()[[0, -1]]
    assert ends.tolist() == [np.float32(0.1), np.float32(0.7)]


def test_linspace_is_differentiable_in_both_ends():
    weights = tf.constant([1.0, 2.0, 4.0])
    assert gradient(lambda a, b: tf.linspace(a, b, 3) * weights, 0.0, 1.0) == [2, 5]


def test_one_hot():
    assert tf.one_hot([0, 5, -1], 2).numpy().tolist() == [[1, 0], [0, 0], [0, 0]]
    assert tf.one_hot([[0, 1]], 2, axis=1).shape == (1, 2, 2)
    assert tf.one_hot([0, 1], 2, axis=0, dtype=tf.int32).numpy().tolist() == [[1, 0], [0, 1]]
    assert tf.one_hot(tf.constant([1], tf.uint8), 300).shape == (1, 300)
    assert tf.one_hot([1], 2, on_value="yes", off_value="no").numpy().tolist() == [[b"no", b"yes"]]
    assert tf.one_hot([1], 2, on_value=5.0).numpy().tolist() == [[0, 5]]
    assert tf.one_hot([1], 0).shape == (1, 0)


def test_one_hot_that_makes_no_sense():
    with pytest.raises(tf.errors.InvalidArgumentError, match="depth"):
        tf.one_hot([0], -1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.one_hot([0.0], 2)
    with pytest.raises(TypeError):
        tf.one_hot([0], 2, on_value=tf.constant(5), dtype=tf.float32)


def test_one_hot_is_differentiable_in_its_values():
    on, off = gradient(lambda on, off: tf.one_hot([1, 0, 7], 3, on_value=on, off_value=off), 2.0, 0.0)
    assert (on, off) == (2, 7)


def test_sequence_mask():
    assert tf.sequence_mask([1, 3, 2], 4, dtype=tf.int32).numpy().sum(-1).tolist() == [1, 3, 2]
    assert tf.sequence_mask(tf.zeros([0], tf.int32)).shape == (0, 0)
    assert tf.sequence_mask([1, -3]).numpy().tolist() == [[True], [False]]


def test_meshgrid():
    for indexing in ("xy", "ij"):
        for got, want in zip(
            tf.meshgrid([1, 2], [3, 4, 5], [6], indexing=indexing),
            np.meshgrid([1, 2], [3, 4, 5], [6], indexing=indexing),
        ):
            np.testing.assert_array_equal(got, want)
    assert tf.meshgrid() == []
    with pytest.raises(ValueError, match="indexing"):
        tf.meshgrid([1], indexing="zz")
    assert gradient(lambda x: tf.meshgrid(x, [1.0, 2.0, 3.0])[0], [1.0, 2.0]).tolist() == [3, 3]


def test_counts_and_axes_are_whole():
    """A fraction used to be cut off in silence: one_hot(y, 7 / 2) had depth 3, cumsum(x, 0.5) ran along axis 0."""
    x = tf.ones([4, 4])
    for call in (
        lambda: tf.one_hot([0], 2.5),
        lambda: tf.eye(2.0),
        lambda: tf.eye(2, 1.5),
        lambda: tf.linspace(0.0, 1.0, 2.5),
        lambda: tf.split(x, 4 / 2),
        lambda: tf.math.top_k(x, 1.5),
        lambda: tf.math.in_top_k([0] * 4, x, 1.5),
        lambda: tf.random.categorical(x, 2.5),
        lambda: tf.cumsum(x, 0.5),
        lambda: tf.expand_dims(x, 0.0),
        lambda: tf.concat([x, x], 1.0),
    ):
        with pytest.raises(TypeError, match="must be an integer, got"):
            call()
    assert tf.one_hot([0], tf.Variable(3)).shape == tf.eye(np.int64(1), np.array(3)).shape == (1, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            dict(on_value=np.float64(1), off_value=np.float32(0)),
            "'float64'> of on_value does not match .*'float32'>",
        ),
        (dict(on_value=1, off_value=0.5), "'int32'> of on_value does not match dtype <dtype: 'float32'> of off_value"),
        (dict(on_value=1.0, dtype=tf.int32), "'float32'> of on_value does not match dtype parameter <dtype: 'int32'>"),
        (dict(off_value=tf.constant(1), dtype=tf.float32), "of off_value does not match dtype parameter"),
    ],
)
def test_one_hot_of_two_dtypes(options, message):
    """NumPy's numbers of two dtypes were cast to the first one's."""
    with pytest.raises(TypeError, match=message):
        tf.one_hot([0, 1], 2, **options)
    assert tf.one_hot([0], 2, on_value=1, off_value=0, dtype=tf.float32).numpy().tolist() == [[1.0, 0.0]]
    assert tf.one_hot([0], 2, off_value=np.int64(5)).dtype is tf.int64
