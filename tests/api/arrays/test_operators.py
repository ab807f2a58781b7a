import operator

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.runtime import settings

c = tf.constant

ARITHMETIC = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
]
COMPARISON = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("op", ARITHMETIC + COMPARISON)
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_every_pairing_of_operands(op, make):
    a, b = np.array([1.5, 2.0, 7.0], np.float32), np.array([2.0, 2.0, 3.0], np.float32)
    want = op(a, b)
    for left, right in [(make(a), make(b)), (make(a), c(b)), (c(a), make(b)), (make(a), b), (make(a), b.tolist())]:
        got = op(left, right)
        assert isinstance(got, tf.Tensor)
        np.testing.assert_array_equal(got.numpy(), want)
    for left in (a, a.tolist()):
        np.testing.assert_array_equal(op(left, make(b)).numpy(), want)


@pytest.mark.parametrize("op", ARITHMETIC + COMPARISON)
@pytest.mark.parametrize("number", [2, 2.0, True, np.float64(2), np.int64(2)])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_numbers_take_the_dtype_of_the_tensor(op, number, make):
    x = np.array([1.5, 7.0], np.float16)
    assert op(make(x), number).dtype == (tf.bool if op in COMPARISON else tf.float16)
    np.testing.assert_array_equal(op(make(x), number).numpy(), op(x, np.float16(number)))
    np.testing.assert_array_equal(op(number, make(x)).numpy(), op(np.float16(number), x))


@pytest.mark.parametrize(
    ("dtype", "quotient"),
    [
        (tf.int8, tf.float32),
        (tf.uint8, tf.float32),
        (tf.int16, tf.float32),
        (tf.int32, tf.float64),
        (tf.uint64, tf.float64),
    ],
)
def test_integers_divide_into_floats(dtype, quotient):
    assert (c(7, dtype) / c(2, dtype)).dtype == quotient
    assert (c(7, dtype) / 2).numpy() == (7 / c(2, dtype)).numpy() == 3.5


def test_a_mask_does_not_multiply_numbers():
    """The error used to speak of logical_and, which nobody had written."""
    x, mask = c([1.0, 2.0]), c([True, False])
    for product in (lambda: x * mask, lambda: mask * x):
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute mul"):
            product()
    assert (mask * mask).numpy().tolist() == [True, False]


def test_bool_does_not_divide():
    with pytest.raises(TypeError, match="bool"):
        c(True) / c(True)


def test_logical_and_bitwise():
    assert (c([True, True]) & c([True, False])).numpy().tolist() == [True, False]
    assert (c([True, False]) | False).numpy().tolist() == [True, False]
    assert (True ^ c([True, False])).numpy().tolist() == [False, True]
    assert (~c([True, False])).numpy().tolist() == [False, True]
    assert [(c(6) & 3).numpy(), (c(6) | 3).numpy(), (3 ^ c(6)).numpy(), (~c(6)).numpy()] == [2, 7, 5, -7]
    assert (c([True, True]) * c([True, False])).numpy().tolist() == [True, False]
    with pytest.raises(tf.errors.InvalidArgumentError):
        c(1.0) & c(1.0)


def test_strings_join():
    assert (c(["a", "b"]) + "x").numpy().tolist() == [b"ax", b"bx"]
    assert ("x" + c("a")).numpy() == b"xa"


@pytest.mark.parametrize(("left", "right"), [(c(1), 1.5), (1.5, c(1)), (c([1]), [1.5]), (c(1.0), 1j)])
def test_a_dtype_clash_is_caught_by_either_exception(left, right):
    with pytest.raises(TypeError):
        left + right


def test_tensors_of_two_dtypes_do_not_mix():
    for op in ARITHMETIC + COMPARISON:
        with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
            op(c(1.0), c(1.0, tf.float64))


def test_numpy_values_that_would_change_raise():
    for left, right in [
        (c(1), np.float64(1.9)),
        (np.float64(1.9), c(1)),
        (c(1), np.array([1.9])),
        (c(1, tf.uint8), np.int64(300)),
    ]:
        with pytest.raises(TypeError, match="without changing"):
            left + right
    assert (c(1) + np.float64(2)).numpy() == 3


def test_none():
    x = c(1.0)
    assert (x == None) is False and (x != None) is True and (x == None) is False  # noqa: E711
    assert (tf.Variable(1.0) == None) is False  # noqa: E711
    for f in (lambda: x + None, lambda: None * x):
        with pytest.raises(ValueError, match="None"):
            f()


def test_shapes_that_do_not_broadcast_raise():
    for op in (operator.lt, operator.add):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(2,\).*\(3,\)"):
            op(c([1.0, 2.0]), c([1.0, 2.0, 3.0]))


