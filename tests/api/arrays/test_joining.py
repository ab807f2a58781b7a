import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

Invalid = tf.errors.InvalidArgumentError


def test_concat():
    assert tf.concat([[1], tf.constant([2])], 0).numpy().tolist() == [1, 2]
    assert tf.concat([tf.constant([1.0]), [2]], axis=tf.constant(-1)).dtype is tf.float32
    assert tf.concat([np.zeros((2, 1)), np.ones((2, 2))], -1).shape == (2, 3)
    assert tf.concat(tf.constant([1]), 0).numpy().tolist() == [1]
    assert tf.concat([["a"], ["b"]], 0).numpy().tolist() == [b"a", b"b"]
    assert tf.concat([tf.zeros([0, 2]), tf.ones([1, 2])], 0).shape == (1, 2)


def test_concat_that_does_not_fit():
    for values, axis in (
        ([[1], [2]], 1),
        ([1, 2], 0),
        ([[[1, 2]], [[3]]], 0),
        ([], 0),
        ([tf.constant([1.0]), tf.constant([2])], 0),
    ):
        with pytest.raises(Invalid):
            tf.concat(values, axis)


def test_stack():
    assert tf.stack([1, 2.5]).numpy().tolist() == [1, 2.5]
    assert tf.stack([tf.constant(1.0), 2]).dtype is tf.float32
    assert tf.stack(["a", "b"]).numpy().tolist() == [b"a", b"b"]
    assert tf.stack([]).shape == (0,)
    assert tf.stack(tf.constant([[1, 2], [3, 4]]), axis=1).numpy().tolist() == [[1, 3], [2, 4]]
    assert tf.stack([tf.zeros([2, 3])] * 4, axis=-1).shape == (2, 3, 4)
    assert tf.parallel_stack([1, 2]).numpy().tolist() == [1, 2]


def test_stack_that_does_not_fit():
    with pytest.raises(ValueError, match="axis"):
        tf.stack([1, 2], axis=1)
    for values in ([tf.constant([1, 2]), tf.constant([3])], [[1, 2], [3]]):
        with pytest.raises(Invalid, match=r"\[2\].*\[1\]"):
            tf.stack(values)
    with pytest.raises(Invalid):
        tf.stack([tf.constant(1.0), tf.constant(2)])


def test_unstack():
    assert [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]], axis=-1)] == [[1, 3], [2, 4]]
    assert [t.numpy() for t in tf.unstack(["a", "b"])] == [b"a", b"b"]
    assert tf.unstack(tf.zeros([0, 2])) == []
    for arguments in (dict(value=3), dict(value=[[1]], axis=2)):
        with pytest.raises(ValueError, match="axis"):
            tf.unstack(**arguments)
    with pytest.raises(Invalid, match="num=3"):
        tf.unstack([1, 2], num=3)


def test_split():
    lists = lambda parts: [p.numpy().tolist() for p in parts]
    assert lists(tf.split([1, 2, 3, 4], 2)) == [[1, 2], [3, 4]]
    assert lists(tf.split([1, 2, 3], tf.constant([1, -1]))) == [[1], [2, 3]]
    assert lists(tf.split([[1, 2], [3, 4]], [0, 2], axis=-1)) == [[[], []], [[1, 2], [3, 4]]]
    for sizes in (2, 0, [1, 1], [-1, -1], [4, -1], [-2, 5]):
        with pytest.raises(Invalid):
            tf.split([1, 2, 3], sizes)


def test_gradients_go_back_to_the_parts():
    weights = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert gradient(lambda x: tf.stack([x, 2.0 * x], 1) * weights, [1.0, 2.0]).tolist() == [5, 11]
    assert gradient(lambda x: tf.concat([x, 2.0 * x], 0) * [1.0, 2.0, 3.0, 4.0], [1.0, 2.0]).tolist() == [7, 10]
    assert gradient(lambda x: tf.split(x, [1, 2])[1] * [1.0, 2.0], [1.0, 2.0, 3.0]).tolist() == [0, 1, 2]
    assert gradient(lambda x: tf.unstack(x, axis=1)[1] * [1.0, 2.0], weights).tolist() == [[0, 1], [0, 2]]


