"""Every NumPy function we have, against NumPy: values and dtypes on its example, and gradients through `np.f(tensor)`
on a tape."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.interop.numpy_functions import EXAMPLES, FUNCTIONS
from tapeflow.api.interop.taped_array import TapedArray

# Determined only up to signs or order, or by nothing: the docstring's example checks what can be checked.
NOT_COMPARABLE = {"linalg.qr", "linalg.svd", "linalg.eigh", "linalg.eig", "linalg.eigvals", "empty_like"}
# Where finite differences say nothing: jumps, ties, infinities, an input read by one triangle, and numbers that say
# what to do.
NO_DIFFERENCES = {
    "nan_to_num",
    "heaviside",
    "unique",
    "linalg.cholesky",
    "rint",
    "round",
    "around",
    "nextafter",
    "interp",
}
LISTS = {"concatenate", "concat", "stack", "vstack", "hstack", "dstack", "column_stack", "linalg.multi_dot", "select"}


def numpy_function(name):
    found = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


DEPRECATED = {"fix"}  # warns from NumPy 2.5 on; it is np.trunc
NAMES = sorted(name for name in EXAMPLES if name not in DEPRECATED and numpy_function(name) is not None)


def arguments(name):
    return eval(f"(lambda *args, **kwargs: (list(args), kwargs))({EXAMPLES[name]})", {"np": np})


def flat(x):
    return [leaf for part in x for leaf in flat(part)] if isinstance(x, (tuple, list)) else [x]


def assert_same(got, want):
    assert len(got) == len(want)
    for g, w in zip(got, map(np.asarray, want)):
        assert isinstance(g, tf.Tensor)
        assert (g.dtype.np, tuple(g.shape)) == (w.dtype, w.shape)
        np.testing.assert_allclose(g.numpy(), w, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in NOT_COMPARABLE])
def test_against_numpy(name):
    args, kwargs = arguments(name)
    with np.errstate(all="ignore"):
        assert_same(flat(FUNCTIONS[name](*args, **kwargs)), flat(numpy_function(name)(*args, **kwargs)))


def float_places(name, args):
    """Where arrays of floats are among the arguments: (position, position in a list or None, array)."""
    places = []
    for i, a in enumerate(args):
        parts = list(enumerate(a)) if name in LISTS and isinstance(a, (list, tuple)) else [(None, a)]
        for j, part in parts:
            if not np.isscalar(part) and isinstance(part, (list, np.ndarray)) and np.asarray(part).dtype.kind in "fc":
                places.append((i, j, np.asarray(part)))
    return places


def call(name, args, kwargs, places, values):
    args = [list(a) if isinstance(a, (list, tuple)) and name in LISTS else a for a in args]
    for (i, j, _), value in zip(places, values):
        if j is None:
            args[i] = value
        else:
            args[i][j] = value
    return flat(numpy_function(name)(*args, **kwargs))


MAKERS = {"array", "asarray", "full", "linspace", "logspace", "geomspace"}  # NumPy does not ask tensors about these
WITH_FLOATS = [n for n in NAMES if n not in MAKERS and float_places(n, arguments(n)[0])]


@pytest.mark.parametrize("name", WITH_FLOATS)
def test_numpy_calls_stay_on_the_tape(name):
    args, kwargs = arguments(name)
    places = float_places(name, args)
    arrays = [a for _, _, a in places]
    xs = [tf.constant(a) for a in arrays]
    with np.errstate(all="ignore"):
        want = call(name, args, kwargs, places, arrays)
        unwatched = call(name, args, kwargs, places, xs)
        with tf.GradientTape() as tape:
            tape.watch(xs)
            got = call(name, args, kwargs, places, xs)
    assert not any(isinstance(u, (tf.Tensor, TapedArray)) for u in unwatched)
    assert not any(isinstance(g, tf.Tensor) for g in got)
    if name in ("allclose", "array_equal"):  # a question, answered by Python's bool
        assert got == want
        return
    if name in NOT_COMPARABLE:
        return
    for g, w in zip(got, map(np.asarray, want), strict=True):
        g = np.asarray(g)
        assert (g.dtype, g.shape) == (w.dtype, w.shape)
        np.testing.assert_allclose(g, w, rtol=1e-6, atol=1e-12)
    targets = [g for g in got if isinstance(g, TapedArray)]
    if not targets or name in NO_DIFFERENCES:
        return
    grads = tape.gradient(targets, xs, unconnected_gradients="zero")
    rng = np.random.default_rng(0)
    vs = [rng.normal(size=a.shape) for a in arrays]

    def total(step):
        with np.errstate(all="ignore"):
            outs = call(name, args, kwargs, places, [a + step * v for a, v in zip(arrays, vs)])
        return sum(float(np.nansum(np.real(o))) for o in outs if np.asarray(o).dtype.kind in "fc")

    numeric = (total(1e-6) - total(-1e-6)) / 2e-6
    ours = sum(float(np.sum(np.real(tf.convert_to_tensor(g).numpy()) * np.nan_to_num(v))) for g, v in zip(grads, vs))
    if np.isfinite(numeric):
        assert ours == pytest.approx(numeric, rel=1e-4, abs=1e-6)


# ---- details that one example does not show


def tnp(name, *args, **kwargs):
    return FUNCTIONS[name](*args, **kwargs).numpy()


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.uint8, np.int32, np.int64, np.float16, np.float32, np.float64, np.complex64]
)
@pytest.mark.parametrize(
    "name",
    ["sum", "prod", "mean", "std", "max", "cumsum", "sqrt", "negative", "add", "multiply", "maximum", "divide", "abs"],
)
def test_dtypes_are_numpys(name, dtype):
    a = np.array([[1, 0], [1, 1]]).astype(dtype)
    args = (a, a) if name in ("add", "multiply", "maximum", "divide") else (a,)
    try:
        with np.errstate(all="ignore"):
            want = getattr(np, name)(*args)
    except TypeError:
        return
    if name in ("max", "maximum") and dtype is np.complex64:
        return  # complex numbers have no order here
    with np.errstate(all="ignore"):
        got = tnp(name, *args)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-3)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (-1, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    "name", ["sum", "prod", "mean", "var", "std", "max", "min", "median", "all", "any", "nansum", "nanmean", "ptp"]
)
def test_reductions_over_axes(name, axis, keepdims):
    a = np.random.default_rng(0).normal(size=(2, 3, 4))
    np.testing.assert_allclose(tnp(name, a, axis, keepdims=keepdims), getattr(np, name)(a, axis, keepdims=keepdims))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("q", [0.0, 0.3, 1.0, [0.1, 0.9]])
@pytest.mark.parametrize("axis", [None, 1, (0, 1)])
def test_quantiles(method, q, axis):
    a = np.random.default_rng(0).normal(size=(4, 5))
    np.testing.assert_allclose(tnp("quantile", a, q, axis, method=method), np.quantile(a, q, axis, method=method))


@pytest.mark.parametrize("ord", [None, 1, 2, np.inf, -np.inf, 0, 3, -1, "fro", "nuc", -2])
@pytest.mark.parametrize("axis", [None, 0, (0, 1), (1, 0)])
def test_norms(ord, axis):
    a = np.random.default_rng(0).normal(size=(3, 4))
    try:
        want = np.linalg.norm(a, ord, axis)
    except (ValueError, TypeError):
        return
    np.testing.assert_allclose(tnp("linalg.norm", a, ord, axis), want)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_padding(mode):
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(tnp("pad", a, ((1, 0), (2, 1)), mode), np.pad(a, ((1, 0), (2, 1)), mode))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("sizes", [(5, 3), (3, 5), (4, 4)])
def test_convolution(mode, sizes):
    rng = np.random.default_rng(0)
    a, v = rng.normal(size=sizes[0]), rng.normal(size=sizes[1])
    np.testing.assert_allclose(tnp("convolve", a, v, mode), np.convolve(a, v, mode))


@pytest.mark.parametrize(
    "shapes", [((), (3,)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2))]
)
@pytest.mark.parametrize("name", ["dot", "matmul", "inner", "outer", "kron"])
def test_products(name, shapes):
    a, b = (np.random.default_rng(k).normal(size=s) for k, s in enumerate(shapes))
    try:
        want = getattr(np, name)(a, b)
    except ValueError:
        return
    np.testing.assert_allclose(tnp(name, a, b), want, rtol=1e-12)


def test_sinc_has_all_derivatives_at_zero():
    x = tf.constant(0.0, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = np.sinc(x)
        g = inner.gradient(y, x)
    assert (y.numpy(), g.numpy(), outer.gradient(g, x).numpy()) == (1.0, 0.0, pytest.approx(-(np.pi**2) / 3))


def test_bad_arguments():
    for name, args, error in [
        ("sum", ([1.0], 1), np.exceptions.AxisError), ("squeeze", ([1.0, 2.0], 0), ValueError),
        ("split", ([1.0, 2.0, 3.0], 2), ValueError), ("quantile", ([1.0], 0.5, None, None, False, "odd"), ValueError),
        ("cross", ([1.0], [2.0]), ValueError), ("power", ([2], [-1]), tf.errors.InvalidArgumentError),
        ("pad", ([1.0], 1, "odd"), ValueError), ("cumulative_sum", ([[1.0]],), ValueError),
    ]:  # fmt: skip
        with pytest.raises(error):
            FUNCTIONS[name](*args)


def test_powers_of_integers_need_no_values():
    """Whether an exponent is negative is found out when a graph runs."""
    power = tf.experimental.numpy.power
    a, b = tf.constant([2, 3]), tf.constant([5, 0])
    traced = tf.function(power, autograph=False)
    assert traced(a, b).numpy().tolist() == tf.vectorized_map(lambda p: power(*p), (a, b)).numpy().tolist() == [32, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative integer powers"):
        traced(a, -b)


@pytest.mark.parametrize("name", ["std", "nanstd"])
def test_slope_of_a_deviation_of_zero(name):
    x = tf.constant([5.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.experimental.numpy, name)(x)
    np.testing.assert_array_equal(tape.gradient(y, x), [0, 0])


def test_quantiles_of_nothing():
    """They raised about an index -1 eagerly, and not inside a function."""
    tnp = tf.experimental.numpy
    assert np.isnan(tnp.median(tf.zeros([2, 0]), axis=1).numpy()).all()
    assert tf.function(lambda x: tnp.quantile(x, [0.25, 0.75]))(tf.zeros([0])).shape == (2,)


def test_matrix_rank_takes_a_tolerance_for_each_matrix():
    x = np.stack([np.diag([0.1, 0.2, 0.3])] * 2)
    for limits in ({"tol": 0.15}, {"tol": np.array([0.15, 0.25])}, {"rtol": np.array([0.5, 0.9])}):
        np.testing.assert_array_equal(
            np.linalg.matrix_rank(tf.constant(x), **limits), np.linalg.matrix_rank(x, **limits)
        )
