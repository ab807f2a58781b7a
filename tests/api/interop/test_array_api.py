"""The namespace against `array_api_strict`, the standard's own minimal implementation, and programs written for the
standard."""

import inspect
import warnings

import array_api_strict as strict
import numpy as np
import pytest

import tapeflow as tf

xp = tf.constant(0.0).__array_namespace__()

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float32", "float64", "complex64", "complex128"]

UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf
    isnan log log10 log1p log2 logical_not negative positive real reciprocal round sign signbit sin sinh sqrt square
    tan tanh trunc""".split()
BINARY = """add atan2 bitwise_and bitwise_or bitwise_xor copysign divide equal greater greater_equal hypot less
    less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow
    subtract""".split()


def sample(dtype, *shape, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape) * 3
    kind = np.dtype(dtype).kind
    if kind == "b":
        return a > 0
    if kind in "iu":
        return (np.round(np.abs(a)) + 1).astype(dtype)
    return (a + 1j * rng.normal(size=shape) if kind == "c" else a).astype(dtype)


def given(module, value):
    if isinstance(value, (np.ndarray, np.generic)):
        return module.asarray(value)
    return [given(module, v) for v in value] if isinstance(value, list) else value


def call(module, name, args, kwargs):
    function = module
    for part in name.split("."):
        function = getattr(function, part)
    return function(*[given(module, a) for a in args], **kwargs)


def flat(x):
    return [leaf for part in x for leaf in flat(part)] if isinstance(x, (tuple, list)) else [x]


def compare(name, *args, **kwargs):
    """Same values, shapes and dtypes; nothing is compared where the standard does not define the function."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            want = flat(call(strict, name, args, kwargs))
        except (TypeError, ValueError, np.linalg.LinAlgError):
            return
        got = flat(call(xp, name, args, kwargs))
    assert len(got) == len(want)
    for g, w in zip(got, map(np.asarray, want)):
        assert isinstance(g, tf.Tensor)
        assert (g.numpy().dtype, tuple(g.shape)) == (w.dtype, w.shape)
        small = w.dtype in (np.float32, np.complex64)
        np.testing.assert_allclose(g.numpy(), w, rtol=2e-4 if small else 1e-6, atol=1e-4 if small else 1e-8)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_unary(name, dtype):
    for shape in ((3, 4), (), (0, 2)):
        compare(name, sample(dtype, *shape))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    for a in DTYPES:
        for b in DTYPES:
            compare(name, sample(a, 3, 1), sample(b, 4, seed=1))


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "bitwise_left_shift", "bitwise_right_shift"])
def test_integers(name):
    for dtype in DTYPES:
        compare(name, sample(dtype, 3, 1), sample(dtype, 4, seed=1))


REDUCTIONS = "sum prod max min mean all any argmax argmin count_nonzero std var".split()


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reductions(name, dtype):
    a = sample(dtype, 3, 4)
    for kwargs in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"keepdims": True}):
        compare(name, a, **kwargs)
    if not name.startswith("arg"):
        compare(name, a, axis=(0, 1))
    if name in ("std", "var"):
        compare(name, a, axis=0, correction=1)


