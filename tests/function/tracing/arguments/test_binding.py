"""How arguments meet parameters: a call that Python would refuse is refused, in TensorFlow's words, and never computed
by guessing.

The answers are TensorFlow's, but for shapes: a concrete function is for those it was traced for.
"""

import collections

import numpy as np
import pytest

import tapeflow as tf

from .refusals import SCALAR, c, refusal

Pair = collections.namedtuple("Pair", "u v")
Other = collections.namedtuple("Other", "u v")
Different = collections.namedtuple("Different", "p q")


def traced(f, *args, **kwargs):
    return tf.function(f).get_concrete_function(*args, **kwargs)


def difference():
    return traced(lambda a, b: a - b, SCALAR, SCALAR)


# ---- tensors


@pytest.mark.parametrize("args, kwargs", [((10.0, 1.0), {}), ((), {"b": 1.0, "a": 10.0}), ((10.0,), {"b": 1.0})])
@pytest.mark.parametrize("make", [c, float, int, np.float64, tf.Variable])
def test_tensors_by_place_and_name(make, args, kwargs):
    assert difference()(*map(make, args), **{name: make(v) for name, v in kwargs.items()}).numpy() == 9.0


@pytest.mark.parametrize(
    "args, kwargs, reason",
    [
        ((10.0,), {"a": 1.0}, "multiple values for argument 'a'"),
        ((10.0,), {"zzz": 1.0}, "missing a required argument: 'b'"),
        ((10.0, 1.0), {"zzz": 1.0}, "got an unexpected keyword argument 'zzz'"),
        ((10.0,), {}, "missing a required argument: 'b'"),
        ((), {}, "missing a required argument: 'a'"),
        ((), {"a": 1.0}, "missing a required argument: 'b'"),
        ((1.0, 2.0, 3.0), {}, "too many positional arguments"),
        ((), {"p": 10.0, "q": 1.0}, "missing a required argument: 'a'"),
    ],
)
def test_mistakes(args, kwargs, reason):
    """They were computed: only the number of tensors was looked at."""
    args, kwargs = tuple(map(c, args)), {name: c(v) for name, v in kwargs.items()}
    assert refusal(lambda: difference()(*args, **kwargs)) == reason
    assert refusal(lambda: tf.function(lambda a, b: a - b)(*args, **kwargs)) == reason


def test_no_tensors():
    for value in [None, "a", [1.0], object()]:
        assert refusal(lambda: difference()(value, c(1.0)))  # noqa: B023
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="as input #0 was expected to be a float32 tensor but is a int32 tensor"
    ):
        difference()(c(10), c(1.0))


# ---- what is not a tensor


class Thing:
    pass


THING = Thing()
TWO = c(2.0)


@pytest.mark.parametrize(
    "literal, same, others",
    [
        (3, [3, 3.0, np.int32(3), c(3)], [4, True, "3", None, 2.5]),
        (2.5, [2.5], [2.6, 2]),
        ("b", ["b"], ["a", None]),
        (None, [None], [3, c(1.0)]),
        (True, [True, np.bool_(True)], [False, 1]),
        (float("nan"), [float("nan")], [0.0]),
        (THING, [THING], [Thing(), None]),
        ([1, 2], [[1, 2]], [[1, 3], (1, 2), [1], [1, 2, 3], 1]),
        ({"k": 1}, [{"k": 1}], [{"k": 2}, {"j": 1}, {}]),
    ],
)
def test_literals(literal, same, others):
    """What the function was traced for may be said again, or left out; nothing else fits."""
    function = traced(lambda x, n: x * 2.0, SCALAR, literal)
    assert function(c(2.0)).numpy() == 4.0
    for value in same:
        assert function(c(2.0), value).numpy() == function(c(2.0), n=value).numpy() == 4.0
    for value in others:
        assert refusal(lambda: function(c(2.0), value))  # noqa: B023
        assert refusal(lambda: function(c(2.0), n=value))  # noqa: B023


