"""Cleaning: fewer operations, and the same numbers to the last bit, NaN, infinities and negative zeros among them."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tapeflow.function.running.cleaning import Cleaned
from tests.function.programs import X
from tests.ops.samples import all_samples
from tests.ops.test_registry import parts, tf_tensor
from tests.rounding import close

SAMPLES = all_samples()
SPECIAL = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan])


def operations(f, *args):
    """The names of the operations that are left."""
    made = tf.function(f).get_concrete_function(*args).function
    return [node.prim.name for node in Cleaned(made.graph, made.inputs, made.outputs, made.has_effect).nodes]


def same_bits(got, want):
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    real = lambda a: np.stack([a.real, a.imag]) if a.dtype.kind == "c" else a.astype(np.float64)
    np.testing.assert_array_equal(real(got), real(want))
    np.testing.assert_array_equal(
        np.signbit(real(got)) | np.isnan(real(got)), np.signbit(real(want)) | np.isnan(real(want))
    )


# ---- what goes


def test_what_nobody_reads_goes():
    assert operations(lambda x: (tf.exp(x), tf.sin(x) * 2.0)[0], X) == ["exp"]
    assert operations(lambda x: tf.shape(tf.exp(x)), X) == []
    assert operations(lambda x: tf.zeros_like(x) + 1.0, X) == []


def test_effects_stay():
    assert "exp" not in operations(lambda x: (tf.print(x), tf.exp(x), x)[2], X)
    assert len(operations(lambda x: (tf.print(x), x)[1], X)) == 1


def test_the_same_is_computed_once():
    f = lambda x: tf.exp(x) * tf.sin(x) + tf.exp(x) / tf.sin(x)
    assert sorted(operations(f, X)) == ["add", "div", "exp", "mul", "sin"]
    close(tf.function(f)(X), f(X), terms=6)  # functions of a fused group are rounded by themselves


def test_parameters_tell_operations_apart():
    f = lambda x: (
        tf.reduce_sum(x, 0),
        tf.reduce_sum(x, 0, keepdims=True),
        tf.reduce_sum(x, 0),
        tf.cumsum(x),
        tf.cumsum(x, exclusive=True),
    )
    assert sorted(operations(f, X)) == ["cumsum", "cumsum", "reduce_sum", "reduce_sum"]
    for got, want in zip(tf.function(f)(X), f(X)):
        same_bits(got, want)


def test_random_numbers_are_not_the_same():
    first, second = tf.function(lambda: (tf.random.normal([4]), tf.random.normal([4])))()
    assert not np.array_equal(first, second)
    first, second = tf.function(lambda: [tf.random.stateless_normal([4], [1, 2])] * 2)()
    np.testing.assert_array_equal(first, second)


def test_constants_are_computed_before_the_run():
    f = lambda x: x + tf.reduce_sum(tf.exp(tf.range(4.0)) ** 2)
    assert operations(f, X) == ["add"]
    same_bits(tf.function(f)(X), f(X))


def test_functions_that_say_the_same_number_have_it_as_a_constant():
    """The tensor of `2.0` is remembered and shared: once another graph held it, it was taken for one that a program
    holds."""
    functions = [tf.function(lambda x: x * 2.0 + 1.0) for _ in range(3)]
    assert [len(f.get_concrete_function(X).function.inputs) for f in functions] == [1, 1, 1]


def test_large_constants_are_not_made_before_the_run():
    assert "broadcast_to" in operations(lambda: tf.fill([1000, 1000], 2.0))


def test_a_constant_that_cannot_be_computed_raises_when_it_runs():
    f = tf.function(lambda x, take: tf.cond(take, lambda: x + tf.gather(tf.constant([1.0]), [3]), lambda: x))
    np.testing.assert_array_equal(f(X, tf.constant(False)), X)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 3 is not in \[0, 1\)"):
        f(X, tf.constant(True))


def test_a_captured_tensor_is_no_constant():
    """A tape may watch it, and it is the same tensor in all calls, but not in the graph of its gradient."""
    c = tf.constant([2.0, 3.0, 4.0])
    f = tf.function(lambda x: x * (c * c))
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(X)
    np.testing.assert_allclose(tape.gradient(y, c), 2 * X.numpy() * c.numpy())


def test_views_of_views_are_one():
    assert operations(lambda x: tf.reshape(tf.reshape(tf.reshape(x, [3, 1]), [1, 3]), [1, 1, 3]), X) == ["reshape"]
    assert operations(lambda x: tf.reshape(tf.reshape(x, [3, 1]), [3]), X) == []
    m = tf.ones([2, 3, 4])
    assert operations(lambda x: tf.transpose(tf.transpose(x, [1, 2, 0]), [2, 0, 1]), m) == []
    assert operations(lambda x: tf.transpose(tf.transpose(x, [1, 2, 0]), [1, 2, 0]), m) == ["transpose"]
    assert operations(lambda x: tf.cast(tf.identity(tf.stop_gradient(x)), tf.float32), X) == []


# ---- what stays the same


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "complex64", "int32"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x, one, zero: x * one, lambda x, one, zero: one * x, lambda x, one, zero: x / one,
        lambda x, one, zero: x - zero, lambda x, one, zero: x + zero, lambda x, one, zero: zero + x,
        lambda x, one, zero: x * zero, lambda x, one, zero: zero - x, lambda x, one, zero: x - -zero,
        lambda x, one, zero: x + -zero, lambda x, one, zero: zero / one + x * x / one,
    ],
)  # fmt: skip
def test_neutral_numbers_leave_special_values(f, dtype):
    dtype = tf.as_dtype(dtype)
    values = SPECIAL[:4] if dtype.is_integer else SPECIAL
    if dtype.is_complex:
        values = np.array([complex(a, b) for a in values for b in values])
    x = tf.constant(values.astype(dtype.as_numpy_dtype))
    one, zero = tf.ones([], dtype), tf.zeros([], dtype)
    # The numbers are constants of the graph: made inside of it.
    traced = tf.function(lambda x: f(x, tf.cast(1, dtype), tf.cast(0, dtype)))
    same_bits(tf.cast(traced(x), tf.complex128), tf.cast(f(x, one, zero), tf.complex128))


def test_neutral_numbers_do_not_hide_a_broadcast():
    f = tf.function(lambda x: (x * tf.ones([2, 3]), x - tf.zeros([2, 1])))
    assert [y.shape for y in f(X)] == [(2, 3), (2, 3)]


@pytest.mark.parametrize("name", sorted(n for n, p in REGISTRY.items() if p.neutral))
def test_every_neutral_number_is_neutral(name):
    """What a primitive declares: with that number as the input, the other input comes out, bit by bit."""
    prim = REGISTRY[name]
    for which, value in prim.neutral.items():
        dtypes = [np.dtype(d) for d in ("float32", "float64", "float16", "int32", "uint8", "bool")]
        for dtype in [d for d in dtypes if d in prim.groups[0][1]]:
            x = (SPECIAL if dtype.kind == "f" else np.array([0, 1, 1])).astype(dtype)
            neutral = np.full(x.shape, value, dtype)
            args = [neutral if i == which else x for i in prim.inputs]
            with np.errstate(all="ignore"):
                same_bits(prim.on("numpy", np)(*args), x)


@pytest.mark.parametrize("name", sorted(n for n, p in REGISTRY.items() if p.unchanged is not None))
def test_what_changes_nothing_gives_its_input(name):
    """On all samples, where shape and dtype stay and the declaration says so: the output is the first input."""
    prim, seen = REGISTRY[name], 0
    for sample in SAMPLES[name]:
        x = np.asarray(sample.args[0])
        for params in (sample.params, sample.params | ({"shape": x.shape} if "shape" in prim.params else {})):
            out = parts(prim, prim.entry(*[tf_tensor(a) for a in sample.args], **params))[0]
            if (tuple(out.shape), out.dtype.np) == (x.shape, x.dtype) and (
                prim.unchanged is True or prim.unchanged(**params)
            ):
                np.testing.assert_array_equal(out.array, x)
                seen += 1
    assert seen or name in ("transpose", "cast")  # whose samples all change something: the tests above have others


@pytest.mark.parametrize("name", sorted(n for n, p in REGISTRY.items() if p.merges is not None))
def test_two_that_merge_are_one(name):
    """A sample, and then every other sample's parameters that fit its result: in one step and in two."""
    prim, seen = REGISTRY[name], 0
    for sample in SAMPLES[name]:
        first = prim.entry(tf_tensor(sample.args[0]), **sample.params)
        for other in [*SAMPLES[name], sample]:
            try:
                want = prim.entry(first, **other.params)
            except tf.errors.InvalidArgumentError:
                continue
            got = prim.entry(tf_tensor(sample.args[0]), **prim.merges(sample.params, other.params))
            np.testing.assert_array_equal(got.array, want.array)
            seen += 1
    assert seen