class Interval:
    """Knows tensors; no tensor can be made of it."""

    def __radd__(self, other):
        return "mine"

    def __eq__(self, other):
        return "mine too"

    __hash__ = None


def test_objects_that_know_tensors_are_asked():
    assert c(1.0) + Interval() == "mine"
    assert tf.Variable(1.0) + Interval() == "mine"
    assert (c(1.0) == Interval()) == "mine too"
    with pytest.raises(ValueError, match="Interval"):
        c(1.0) * Interval()
    with pytest.raises(ValueError, match="object"):
        c(1.0) + object()


def test_unary():
    x = c([-1.5, 2.5])
    assert (-x).numpy().tolist() == [1.5, -2.5]
    assert abs(x).numpy().tolist() == [1.5, 2.5]
    assert +x is x
    assert round(x).numpy().tolist() == [-2.0, 2.0]
    assert round(c(1.2345), 2).numpy() == np.float32(1.23)
    assert round(c(3)).numpy() == 3
    assert (-tf.Variable(2.0)).numpy() == -2.0 and round(tf.Variable(2.4)).numpy() == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        -c(1, tf.uint8)
    with pytest.raises(TypeError):
        divmod(c(7), 2)


def test_augmented_assignment():
    x = y = c([1.0])
    x += 1.0
    assert (x.numpy(), y.numpy()) == (2.0, 1.0)
    v = tf.Variable([1.0])
    for op in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul"):
        with pytest.raises(RuntimeError, match="assign"):
            getattr(operator, op)(v, 1.0)


def test_operators_are_recorded():
    v, x = tf.Variable(3.0), c(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (2.0 * v - x / v + v**2 - 1) / 2.0 + abs(-x) + np.float32(3.0) * x + np.array([1.0, 2.0], np.float32) * x
    assert [g.numpy() for g in tape.gradient(y, [v, x])] == pytest.approx(
        [2 * (2 + 2 / 9 + 6) / 2, 2 * (-1 / 6 + 1 + 3) + 3]
    )


@pytest.mark.parametrize("v", [np.inf, -np.inf, 0.0, -0.0, np.nan])
def test_special_numbers_are_not_confused(v):
    """Python numbers are remembered as constants; 0.0 and -0.0 are equal as keys, and so are 1 and True."""
    for number in (0.0, -0.0, v, 1, True):
        np.testing.assert_array_equal((c([1.0]) * number).numpy(), np.float32([1.0]) * number)
        assert np.signbit((c([1.0]) * number).numpy()) == np.signbit(number)


def test_indexed_slices():
    s = tf.IndexedSlices([[1.0, 2.0]], [0], [2, 2])
    for scaled in (s * 2.0, 2.0 * s, s * c(2.0)):
        assert isinstance(scaled, tf.IndexedSlices)
        assert scaled.values.numpy().tolist() == [[2.0, 4.0]]
    assert isinstance(s / 2.0, tf.IndexedSlices)
    dense = [[1.0, 2.0], [0.0, 0.0]]
    assert (s + tf.ones([2, 2])).numpy().tolist() == (1.0 + s).numpy().tolist() == [[2.0, 3.0], [1.0, 1.0]]
    assert (s - s).numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert (s * c(dense)).numpy().tolist() == [[1.0, 4.0], [0.0, 0.0]]


@pytest.fixture
def numpy_behavior(monkeypatch):
    monkeypatch.setattr(settings, "numpy_promotion", True)


def test_numpy_promotion_on_request(numpy_behavior):
    assert (c(1) + c(1.0)).dtype == (c(1) + 1.5).dtype == (c(1.0) + c(1.0, tf.float64)).dtype == tf.float64
    assert (c(1.0) + 1).dtype == tf.float32
    assert (c(1.0) == None) is False  # noqa: E711


def test_strings_broadcast():
    both = tf.constant([["a"], ["b"]]) + tf.constant(["x", "y"])
    assert both.numpy().tolist() == [[b"ax", b"ay"], [b"bx", b"by"]]
    assert ("-" + tf.constant(["x"])).numpy().tolist() == [b"-x"]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"):
        tf.constant(["a", "b"]) + tf.constant(["a", "b", "c"])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_operators_convert_once(name):
    """Deferred tensors of other libraries compute their value each time."""
    times = []

    class Deferred:
        """Known when it is needed."""

    def convert(value, dtype=None, name=None, as_ref=False):
        times.append(value)
        return tf.constant(2.0, dtype)

    tf.register_tensor_conversion_function(Deferred, convert)
    for first, second in ((c(3.0), Deferred()), (Deferred(), c(3.0))):
        times.clear()
        function = getattr(operator, name)
        want = function(*[2.0 if isinstance(x, Deferred) else 3.0 for x in (first, second)])
        assert function(first, second).numpy() == want and len(times) == 1