def test_defaults():
    function = traced(lambda x, k=7: x * k, SCALAR)
    assert [function(c(2.0)).numpy(), function(c(2.0), 7).numpy(), function(c(2.0), k=7).numpy()] == [14.0] * 3
    assert refusal(lambda: function(c(2.0), k=8)) == "Can not cast 8 to Literal[7]"
    for function in [traced(lambda x, k=2.0: x * k, SCALAR, SCALAR), traced(lambda x, k=TWO: x * k, SCALAR)]:
        assert function(c(2.0), c(3.0)).numpy() == 6.0
        assert refusal(lambda: function(c(2.0))) == "missing a required argument: 'k'"  # noqa: B023


# ---- kinds of parameters


def test_several():
    function = traced(lambda *a: a[0] - a[-1], SCALAR, SCALAR, SCALAR)
    assert function(c(0.0), c(1.0), c(2.0)).numpy() == -2.0
    assert refusal(lambda: function(c(0.0), c(1.0))) == "missing a required argument: 'a_2'"
    assert refusal(lambda: function(*[c(0.0)] * 4)) == "too many positional arguments"


def test_keywords():
    function = traced(lambda **k: k["a"] - k["b"], a=SCALAR, b=SCALAR)
    assert function(b=c(1.0), a=c(2.0)).numpy() == 1.0
    assert refusal(lambda: function(a=c(1.0))) == "missing a required argument: 'b'"
    assert refusal(lambda: function(a=c(1.0), b=c(2.0), d=c(3.0))) == "got an unexpected keyword argument 'd'"
    only = traced(lambda x, *, y: x - y, SCALAR, y=SCALAR)
    assert only(c(1.0), y=c(2.0)).numpy() == only(c(1.0), c(2.0)).numpy() == -1.0  # the second: tensors alone
    assert refusal(lambda: only(c(1.0))) == "missing a required argument: 'y'"


def test_methods():
    class Scale(tf.Module):
        @tf.function
        def times(self, x, k=1.0):
            return x * k

        @tf.function(input_signature=[SCALAR])
        def same(self, x):
            return x

    scale = Scale()
    function = scale.times.get_concrete_function(SCALAR)
    assert (
        function(c(2.0)).numpy()
        == function(x=c(2.0)).numpy()
        == scale.same.get_concrete_function()(c(2.0)).numpy()
        == 2.0
    )
    for call in [lambda: function(c(2.0), 1.0, 3.0), lambda: function(c(2.0), z=1), lambda: function(scale, c(2.0))]:
        assert refusal(call)
    assert refusal(lambda: scale.times()) == "missing a required argument: 'x'"
    assert refusal(lambda: scale.times(1.0, 2.0, 3.0)) == "too many positional arguments"


# ---- structures


def test_dicts():
    function = traced(lambda d: d["a"] - d["b"], {"a": SCALAR, "b": SCALAR})
    a, b = c(1.0), c(2.0)
    ordered = collections.OrderedDict(b=b, a=a)
    for args in [({"a": a, "b": b},), ({"b": b, "a": a},), ({"a": 1.0, "b": 2.0},), (ordered,), (a, b)]:
        assert function(*args).numpy() == -1.0
    assert function(d=a, d_1=b).numpy() == -1.0
    for wrong in [{"b": a, "zz": b}, {"a": a}, {"a": a, "b": b, "c": a}, (a, b), a]:
        assert refusal(lambda: function(wrong))  # noqa: B023
    assert refusal(lambda: function(a=a, b=b)) == "missing a required argument: 'd'"


def test_sequences():
    a, b = c(1.0), c(2.0)
    function = traced(lambda p: p[0] - p[1], [SCALAR, SCALAR])
    assert function([a, b]).numpy() == function(a, b).numpy() == -1.0
    for wrong in [(a, b), [a], [a, b, a], a]:
        assert refusal(lambda: function(wrong))  # noqa: B023
    function = traced(lambda p: p.u - p.v, Pair(SCALAR, SCALAR))
    assert function(Pair(a, b)).numpy() == function(Other(a, b)).numpy() == -1.0
    assert refusal(lambda: function((a, b))) and refusal(lambda: function(Different(a, b)))


