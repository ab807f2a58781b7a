import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

Invalid = tf.errors.InvalidArgumentError
GRID = tf.constant([[1.0, 2.0], [3.0, 4.0]])
BLOCK = tf.reshape(tf.range(24), [2, 3, 4])


# ---- gather


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("bad", [3, -1, 2**31 - 1, -(2**31)])
def test_gather_checks_the_range_of_every_index(dtype, bad):
    with pytest.raises(Invalid, match=rf"indices\[1\] = {bad} is not in \[0, 3\)"):
        tf.gather([10, 20, 30], tf.constant([0, bad], dtype))
    with pytest.raises(Invalid, match=rf"indices\[\] = {bad} "):
        tf.gather([10, 20, 30], tf.constant(bad, dtype))


def test_gather_of_and_from_nothing():
    assert tf.gather(tf.zeros([0, 2]), tf.zeros([3, 0], tf.int32)).shape == (3, 0, 2)
    with pytest.raises(Invalid):
        tf.gather(tf.zeros([0]), [0])
    with pytest.raises(Invalid, match="rank 1"):
        tf.gather(3.0, [0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_along_an_axis(axis):
    indices = [[1, 0], [1, 1]]
    np.testing.assert_array_equal(tf.gather(BLOCK, indices, axis=axis), np.take(BLOCK, indices, axis))


@pytest.mark.parametrize(
    "shape,indices,axis,batch_dims",
    [
        ((2, 3, 4), (2, 5), None, 1),
        ((2, 3, 4), (2, 5), 2, 1),
        ((2, 3, 4), (2, 3, 2), None, 2),
        ((2, 3, 4), (2, 3), None, 2),
        ((2, 3, 4, 2), (2, 2, 2), 3, 1),
        ((2, 3), (2,), 1, 1),
    ],
)
def test_gather_in_batches_is_gather_in_each_element(shape, indices, axis, batch_dims):
    rng = np.random.default_rng(1)
    x = rng.normal(size=shape)
    size = shape[batch_dims if axis is None else axis]
    indices = rng.integers(0, size, indices)
    got = tf.gather(x, indices, axis=axis, batch_dims=batch_dims).numpy()
    inner = (batch_dims if axis is None else axis) - batch_dims
    for b in np.ndindex(shape[:batch_dims]):
        np.testing.assert_array_equal(got[b], np.take(x[b], indices[b], inner))


def test_gather_in_batches_checks_each_element():
    with pytest.raises(Invalid, match=r"indices\[1,0\] = 3 is not in \[0, 3\)"):
        tf.gather(BLOCK, [[0], [3]], batch_dims=1)
    with pytest.raises(Invalid):
        tf.gather(BLOCK, [[0], [1], [2]], batch_dims=1)
    with pytest.raises(Invalid):
        tf.gather(BLOCK, [0], batch_dims=2)


def test_gather_of_strings_and_narrow_floats():
    assert tf.gather(["a", "b"], 1).numpy() == b"b"
    assert tf.gather(tf.constant([1.0, 2.0], tf.bfloat16), [1]).numpy().tolist() == [2]


def test_the_gradient_of_rows_is_rows():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [[2, 0], [2, 2]]) * tf.constant([[[1.0], [2.0]], [[3.0], [4.0]]])
    d = tape.gradient(y, v)
    assert d.indices.numpy().tolist() == [2, 0, 2, 2] and d.indices.dtype is tf.int32
    assert d.values.numpy().tolist() == [[1, 1], [2, 2], [3, 3], [4, 4]]
    assert d.dense_shape.numpy().tolist() == [3, 2]
    np.testing.assert_array_equal(tf.convert_to_tensor(d), [[2, 2], [0, 0], [8, 8]])


def test_other_gradients_of_gather_are_dense():
    assert gradient(lambda x: tf.gather(x, [1, 1, 0], axis=1) * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], GRID).tolist() == [
        [3, 3],
        [6, 9],
    ]
    assert gradient(
        lambda x: tf.gather(x, [[1, 1], [0, 0]], batch_dims=1) * [[1.0, 2.0], [4.0, 5.0]], GRID
    ).tolist() == [
        [0, 3],
        [9, 0],
    ]


def test_second_order_through_rows():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.gather(x, [0, 0, 1]) ** 3)
        d = tf.convert_to_tensor(inner.gradient(y, x))
    np.testing.assert_allclose(tf.convert_to_tensor(outer.gradient(d, x)), [12, 12])


# ---- gather_nd