CASES = [
    ("sort", {}), ("sort", {"axis": 0, "descending": True}), ("argsort", {}),
    ("argsort", {"axis": 0, "descending": True}), ("cumulative_sum", {"axis": 0}),
    ("cumulative_sum", {"axis": 1, "include_initial": True}), ("cumulative_prod", {"axis": 1}), ("nonzero", {}),
    ("expand_dims", {"axis": 1}), ("flip", {}), ("flip", {"axis": 1}), ("squeeze", {"axis": ()}), ("tril", {"k": 1}),
    ("triu", {"k": -1}), ("diff", {}), ("clip", {"min": 1, "max": 2}), ("zeros_like", {}), ("ones_like", {}),
    ("matrix_transpose", {}), ("unstack", {}), ("unique_all", {}), ("unique_counts", {}), ("unique_inverse", {}),
    ("unique_values", {}), ("linalg.matrix_norm", {"ord": 1}), ("linalg.matrix_norm", {"ord": 2, "keepdims": True}),
    ("linalg.matrix_norm", {"ord": "nuc"}), ("linalg.vector_norm", {}), ("linalg.vector_norm", {"axis": 0, "ord": 3}),
    ("linalg.vector_norm", {"ord": 0}), ("linalg.svdvals", {}), ("linalg.pinv", {}), ("linalg.matrix_rank", {}),
    ("linalg.diagonal", {"offset": 1}), ("linalg.trace", {}), ("fft.fft", {}), ("fft.fft", {"n": 6, "norm": "ortho"}),
    ("fft.ifft", {"axis": 0, "norm": "forward"}), ("fft.rfft", {"n": 3}), ("fft.irfft", {}), ("fft.irfft", {"n": 5}),
    ("fft.hfft", {}), ("fft.ihfft", {}), ("fft.fftn", {}), ("fft.ifftn", {"norm": "ortho"}),
    ("fft.rfftn", {"s": (2, 6), "axes": (0, 1)}), ("fft.irfftn", {}), ("fft.fftshift", {}),
    ("fft.ifftshift", {"axes": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kwargs"), CASES, ids=lambda v: str(v))
def test_functions_of_one_array(name, kwargs):
    for dtype in DTYPES:
        compare(name, sample(dtype, 3, 4), **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_several_arrays_and_numbers(dtype):
    a, b, v = sample(dtype, 3, 4), sample(dtype, 2, 4, seed=1), sample(dtype, 4, seed=2)
    square = sample(dtype, 3, 3) + np.asarray(5 * np.eye(3), dtype)
    compare("where", a > v, a, v) if np.dtype(dtype).kind not in "bc" else None
    compare("searchsorted", np.sort(v), a)
    compare("take", a, np.array([0, 2]), axis=1)
    compare("take_along_axis", a, np.array([[0, 2], [1, 1], [0, 0]]), axis=1)
    compare("isin", a, v)
    compare("concat", [a, b])
    compare("concat", [a, b], axis=None)
    compare("stack", [a, a], axis=-1)
    compare("permute_dims", sample(dtype, 2, 3, 4), (2, 0, 1))
    compare("moveaxis", sample(dtype, 2, 3, 4), 0, 2)
    compare("reshape", a, (2, -1))
    compare("roll", a, (1, 2), axis=(0, 1))
    compare("roll", a, 1)
    compare("repeat", a, 2, axis=1)
    compare("tile", a, (2, 1))
    compare("broadcast_to", v, (2, 3, 4))
    compare("broadcast_arrays", a, v)
    compare("meshgrid", v, b[0], indexing="ij")
    compare("full_like", a, 1)
    for x, y in [(a, v), (v, v), (a, a.T.copy()), (sample(dtype, 2, 3, 4), b.T.copy())]:
        compare("matmul", x, y)
    compare("tensordot", a, a, axes=((0, 1), (0, 1)))
    compare("vecdot", a, v)
    compare("linalg.outer", v, v)
    compare("linalg.cross", a[:, :3], a[:, 1:])
    for name in ("det", "inv", "slogdet"):
        compare(f"linalg.{name}", square)
        compare(f"linalg.{name}", np.stack([square, square]))
    compare("linalg.solve", square, a)
    compare("linalg.solve", square, a[:, 0])
    compare("linalg.eigvalsh", square + square.conj().T) if np.dtype(dtype).kind in "fc" else None
    compare("linalg.matrix_power", square, 3)


# ---- the namespace


def functions(module):
    own = lambda f: inspect.isfunction(f) and f.__module__.startswith("array_api_strict")
    return {name for name, value in inspect.getmembers(module) if not name.startswith("_") and own(value)}


def test_nothing_is_missing():
    newer = {
        "broadcast_shapes",
        "get_array_api_strict_flags",
        "reset_array_api_strict_flags",
        "set_array_api_strict_flags",
    }
    assert functions(strict) - newer <= set(dir(xp))
    for extension in ("linalg", "fft"):
        module = getattr(xp, extension)
        assert {n for n in functions(getattr(strict, extension)) if n in getattr(strict, extension).__all__} <= set(
            dir(module)
        )
    assert xp.__array_api_version__ == "2023.12"
    assert tf.Variable(1.0).__array_namespace__() is xp
    with pytest.raises(ValueError, match="Version"):
        tf.constant(1.0).__array_namespace__(api_version="1999.12")


def test_creation_uses_the_librarys_defaults():
    assert [xp.asarray(v).dtype for v in (1, 1.5, True, 1j)] == [tf.int32, tf.float32, tf.bool, tf.complex64]
    assert [
        f.dtype for f in (xp.zeros(2), xp.ones((2,)), xp.empty(1), xp.eye(2), xp.linspace(0, 1, 3), xp.arange(3.0))
    ] == [tf.float32] * 6
    assert xp.arange(1, 7, 2).numpy().tolist() == [1, 3, 5] and xp.full(2, 7).dtype is tf.int32
    assert xp.asarray(np.ones(2)).dtype is tf.float64 and xp.zeros(1, dtype=xp.int8).dtype is tf.int8
    x = xp.asarray([1.0])
    assert xp.asarray(x) is x and xp.asarray(x, copy=True) is not x
    assert xp.from_dlpack(np.ones(2), copy=True).dtype is tf.float64


def test_dtypes():
    assert xp.finfo(xp.complex64).dtype is tf.float32 and xp.finfo(xp.float64).eps == np.finfo(float).eps
    assert (xp.iinfo(xp.uint8).min, xp.iinfo(tf.constant([1])).bits) == (0, 32)
    assert (
        xp.isdtype(xp.float32, "real floating")
        and not xp.isdtype(xp.bool, "numeric")
        and xp.isdtype(xp.int8, (xp.int8, "bool"))
    )
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.float64, xp.float32)
    assert (
        xp.result_type(tf.constant(1, tf.int8), xp.uint8) is tf.int16 and xp.result_type(xp.float32, 1.0) is tf.float32
    )
    info = xp.__array_namespace_info__()
    assert (
        info.default_dtypes()["indexing"] is tf.int64
        and "float32" in info.dtypes(kind="real floating")
        and info.devices() == ["cpu"]
    )
    assert info.capabilities()["boolean indexing"] and info.default_device() == "cpu"
    with pytest.raises(ValueError, match="kind"):
        xp.isdtype(xp.int8, "odd")


# ---- programs for the standard differentiate


def softmax_entropy(x):
    ns = x.__array_namespace__()
    z = x - ns.max(x, axis=-1, keepdims=True)
    p = ns.exp(z) / ns.sum(ns.exp(z), axis=-1, keepdims=True)
    return -ns.sum(p * ns.log(p), axis=-1)


def whitened(x):
    ns = x.__array_namespace__()
    centred = x - ns.mean(x, axis=0)
    covariance = ns.matmul(centred.mT, centred) / x.shape[0] + ns.eye(x.shape[1], dtype=x.dtype)
    return ns.linalg.solve(ns.linalg.cholesky(covariance), centred.T) ** 2


def mixed(x):
    ns = x.__array_namespace__()
    order = ns.argsort(x[:, 0], descending=True)
    y = ns.take(x, order, axis=0)
    y = ns.concat([y, ns.flip(ns.cumulative_sum(y, axis=0), axis=1)], axis=1)
    return ns.where(y > 0, y, 0.1 * y)[..., 1:] + ns.std(x) + ns.linalg.vector_norm(x[x > 0])


@pytest.mark.parametrize("program", [softmax_entropy, whitened, mixed])
def test_programs(program):
    a = np.random.default_rng(3).normal(size=(5, 3))
    np.testing.assert_allclose(program(tf.constant(a)).numpy(), np.asarray(program(strict.asarray(a))), rtol=1e-6)
    x, v = tf.constant(a), np.random.default_rng(4).normal(size=a.shape)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = program(x)
    total = lambda s: float(np.sum(program(tf.constant(a + s * v)).numpy()))
    numeric = (total(1e-6) - total(-1e-6)) / 2e-6
    assert float(np.sum(tf.convert_to_tensor(tape.gradient(y, x)).numpy() * v)) == pytest.approx(numeric, rel=1e-5)


def test_einops():
    import einops.array_api as einops

    x = tf.constant(np.arange(24.0).reshape(2, 3, 4))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = einops.reduce(einops.rearrange(x, "a b c -> c (b a)"), "c d -> c", "mean") ** 2
    np.testing.assert_allclose(y.numpy(), x.numpy().mean((0, 1)) ** 2)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.broadcast_to(x.numpy().mean((0, 1)) / 3, (2, 3, 4)))
