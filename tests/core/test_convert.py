import array

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.runtime import settings

c = tf.constant


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, tf.int32), (2**31, tf.int64), (1.0, tf.float32), (True, tf.bool), (1j, tf.complex128), ("a", tf.string),
        (b"a", tf.string), ([1, 2.5], tf.float32), ([2**40, 1], tf.int64), ([], tf.float32), ([[], []], tf.float32),
        ((1, [2][0]), tf.int32), (range(3), tf.int32), ([1, 1j], tf.complex128), ([True, False], tf.bool),
        (["a", b"b"], tf.string), (np.float64(1), tf.float64), (np.arange(3), tf.int64),
        ([np.float32(1), 2.0], tf.float32), ([np.ones(2), np.zeros(2)], tf.float64), (np.array(["a"]), tf.string),
        (np.array([1.0], ">f8"), tf.float64), (np.array([1, 2.5], object), tf.float64),
    ],
)  # fmt: skip
def test_defaults(value, dtype):
    assert c(value).dtype is dtype
    assert tf.convert_to_tensor(value).dtype is dtype


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (list(np.array(["no", "yes"])), [b"no", b"yes"]), ([np.str_("a"), "b", b"c"], [b"a", b"b", b"c"]),
        ([np.array("q"), np.bytes_(b"r")], [b"q", b"r"]), ([[np.str_("z")]], [[b"z"]]),
        ([np.array(["a", "b"]), np.array(["c", "d"])], [[b"a", b"b"], [b"c", b"d"]]),
    ],
)  # fmt: skip
def test_lists_of_numpy_strings_hold_bytes(value, expected):
    assert c(value).numpy().tolist() == expected


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (None, None, ValueError), ([1, [2]], None, ValueError), ([[1], [2, 3]], None, ValueError),
        ([True, 1], None, ValueError), ([1, "a"], None, ValueError), ({1, 2}, None, ValueError),
        ({}, None, ValueError), (object(), None, ValueError), ([None], None, ValueError),
        (np.array([None]), None, ValueError), (2**63, None, ValueError), ([2**70], None, ValueError),
        (np.array([1], "M8[s]"), None, ValueError), (1.0, tf.int32, TypeError), ([1.5], tf.int32, TypeError),
        (1, tf.bool, TypeError), ("1", tf.int32, TypeError), (1j, tf.float32, TypeError), (1, tf.string, TypeError),
        (300, tf.uint8, ValueError), (-1, tf.uint8, ValueError), ([300], tf.uint8, ValueError),
        ([1, -1], tf.uint8, ValueError), (np.array([1.5]), tf.int32, TypeError),
        (np.array([np.nan]), tf.int32, TypeError), (np.array([300]), tf.uint8, TypeError),
        (np.array([2**63], np.uint64), tf.int64, TypeError), (np.array([-1]), tf.uint64, TypeError),
        (np.array([1]), tf.bool, TypeError), (np.array([1j]), tf.float32, TypeError),
        (np.array(["1"]), tf.int32, TypeError), (1e40, None, ValueError), ([0.0, 1e40], None, ValueError),
        ([[1e40]], None, ValueError),
    ],
)  # fmt: skip
def test_what_cannot_be_converted(value, dtype, error):
    with pytest.raises(error):
        c(value, dtype)


def test_nothing_is_lost_silently_but_precision_may_go():
    assert c(np.array([2.0, 3.0]), tf.int32).numpy().tolist() == [2, 3]
    assert c(np.array([200]), tf.uint8).numpy().tolist() == [200]
    assert c(np.array([True]), tf.int32).numpy().tolist() == [1]
    assert c(0.1, tf.float16).numpy() == np.float16(0.1)
    assert c(np.array([1e40]), tf.float32).numpy() == np.inf  # the dtype was asked for
    assert c([1e40], tf.float64).numpy() == 1e40
    assert c([np.inf, -np.inf]).dtype is tf.float32
    assert np.isnan(c([np.nan, 1.0]).numpy()[0])


def test_too_large_for_the_default_says_what_to_do():
    with pytest.raises(ValueError, match="float64"):
        c(1e40)


def test_dtypes_are_accepted_in_every_spelling():
    for dtype in (tf.int64, "int64", np.int64, np.dtype("int64")):
        assert c(1, dtype).dtype is tf.int64
    assert [c(1, float).dtype, c(1, int).dtype, c(True, bool).dtype] == [tf.float32, tf.int32, tf.bool]
    with pytest.raises(TypeError, match="dtype"):
        c(1, "nonsense")