def test_gather_nd():
    x = np.arange(24).reshape(2, 3, 4)
    for depth in (1, 2, 3):
        indices = np.random.default_rng(2).integers(0, 2, (5, 2, depth))
        np.testing.assert_array_equal(tf.gather_nd(x, indices), x[tuple(np.moveaxis(indices, -1, 0))])
    assert tf.gather_nd(x, np.zeros((2, 0), np.int32)).shape == (2, 2, 3, 4)
    assert tf.gather_nd(x, [1, 0]).shape == (4,)
    np.testing.assert_array_equal(
        tf.gather_nd(x, [[[2], [0]], [[1], [1]]], batch_dims=1), [x[0, [2, 0]], x[1, [1, 1]]]
    )


def test_gather_nd_out_of_range():
    for bad in ([0, -1], [2, 0], [0, 2]):
        with pytest.raises(Invalid, match=r"indices\[1\]"):
            tf.gather_nd(GRID, [[0, 0], bad])
    with pytest.raises(Invalid):
        tf.gather_nd(GRID, [[0, 0, 0]])
    with pytest.raises(Invalid):
        tf.gather_nd(5.0, [[0]])
    assert tf.gather_nd(GRID, [[2, 0], [0, 1]], bad_indices_policy="IGNORE").numpy().tolist() == [0, 2]


def test_gather_nd_of_rows_has_a_sparse_gradient():
    v = tf.Variable(GRID)
    with tf.GradientTape(persistent=True) as tape:
        rows, elements = tf.gather_nd(v, [[1], [1]]), tf.gather_nd(v, [[1, 1], [0, 0], [1, 1]])
    assert tape.gradient(rows, v).indices.numpy().tolist() == [1, 1]
    assert tape.gradient(elements, v).numpy().tolist() == [[1, 0], [0, 2]]


# ---- where and masks


def test_where_takes_numbers_and_broadcasts():
    assert tf.where([True, False], 1.0, 2).numpy().tolist() == [1, 2]
    assert tf.where(True, 1.0, tf.constant([2.0, 3.0])).numpy().tolist() == [1, 1]
    assert tf.where([True, False], tf.constant([1, 2]), 0).dtype is tf.int32
    assert tf.where([True, False], "a", "b").numpy().tolist() == [b"a", b"b"]
    x = tf.constant([-1.0, 0.0, 2.0])
    assert tf.where(x > 0.0, x, 0.0).numpy().tolist() == [0, 0, 2]


def test_where_that_does_not_fit():
    with pytest.raises(ValueError, match="both"):
        tf.where([True], [1])
    for error in (TypeError, Invalid):
        with pytest.raises(error, match="bool"):
            tf.where([1, 0], 1, 2)
    with pytest.raises(Invalid):
        tf.where([True, False], [1], [2, 3, 4])
    with pytest.raises(Invalid):
        tf.where([True], tf.constant(1.0), tf.constant(2))


def test_the_side_not_chosen_gets_exactly_zero():
    nan = float("nan")
    assert gradient(lambda x: tf.where(x > 0.0, x, nan), [-1.0, 4.0]).tolist() == [0, 1]
    a, b = gradient(lambda a, b: tf.where([True, False], a, b) * [nan, 2.0], [1.0, 2.0], 3.0)
    assert np.isnan(a[0]) and a[1] == 0 and b == 2


def test_where_with_a_condition_alone_gives_indices():
    got = tf.where([[1.0, 0.0], [0.0, float("nan")]])
    assert got.dtype is tf.int64 and got.numpy().tolist() == [[0, 0], [1, 1]]
    assert tf.where([False]).shape == (0, 1)
    with pytest.raises(Invalid):
        tf.where(True)
    with pytest.raises(LookupError, match="nonzero"):
        gradient(tf.where, [1.0, 0.0])


def test_boolean_mask():
    x = np.arange(24).reshape(2, 3, 4)
    mask = np.array([[True, False, True, True], [False, False, True, False], [True, True, True, True]])
    np.testing.assert_array_equal(tf.boolean_mask(x, mask, axis=1), x[:, mask])
    np.testing.assert_array_equal(tf.boolean_mask(x, mask[:2, :3]), x[mask[:2, :3]])
    np.testing.assert_array_equal(tf.boolean_mask(x, mask[0], axis=-1), x[..., mask[0]])
    assert tf.boolean_mask([1, 2], [1, 0]).numpy().tolist() == [1]
    assert tf.boolean_mask(["a", "b"], [False, True]).numpy().tolist() == [b"b"]
    for mask in (True, [True]):
        with pytest.raises(ValueError):
            tf.boolean_mask([1, 2], mask)


def test_gradient_of_a_mask():
    assert gradient(lambda x: tf.boolean_mask(x, [True, False], axis=1) * [[5.0], [6.0]], GRID).tolist() == [
        [5, 0],
        [6, 0],
    ]
    assert gradient(lambda x: tf.boolean_mask(x, x > 1.0) * [1.0, 2.0], [1.0, 2.0, 3.0]).tolist() == [0, 1, 2]


# ---- slices


