"""Ragged tensors: making, arithmetic, reductions, indexing, joining and gradients. Expected values are
TensorFlow's."""

import pickle

import numpy as np
import pytest

import tapeflow as tf

R = tf.RaggedTensor
r = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
deep = tf.ragged.constant([[[1, 2], [3]], [[4]]])


def listed(x):
    return x.to_list() if isinstance(x, tf.RaggedTensor) else np.asarray(x).tolist()


@pytest.mark.parametrize(
    ("made", "want"),
    [
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 2, 3]), [[1, 2], [], [3]]),
        (lambda: R.from_row_lengths([1, 2, 3], [2, 0, 1]), [[1, 2], [], [3]]),
        (lambda: R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4), [[1, 2], [], [3], []]),
        (lambda: R.from_row_starts([1, 2, 3], [0, 2, 2]), [[1, 2], [], [3]]),
        (lambda: R.from_row_limits([1, 2, 3], [2, 2, 3]), [[1, 2], [], [3]]),
        (lambda: R.from_uniform_row_length([1, 2, 3, 4], 2), [[1, 2], [3, 4]]),
        (lambda: R.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]]), [[[1, 2]], [[3]]]),
        (lambda: R.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]]), [[[1, 2]], [[3]]]),
        (lambda: R.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0), [[1, 2], [3]]),
        (lambda: R.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[1, 2]), [[1], [3, 0]]),
        (lambda: R.from_tensor([[[1], [2]], [[3], [4]]], ragged_rank=2), [[[1], [2]], [[3], [4]]]),
        (lambda: R.from_sparse(r.to_sparse()), [[1.0, 2.0], [], [3.0]]),
        (lambda: tf.ragged.constant([1, 2]), [1, 2]),
        (lambda: tf.ragged.constant([[], []]), [[], []]),
        (lambda: tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,)), [[[1, 2]], [[3, 4], [5, 6]]]),
        (lambda: tf.ragged.constant([["a"], []]), [[b"a"], []]),
        (lambda: tf.ragged.range([3, 0, 2]), [[0, 1, 2], [], [0, 1]]),
        (lambda: tf.ragged.range([0, 1], [3, 6], [1, 2]), [[0, 1, 2], [1, 3, 5]]),
        (lambda: tf.ragged.stack([[1, 2], [3]]), [[1, 2], [3]]),
        (lambda: tf.ragged.stack([r, r], axis=1), [[[1.0, 2.0], [1.0, 2.0]], [[], []], [[3.0], [3.0]]]),
        (lambda: tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]), [[1], [3, 4]]),
        (lambda: tf.ragged.stack_dynamic_partitions([1, 2, 3], [0, 1, 0], 3), [[1, 3], [2], []]),
        (lambda: tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3]), [0, 0, 2]),
        (lambda: tf.ragged.segment_ids_to_row_splits([0, 0, 2]), [0, 2, 2, 3]),
    ],
)
def test_making(made, want):
    assert listed(made()) == want


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: R.from_row_splits([1, 2, 3], [0, 2, 4]), tf.errors.InvalidArgumentError),
        (lambda: R.from_row_splits([1, 2, 3], [1, 2, 3]), tf.errors.InvalidArgumentError),
        (lambda: R.from_row_splits([1, 2, 3], [0, 3, 2, 3]), tf.errors.InvalidArgumentError),
        (lambda: R.from_row_lengths([1, 2, 3], [2, 0, 2]), tf.errors.InvalidArgumentError),
        (lambda: R.from_value_rowids([1, 2, 3], [0, 2, 1]), tf.errors.InvalidArgumentError),
        (lambda: R.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=2), ValueError),
        (lambda: R([1, 2], [0, 2]), ValueError),
        (lambda: tf.ragged.constant([[1, 2], 3]), ValueError),
    ],
)
def test_values_that_form_no_rows(make, error):
    with pytest.raises(error):
        make()