def test_tensors_among_others():
    a, b = {"a": c(1000), "b": "hello"}, [c(50), 7]
    function = traced(lambda x, y: x["a"] + y[0], a, b)
    assert function(a, b).numpy() == function(x=a, y=b).numpy() == function(c(1000), c(50)).numpy() == 1050
    assert refusal(lambda: function({"a": c(1), "b": "bye"}, b)) == "Can not cast 'bye' to Literal['hello']"
    assert refusal(lambda: function({"a": c(1)}, b))


def test_names_of_specifications():
    named = traced(
        lambda x, y: x - y, tf.TensorSpec([], tf.float32, name="left"), tf.TensorSpec([], tf.float32, name="right")
    )
    three, one = c(3.0), c(1.0)
    for call in [named(left=three, right=one), named(x=three, y=one), named(three, right=one), named(three, y=one)]:
        assert call.numpy() == 2.0
    assert refusal(lambda: named(left=three, y=one))


def test_variables():
    v, captured = tf.Variable(2.0), c(5.0)
    function = traced(lambda x: x * v * captured, SCALAR)
    assert function(c(3.0)).numpy() == 30.0
    assert refusal(lambda: function(c(3.0), captured)) == "too many positional arguments"
    function = traced(lambda v: v * 2.0, v)
    assert function(v).numpy() == 4.0
    assert refusal(lambda: function()) == "missing a required argument: 'v'"
    assert refusal(lambda: function(c(3.0)))


def test_ragged_and_sparse():
    ragged = tf.ragged.constant([[1, 2], [3]])
    function = traced(lambda r: tf.reduce_sum(r), ragged)
    assert function(ragged).numpy() == function(ragged.values, ragged.row_splits).numpy() == 6
    for wrong in [c([[1, 2]]), [[1, 2], [3]], tf.sparse.from_dense([[1, 2]])]:
        assert refusal(lambda: function(wrong))  # noqa: B023
    sparse = tf.sparse.from_dense([[1.0, 2.0]])
    assert traced(lambda s: tf.sparse.reduce_sum(s), sparse)(sparse).numpy() == 3.0


def test_specifications_of_ragged_and_sparse():
    """They were taken for tensors of the same shape: the function was traced for another kind of argument."""
    rows = tf.RaggedTensorSpec([None, None], tf.int32)
    function = traced(lambda r: r * 2, rows)
    assert function(tf.ragged.constant([[1, 2], [3]])).to_list() == [[2, 4], [6]]
    assert function(r=tf.ragged.constant([[1], [3]])).to_list() == [[2], [6]]
    for wrong in [c([[1, 2]]), tf.ragged.constant([[1.0]]), 3]:
        assert refusal(lambda: function(wrong)).startswith("Can not cast")  # noqa: B023
    assert "RaggedTensorSpec" in str(function)

    spec = tf.SparseTensorSpec([None, None], tf.float32)
    function = tf.function(
        lambda s, k: tf.sparse.reduce_sum(s) * k, input_signature=[spec, SCALAR]
    ).get_concrete_function()
    assert function(tf.sparse.from_dense([[1.0, 2.0]]), 3.0).numpy() == 9.0


# ---- what can be no argument


@pytest.mark.parametrize("value", [set(), {1}, bytearray(b"a")])
def test_what_changes_unseen(value):
    """A set was known by its identity: what was added to it later, the trace never saw."""
    with pytest.raises(TypeError, match="Could not generate a generic TraceType for"):
        tf.function(lambda s: c(1.0))(value)


def test_names_that_become_one():
    f = tf.function(lambda **k: k["a b"])
    assert f(**{"a b": c(1.0)}).numpy() == 1.0
    with pytest.raises(ValueError, match="Name collision after sanitization"):
        f(**{"a b": c(1.0), "a_b": c(2.0)})


def test_a_parameter_that_was_left_out_for_its_default():
    """Calling the trace raised a KeyError."""
    x = tf.constant([1.0, 2.0])
    trace = tf.function(lambda x, *, k=3.0: x * k, input_signature=[tf.TensorSpec([2])]).get_concrete_function()
    assert trace(x).numpy().tolist() == trace(x, k=3.0).numpy().tolist() == [3, 6]
    with pytest.raises(TypeError, match=r"Can not cast 4.0 to Literal\[3.0\]"):
        trace(x, k=4.0)