def test_partition_and_stitch_undo_each_other():
    data, parts = np.arange(10.0).reshape(5, 2), [1, 0, 1, 2, 0]
    rows = tf.dynamic_partition(data, parts, 3)
    back = tf.dynamic_stitch(tf.dynamic_partition(tf.range(5), parts, 3), rows)
    np.testing.assert_array_equal(back, data)
    assert [r.shape[0] for r in rows] == [2, 2, 1]
    with pytest.raises(Invalid):
        tf.dynamic_partition(data, [0, 3, 0, 0, 0], 3)
    with pytest.raises(Invalid):
        tf.dynamic_partition(data, [0, 1], 3)
    assert gradient(lambda x: tf.dynamic_partition(x, [1, 0, 1], 2)[1] * [1.0, 2.0], [1.0, 2.0, 3.0]).tolist() == [
        1,
        0,
        2,
    ]


def test_the_later_row_wins_in_a_stitch():
    assert tf.dynamic_stitch([[0, 1], [1]], [[1, 2], [3]]).numpy().tolist() == [1, 3]
    assert tf.dynamic_stitch([0, [2, 1]], [[1, 2], [[3, 4], [5, 6]]]).numpy().tolist() == [[1, 2], [5, 6], [3, 4]]
    a, b = gradient(lambda a, b: tf.dynamic_stitch([[0, 2], [1]], [a, b]) * [1.0, 10.0, 100.0], [1.0, 2.0], [3.0])
    assert a.tolist() == [1, 100] and b.tolist() == [10]
    with pytest.raises(Invalid):
        tf.dynamic_stitch([[-1, 0]], [[1, 2]])


def test_lists_that_belong_together_have_one_length():
    """The longer one was cut off."""
    for indices, data in (([[0], [1]], [[1.0], [2.0], [3.0]]), ([[2], [1], [0]], [[1.0], [2.0]])):
        with pytest.raises(ValueError, match="List argument 'data' to 'dynamic_stitch' Op with length"):
            tf.dynamic_stitch(indices, data)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one"):
        tf.dynamic_stitch([], [])


def test_the_number_of_pieces_is_that_of_the_sizes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="same elements as outputs"):
        tf.split(tf.zeros([6]), [2, 4], num=3)
    assert len(tf.split(tf.zeros([6]), [2, 4], num=2)) == 2


@pytest.mark.parametrize("function", [tf.concat, tf.stack])
def test_tensors_that_are_not_in_a_list(function):
    """The second was the axis, and `concat` gave the first back."""
    x = tf.ones([2, 2])
    for arguments in ((x, x), (0, [x, x]), ([x], None)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"go into one list.* tf\.\w+\(\[a, b\], axis=0\)"):
            function(*arguments)
    assert function([x], axis=tf.constant(0)).shape[-1] == 2


def test_the_axis_of_unstack_is_a_number():
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis must be an integer, got 'a'"):
        tf.unstack(tf.ones([2, 2]), axis="a")


def test_lists_with_tensors_in_them_among_others():
    """Lists of different lengths were an error where tensors were in them; they decide the dtype, too."""
    n = tf.constant(3)
    for values, want in (
        ([[1, 2], [n]], [1, 2, 3]),
        ([tf.TensorShape([]), [n]], [3]),
        ([tf.TensorShape([2, 3]), [n]], [2, 3, 3]),
        ([[n], np.array([1, 2])], [3, 1, 2]),
    ):
        joined = tf.concat(values, 0)
        assert joined.dtype is tf.int32 and joined.numpy().tolist() == want
    assert tf.concat([np.array([1, 2]), [n]], 0).dtype is tf.int64
    assert tf.convert_to_tensor(tf.TensorShape([])).dtype is tf.int32