def test_parts():
    assert r.shape == [3, None] and r.ragged_rank == 1 and r.dtype is tf.float32
    assert (
        listed(r.row_splits) == [0, 2, 2, 3]
        and listed(r.row_lengths()) == [2, 0, 1]
        and listed(r.value_rowids()) == [0, 0, 2]
    )
    assert listed(r.row_starts()) == [0, 2, 2] and listed(r.row_limits()) == [2, 2, 3] and int(r.nrows()) == 3
    assert listed(deep.flat_values) == [1, 2, 3, 4] and [listed(s) for s in deep.nested_row_splits] == [
        [0, 2, 3],
        [0, 2, 3, 4],
    ]
    assert listed(deep.bounding_shape()) == [2, 2, 2]
    assert repr(r) == "<tf.RaggedTensor [[1.0, 2.0], [], [3.0]]>"
    assert pickle.loads(pickle.dumps(r)).to_list() == r.to_list()


def test_arithmetic():
    assert listed(r * 2) == listed(2.0 * r) == listed(r + r) == [[2.0, 4.0], [], [6.0]]
    assert listed(-r) == [[-1.0, -2.0], [], [-3.0]] and listed(r**2) == [[1.0, 4.0], [], [9.0]]
    assert listed(r > 1.0) == [[False, True], [], [True]] and listed(r == r) == [[True, True], [], [True]]
    assert listed(r + tf.constant([[1.0], [2.0], [3.0]])) == [[2.0, 3.0], [], [6.0]]
    assert listed(tf.constant([[1.0]]) + r) == [[2.0, 3.0], [], [4.0]]
    assert listed(tf.maximum(r, 2.0)) == [[2.0, 2.0], [], [3.0]] and listed(tf.cast(r, tf.int32)) == [[1, 2], [], [3]]
    assert listed(tf.ragged.map_flat_values(tf.add, r, 1.0)) == [[2.0, 3.0], [], [4.0]]
    assert listed(deep / 2) == [[[0.5, 1.0], [1.5]], [[2.0]]]


def test_a_vector_broadcasts_along_inner_axes():
    x = R.from_row_splits([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 3])
    assert listed(x * [10.0, 100.0]) == [[[10.0, 200.0]], [[30.0, 400.0], [50.0, 600.0]]]


@pytest.mark.parametrize("other", [tf.ragged.constant([[1.0], [], [3.0]]), tf.constant([1.0, 2.0, 3.0])])
def test_rows_that_do_not_fit(other):
    with pytest.raises(tf.errors.InvalidArgumentError):
        r + other


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (lambda: tf.reduce_sum(r), 6.0),
        (lambda: tf.reduce_sum(r, axis=0), [4.0, 2.0]),
        (lambda: tf.reduce_sum(r, axis=1), [3.0, 0.0, 3.0]),
        (lambda: tf.reduce_sum(r, axis=1, keepdims=True), [[3.0], [0.0], [3.0]]),
        (lambda: tf.reduce_mean(r, axis=0), [2.0, 2.0]),
        (lambda: tf.reduce_mean(r), 2.0),
        (lambda: tf.reduce_max(r, axis=0), [3.0, 2.0]),
        (lambda: tf.reduce_max(r, axis=1), [2.0, float(np.finfo(np.float32).min), 3.0]),
        (lambda: tf.reduce_prod(r, axis=1), [2.0, 1.0, 3.0]),
        (lambda: tf.reduce_sum(deep, axis=0), [[5, 2], [3]]),
        (lambda: tf.reduce_sum(deep, axis=1), [[4, 2], [4]]),
        (lambda: tf.reduce_sum(deep, axis=2), [[3, 3], [4]]),
        (lambda: tf.reduce_sum(deep, axis=[1, 2]), [6, 4]),
        (lambda: tf.reduce_sum(deep, axis=[0, 2]), [7, 3]),
    ],
)
def test_reductions(got, want):
    assert listed(got()) == want


def test_softmax_within_rows():
    assert np.allclose(tf.nn.softmax(r).flat_values, [0.26894142, 0.7310586, 1.0])
    inner = R.from_row_splits([[1.0, 2.0], [5.0, 5.0]], [0, 0, 2])
    assert np.allclose(tf.nn.softmax(inner).flat_values, [[0.26894142, 0.7310586], [0.5, 0.5]])


def test_truth():
    assert listed(tf.reduce_any(r > 1.0, axis=1)) == [True, False, True]
    assert listed(tf.reduce_all(r > 1.0, axis=1)) == [False, True, True]