def test_slice():
    assert tf.slice([[1, 2, 3], [4, 5, 6]], [1, 0], tf.constant([1, -1])).numpy().tolist() == [[4, 5, 6]]
    assert tf.slice([1, 2, 3], [3], [0]).shape == (0,)
    for begin, size in (([1], [3]), ([4], [0]), ([-1], [1]), ([0, 0], [1, 1])):
        with pytest.raises(Invalid):
            tf.slice([1, 2, 3], begin, size)


def test_strided_slice():
    x = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(tf.strided_slice(x, [0, 2], [2, 0], [1, -1]), x[0:2, 2:0:-1])
    np.testing.assert_array_equal(tf.strided_slice(x, [0, 1], [0, 3], ellipsis_mask=1), x[..., 1:3])
    np.testing.assert_array_equal(tf.strided_slice(x, [0, 1], [0, 2], new_axis_mask=1), x[None, 1:2])
    np.testing.assert_array_equal(tf.strided_slice(x, [1, 1], [2, 2], begin_mask=1, end_mask=2), x[:2, 1:])
    np.testing.assert_array_equal(tf.strided_slice(x, [1, -1], [2, 0], shrink_axis_mask=3), x[1, -1])
    for begin, end, strides, mask in (
        ([1], [3], [0], 0),
        ([5], [6], [1], 1),
        ([0] * 4, [1] * 4, [1] * 4, 0),
        ([0], [1, 1], [1], 0),
    ):
        with pytest.raises(Invalid):
            tf.strided_slice(x, begin, end, strides, shrink_axis_mask=mask)
    assert gradient(lambda x: tf.strided_slice(x, [2], [0], [-1]) * [2.0, 3.0], [1.0, 2.0, 4.0]).tolist() == [0, 3, 2]


@pytest.mark.parametrize("dtype", [tf.int8, tf.uint8, tf.int16, tf.uint32])
def test_indices_of_any_integers(dtype):
    c = lambda value: tf.constant(value, dtype)
    assert tf.gather([1.0, 2.0], c([1])).numpy().tolist() == [2.0]
    assert tf.gather_nd([[1.0, 2.0]], c([[0, 1]])).numpy().tolist() == [2.0]
    assert tf.nn.embedding_lookup([[1.0], [2.0]], c([1])).numpy().tolist() == [[2.0]]
    for sum_ in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_max):
        assert sum_([1.0, 2.0], c([1, 0]), 2).numpy().tolist() == [2.0, 1.0]


def test_no_batch_and_conditions_of_arrays():
    assert tf.gather([[1, 2], [3, 4]], [0], axis=1, batch_dims=None).numpy().tolist() == [[1], [3]]
    assert tf.where(np.array([1, 0]), np.ones(2), np.zeros(2)).numpy().tolist() == [1.0, 0.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a bool tensor but is a int32 tensor"):
        tf.where(tf.constant([1, 0]), 1.0, 2.0)


def test_sizes_that_are_gathered_stay_sizes():
    """TensorFlow's tensordot computes the shape of its matrices like this; the sizes were lost on the way."""

    @tf.function(input_signature=[tf.TensorSpec([None, 4, 3])])
    def products(x):
        shape = tf.shape(x)
        rows = tf.reduce_prod(tf.gather(shape, tf.constant([0, 1])))
        columns = tf.reduce_prod(tf.gather(shape, tf.constant([2])))
        return tf.reshape(x, tf.stack([rows, columns])) @ tf.ones([3, 2])

    assert products(tf.ones([2, 4, 3])).numpy().tolist() == [[3.0, 3.0]] * 8
    assert products.get_concrete_function().output_shapes.as_list() == [None, 2]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_gather_nd_of_ragged(wrap):
    """It raised a TypeError. An index behind its row is an error here; TensorFlow reads from the next row."""
    f = wrap(tf.gather_nd)
    rows, deep = tf.ragged.constant([[3, 1, 4], [], [1, 5]]), tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
    assert f(rows, [[0, 1], [2, 0]]).numpy().tolist() == [1, 1] and f(rows, [[2], [0]]).to_list() == [
        [1, 5],
        [3, 1, 4],
    ]
    assert f(deep, [[0, 0, 1], [2, 0, 2]]).numpy().tolist() == [2, 6]
    assert f(deep, [[0, 1], [2, 0]]).to_list() == [[3], [4, 5, 6]]
    uniform = tf.RaggedTensor.from_row_splits(tf.reshape(tf.range(8), [4, 2]), [0, 1, 4])
    assert f(uniform, [[1, 2, 1]]).numpy().tolist() == [7] and f(uniform, [[1, 2]]).numpy().tolist() == [[6, 7]]
    for bad in ([[0, 3]], [[1, 0]], [[3, 0]], [[0, -1]]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(rows, bad)