def test_copies():
    a = np.array([1.0, 2.0])
    t, u = c(a), tf.convert_to_tensor(a)
    a[0] = 9.0
    assert t.numpy()[0] == u.numpy()[0] == 1.0
    b = t.numpy()
    b[0] = 9.0
    assert t.numpy()[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(t)[0] = 1.0


def test_lists_of_tensors_are_stacked_on_the_tape():
    v, x = tf.Variable(2.0), c(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = c([[v, x], [1.0, v * x]]) * c([[1.0, 10.0], [100.0, 1000.0]])
    assert [g.numpy() for g in tape.gradient(y, [v, x])] == [3001.0, 2010.0]


def test_a_tensor_is_not_cast():
    with pytest.raises(ValueError, match=r"tf\.cast"):
        tf.convert_to_tensor(c(1.0), tf.float64)
    with pytest.raises(TypeError, match=r"tf\.cast"):
        c(c(1.0), tf.float64)
    x = c(1.0)
    assert c(x) is x and tf.convert_to_tensor(x) is x


def test_hints():
    assert tf.convert_to_tensor(1, dtype_hint=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype is tf.float32


class Temperature:
    def __init__(self, degrees):
        self.degrees = degrees


class Protocol:
    def __tf_tensor__(self, dtype=None, name=None):
        return c(7.0, dtype)


class Buffered:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0], dtype)


def test_other_objects():
    tf.register_tensor_conversion_function(
        Temperature, lambda value, dtype=None, name=None, as_ref=False: NotImplemented, priority=200
    )
    with pytest.raises(ValueError, match="Temperature"):
        c(Temperature(1.0))
    tf.register_tensor_conversion_function(
        Temperature, lambda value, dtype=None, name=None, as_ref=False: c(value.degrees, dtype)
    )
    assert (Temperature(1.5) + c(1.0)).numpy() == 2.5
    assert (c(1.0) - Temperature(1.5)).numpy() == -0.5
    assert tf.convert_to_tensor(Protocol()).numpy() == 7.0
    assert (c([1.0, 1.0]) + Buffered()).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match="callable"):
        tf.register_tensor_conversion_function(Temperature, 1)


def test_shape_argument():
    assert c(1.0, shape=[2, 2]).numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert c([1, 2, 3, 4], shape=[2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="elements"):
        c([1, 2, 3], shape=[2, 2])


def test_subclasses_of_arrays_become_plain_arrays():
    """With a dtype asked for, np.matrix and its like used to stay, and `*` was their own."""

    class Odd(np.ndarray):
        def __mul__(self, other):
            return "odd"

    x = tf.constant(np.array([1, 2]).view(Odd), tf.float32)
    np.testing.assert_array_equal(x * x, [1.0, 4.0])


def test_numbers_are_remembered_however_many_came_before():
    """Numbers that never come again, such as those of a schedule, used to fill the memory of constants for good."""
    from tapeflow.core.convert import constant_like

    like = np.float32(1.0)
    for k in range(5000):
        constant_like(k + 0.125, like)
    assert constant_like(7.625, like) is constant_like(7.625, like)
    assert constant_like(-3.375, like) is constant_like(-3.375, like)


def test_buffers_are_sequences():
    # array.array, bytearray and memoryview were refused on Python 3.11, which has no __buffer__
    for value in (array.array("d", [1.0, 2.0]), [1.0, 2.0]):
        np.testing.assert_array_equal(tf.constant(value), [1.0, 2.0])
    np.testing.assert_array_equal(tf.constant(bytearray(b"ab")), [97, 98])
    np.testing.assert_array_equal(tf.constant(memoryview(b"ab")), [97, 98])


def test_arrays_under_the_stand_in(monkeypatch, caplog):
    """There they become what TensorFlow makes of them, and the log names each line once. A list of NumPy numbers that
    do not fit is refused there, too: it was cast."""
    monkeypatch.setattr(settings, "arrays_may_change", True)
    for _ in range(2):
        assert tf.constant(np.array([1.5, -2.7]), tf.uint8).numpy().tolist() == [1, 254]
    assert (tf.constant([1, 2]) + np.array([0.5, 1.5])).numpy().tolist() == [1, 3]
    assert tf.constant(np.array([2.0, 3.0]), tf.int32).numpy().tolist() == [2, 3]
    assert [record.getMessage().count("loses values") for record in caplog.records] == [1, 1]
    for value in ([np.float64(1.5), 2], [np.array([1.5]), np.array([2.0])]):
        with pytest.raises(TypeError, match="without changing its values"):
            tf.constant(value, tf.int32)