def test_an_empty_row_has_no_mean():
    assert np.isnan(np.asarray(tf.reduce_mean(r, axis=1))).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (lambda: r[0], [1.0, 2.0]),
        (lambda: r[-1], [3.0]),
        (lambda: r[0, 1], 2.0),
        (lambda: r[0:2], [[1.0, 2.0], []]),
        (lambda: r[::2], [[1.0, 2.0], [3.0]]),
        (lambda: r[:, 0:1], [[1.0], [], [3.0]]),
        (lambda: r[..., -1:], [[2.0], [], [3.0]]),
        (lambda: r[:, ::-1], [[2.0, 1.0], [], [3.0]]),
        (lambda: r[tf.newaxis], [[[1.0, 2.0], [], [3.0]]]),
        (lambda: deep[0], [[1, 2], [3]]),
        (lambda: deep[0, 1, 0], 3),
        (lambda: deep[:, 0:1], [[[1, 2]], [[4]]]),
        (lambda: tf.gather(r, [2, 0]), [[3.0], [1.0, 2.0]]),
        (lambda: tf.gather(tf.constant([1.0, 2.0, 3.0]), tf.ragged.constant([[0], [1, 2]])), [[1.0], [2.0, 3.0]]),
        (lambda: tf.concat([r, r], 0), [[1.0, 2.0], [], [3.0], [1.0, 2.0], [], [3.0]]),
        (lambda: tf.concat([r, r], 1), [[1.0, 2.0, 1.0, 2.0], [], [3.0, 3.0]]),
        (lambda: tf.concat([r, tf.ones([3, 1])], 1), [[1.0, 2.0, 1.0], [1.0], [3.0, 1.0]]),
        (lambda: tf.reverse(r, [1]), [[2.0, 1.0], [], [3.0]]),
        (lambda: r.merge_dims(0, 1), [1.0, 2.0, 3.0]),
        (lambda: deep.merge_dims(1, 2), [[1, 2, 3], [4]]),
        (lambda: deep.merge_dims(0, 1), [[1, 2], [3], [4]]),
    ],
)
def test_rows_and_parts(got, want):
    assert listed(got()) == want


def test_rows_that_are_not_there():
    with pytest.raises(IndexError):
        r[5]
    with pytest.raises(ValueError, match="inner ragged"):
        r[:, 0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(r, [3])


def test_to_tensor():
    assert listed(r.to_tensor()) == [[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]
    assert listed(r.to_tensor(-1.0, shape=[4, 3])) == [[1.0, 2.0, -1.0], [-1.0] * 3, [3.0, -1.0, -1.0], [-1.0] * 3]
    assert listed(r.to_tensor(shape=[None, 1])) == [[1.0], [0.0], [3.0]]
    assert listed(deep.to_tensor()) == [[[1, 2], [3, 0]], [[4, 0], [0, 0]]]
    assert listed(tf.ragged.constant([["a"], []]).to_tensor("-")) == [[b"a"], [b"-"]]


def test_gradients_go_through_the_values():
    weights = tf.constant([[1.0, 10.0], [0.0, 0.0], [100.0, 0.0]])
    for f, want in (
        (lambda x: tf.reduce_sum(x * x), [[2.0, 4.0], [], [6.0]]),
        (lambda x: tf.reduce_sum(x.to_tensor() * weights), [[1.0, 10.0], [], [100.0]]),
        (lambda x: tf.reduce_sum(tf.reduce_sum(x, axis=1) ** 2), [[6.0, 6.0], [], [6.0]]),
        (lambda x: tf.reduce_max(x), [[0.0, 0.0], [], [1.0]]),
        (lambda x: tf.reduce_sum(tf.concat([x, x], 1)[0] ** 2), [[4.0, 8.0], [], [0.0]]),
        (lambda x: x[:, 0:1].flat_values, [[1.0, 0.0], [], [1.0]]),
    ):
        with tf.GradientTape() as tape:
            tape.watch(r)
            y = f(r)
        assert listed(tape.gradient(y, r)) == want


def test_a_ragged_target_and_second_order():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = R.from_row_lengths(x, [2, 1]) ** 3
        first = inner.gradient(y, x)
    assert listed(first) == [3.0, 12.0, 27.0]
    assert listed(outer.gradient(first, x)) == [6.0, 12.0, 18.0]


def test_what_does_not_take_ragged_says_so():
    with pytest.raises(ValueError, match="does not take a RaggedTensor"):
        tf.linalg.matmul(r, r)
    with pytest.raises(ValueError):
        tf.convert_to_tensor(r)
    with pytest.raises(TypeError, match="boolean"):
        bool(r)
    with pytest.raises(TypeError, match="unhashable"):
        hash(r)


# ---- axes of size 1


@pytest.mark.parametrize(
    "axis, rows, shape",
    [
        (0, [[[3, 1], [], [4, 1, 5]]], (1, 3, None)),
        (1, [[[3, 1]], [[]], [[4, 1, 5]]], (3, 1, None)),
        (-1, [[[3], [1]], [], [[4], [1], [5]]], (3, None, 1)),
    ],
)
def test_an_axis_more_and_less(axis, rows, shape):
    ragged = tf.ragged.constant([[3, 1], [], [4, 1, 5]])
    more = tf.expand_dims(ragged, axis)
    assert more.to_list() == rows and tuple(more.shape) == shape
    assert tf.squeeze(more, axis).to_list() == ragged.to_list()


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="cannot be reshaped"):
        tf.reshape(tf.ragged.constant([[3, 1], [4]]), [4])


def test_one_hot():
    found = tf.one_hot(tf.ragged.constant([[1], [0, 2]]), 3)
    assert found.to_list() == [[[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]


def test_nested_rowids():
    made = tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]], nested_nrows=[3, 2])
    assert made.to_list() == [[[1, 2]], [[3]], []]
    assert [ids.numpy().tolist() for ids in made.nested_value_rowids()] == [[0, 1], [0, 0, 1]]


# ---- arranging


def test_pieces_repetitions_and_places():
    x = tf.ragged.constant([[1.0, 2.0], [3.0], [], [4.0]])
    assert [p.to_list() for p in tf.split(x, 2)] == [[[1, 2], [3]], [[], [4]]]
    assert [p.to_list() for p in tf.split(x, [1, -1])] == [[[1, 2]], [[3], [], [4]]]
    with pytest.raises(ValueError, match="Cannot split a ragged dimension"):
        tf.split(x, 2, axis=1)
    assert tf.tile(x, [1, 2]).to_list() == [[1, 2, 1, 2], [3, 3], [], [4, 4]]
    assert tf.tile(x, [2, 1]).to_list() == x.to_list() * 2
    assert tf.tile(x, [0, 1]).to_list() == [] and tf.tile(x, [1, 0]).to_list() == [[], [], [], []]
    assert tf.reshape(x, [4]).numpy().tolist() == [1, 2, 3, 4] == tf.reshape(x, [-1]).numpy().tolist()
    assert tf.where(x > 1.5).numpy().tolist() == [[0, 1], [1, 0], [3, 0]]
    assert tf.add_n([x, x, x]).to_list() == [[3, 6], [9], [], [12]]


def test_row_splits_stay_narrow():
    narrow = [tf.ragged.constant(rows, row_splits_dtype=tf.int32) for rows in ([[1]], [[2, 3]])]
    for joined in (tf.concat(narrow, 0), tf.concat(narrow, 1), tf.stack(narrow), tf.ragged.stack(narrow)):
        assert {splits.dtype for splits in joined.nested_row_splits} == {tf.int32}
    with pytest.raises(ValueError, match="Input RaggedTensors have mismatched row_splits dtypes"):
        tf.concat([narrow[0], tf.ragged.constant([[1]])], 0)


def test_rules_of_the_users_and_python_functions():
    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    squared = tf.custom_gradient(lambda r: (r.with_flat_values(r.flat_values**2), lambda g: g * 5.0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = squared(x)
        total = tf.reduce_sum(y)
    assert y.to_list() == [[1, 4], [9]] and tape.gradient(total, x).to_list() == [[5, 5], [5]]
    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    assert tf.py_function(lambda r: r * 2.0, [x], spec).to_list() == [[2, 4], [6]]
