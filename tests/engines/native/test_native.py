"""Native kernels give what NumPy's give, to rounding: NaN, infinities and zeros too, for any number of threads."""

import ctypes
import importlib
import os
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import pytest

from tapeflow.core.contracts import supplied
from tapeflow.core.primitive import REGISTRY
from tapeflow.engines import native
from tapeflow.engines.native import building
from tapeflow.engines.native.library import lend_blas, library
from tests.engines.native.calls import BOUNDS, CALLS
from tests.engines.native.nn.test_convolutions import convolution_calls
from tests.ops.samples import all_samples

SAMPLES = all_samples()
NAMED = {
    name: prim.kernel["native"]
    for name, prim in REGISTRY.items()
    if isinstance(prim.kernel, Mapping) and "native" in prim.kernel
}

needs_library = pytest.mark.skipif(library.functions is None, reason=f"the C library is {library.state}")


def both(name, arrays, params):
    """What the native kernel gives, or None; what NumPy's gives."""
    numpy_kernel = REGISTRY[name].on("numpy", np)
    with np.errstate(all="ignore"):
        return native.named(NAMED[name])(*arrays, **params), getattr(numpy_kernel, "plain", numpy_kernel)(
            *arrays, **params
        )


def same(got, want, name, terms=1.0):
    """`terms`: how large the numbers are that are added up for a result, where that is more than 1; a tuple says it
    for each of several results."""
    results = [x if isinstance(x, tuple) else (x,) for x in (got, want)]
    bounds = terms if isinstance(terms, tuple) else (terms,) * len(results[1])
    for one, other, size in zip(*results, bounds, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype), name
        assert (np.isfinite(one) == np.isfinite(other)).all(), name
        odd = ~np.isfinite(other)
        np.testing.assert_array_equal(one[odd], other[odd], err_msg=name)
        apart = np.abs(np.where(odd, 0, one).astype(float) - np.where(odd, 0, other))
        rounding = 4e-6 if name == "gelu_tanh_grad" else 1e-6  # it takes the square of a tanh near 1 from 1
        allowed = 1e-5 * np.abs(np.where(odd, 0, other)) + rounding * np.maximum(1.0, size)
        assert (apart <= allowed).all(), (name, np.max(apart - allowed))
        # Of small arrays NumPy's relu gives other signs of zero than of large ones, which alone come here.
        if name.startswith(("relu", "leaky")) and one.size >= native.LARGE:
            np.testing.assert_array_equal(np.signbit(one), np.signbit(other), err_msg=name)


def terms_of(name, arrays, params):
    """How large the numbers are that a result is made of: all of a row or a window, or a gradient."""
    if name == "matmul":
        return np.matmul(*[np.abs(a) for a in arrays])
    if name.startswith(("conv", "window")):
        sizes = [np.abs(np.nan_to_num(a, posinf=0, neginf=0), dtype=float) for a in arrays]
        return both(name, sizes, params)[1]
    if name in BOUNDS:
        with np.errstate(all="ignore"):
            return BOUNDS[name](
                *[
                    np.nan_to_num(a, posinf=0, neginf=0).astype(float if a.dtype.kind == "f" else a.dtype)
                    for a in arrays
                ],
                **params,
            )
    size = np.abs(np.nan_to_num(arrays[0], posinf=0, neginf=0), dtype=float)
    return size.sum(params["axis"], keepdims=True) if "axis" in params else size if "_grad" in name else 1.0


def in_singles(sample):
    arrays = [np.asarray(a) for a in sample.args]
    return [np.asarray(a, np.float32, order="C") if a.dtype.kind == "f" else a for a in arrays]


@needs_library
@pytest.mark.parametrize("name", sorted(NAMED))
def test_every_sample(name):
    taken = 0
    for sample in SAMPLES[name]:
        arrays = in_singles(sample)
        got, want = both(name, arrays, sample.params)
        if got is not None:
            taken += 1
            same(got, want, name, terms_of(name, arrays, sample.params))
    assert taken, f"no sample of {name} is one for the native kernel"


ODD = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1e-45, -1e-45, 1e-38, 3e38, -3e38, 6, 88.8, -88.8, -5.7, 10.5])
WINDOWS = dict(strides=(1, 2, 2, 1), dilations=(1, 1, 1, 1))
POOLING = {"max_pool": True, "unpool": False, "window_sum": True, "window_spread": False}  # does it take images?
GEOMETRIES = [
    WINDOWS | dict(window=(1, 2, 2, 1), padding=((0, 0),) * 4),
    WINDOWS | dict(window=(1, 3, 2, 1), padding=((0, 0), (1, 1), (0, 1), (0, 0))),
    WINDOWS | dict(window=(1, 2, 3, 1), padding=((0, 0),) * 4, dilations=(1, 2, 1, 1), strides=(1, 1, 3, 1)),
]


def drawn(rng, shape, odd):
    x = (rng.normal(size=shape) * rng.choice([0.1, 1, 5, 30])).astype(np.float32)
    places = rng.random(shape) < odd
    x[places] = rng.choice(ODD, places.sum()).astype(np.float32)
    return x


def calls(name, rng, odd):
    """Arrays and parameters of any size: whole vectors and what is left over."""
    if name in CALLS:
        return CALLS[name](rng, lambda *shape: drawn(rng, shape, odd))
    count = int(rng.choice([1, 3, 15, 16, 17, 255, 257, 5000, 40000]))
    if name.startswith("conv"):
        return convolution_calls(name, rng, drawn, odd)
    if name in POOLING:
        geometry, shape = GEOMETRIES[rng.integers(3)], (3, 9, 8, int(rng.choice([5, 3, 16, 70])))
        x = drawn(rng, shape, odd)
        if name in ("max_pool", "window_sum"):
            return [x], geometry
        largest, origin = both("max_pool", [x], geometry)[1]
        arrays = [drawn(rng, largest.shape, odd), origin]
        return arrays[: len(REGISTRY[name].inputs)], geometry | {"shape": shape}
    if name == "matmul":  # what it does with odd numbers depends on the order of a sum: see linalg/test_products.py
        return [drawn(rng, (90, 80), 0), drawn(rng, (80, count % 999 + 60), 0)], {}
    rowwise = "axis" in REGISTRY[name].params
    shape = (int(rng.integers(1, 9)), count) if rowwise else (count,)
    params = {"axis": 1} if rowwise else {"alpha": 0.2} if "alpha" in REGISTRY[name].params else {}
    arrays = [drawn(rng, shape, odd) for _ in REGISTRY[name].inputs]
    if rowwise:  # whether a sum overflows may depend on the order
        arrays[0][(np.abs(arrays[0]) > 1e30) & np.isfinite(arrays[0])] = 1.0
    if name == "gelu_tanh_grad":  # whether a slope is 0 or a rounding beside it decides over inf * 0
        arrays[0][~np.isfinite(arrays[0])] = 1.0
    if name.endswith("softmax_grad"):  # of what softmax gives
        arrays[1] = both(name.removesuffix("_grad"), arrays[1:], params)[1]
    return arrays, params


@needs_library
@pytest.mark.parametrize("odd", [0, 0.02, 0.5])
@pytest.mark.parametrize("name", sorted(NAMED))
def test_any_numbers(name, odd):
    rng = np.random.default_rng(7)
    for _ in range(12):
        arrays, params = calls(name, rng, odd)
        got, want = both(name, arrays, params)
        assert got is not None, f"{name} left {[a.shape for a in arrays]} to NumPy"
        same(got, want, name, terms_of(name, arrays, params))


@needs_library
@pytest.mark.parametrize("name", sorted(NAMED))
def test_the_number_of_threads_changes_nothing(name):
    rng, found = np.random.default_rng(1), []
    if name in CALLS:
        arrays, params = CALLS[name](rng, lambda *shape: drawn(rng, shape, 0), large=True)
    elif name in POOLING:
        geometry = GEOMETRIES[0]
        x = drawn(rng, (8, 32, 32, 16), 0)
        largest, origin = both("max_pool", [x], geometry)[1]
        arrays, params = ([x], geometry) if POOLING[name] else ([largest, origin], geometry | {"shape": x.shape})
        arrays = arrays[: len(REGISTRY[name].inputs)]
    elif name.startswith("conv"):
        arrays, params = convolution_calls(name, rng, drawn, 0, batch=23)
    else:
        arrays = [drawn(rng, (3000, 70), 0.01) for _ in REGISTRY[name].inputs]
        arrays[-1] = arrays[-1].T if name == "matmul" else arrays[-1]
        params = {"axis": 1} if "axis" in REGISTRY[name].params else {}
        params |= {"alpha": 0.2} if "alpha" in REGISTRY[name].params else {}
    try:
        for threads in (1, 2, 5):
            library.functions.tapeflow_threads(threads)
            found.append(both(name, arrays, params)[0])
    finally:
        library.functions.tapeflow_threads(library.threads)
    for other in found[1:]:
        for a, b in zip(*[x if isinstance(x, tuple) else (x,) for x in (found[0], other)]):
            np.testing.assert_array_equal(a, b)


MODULES = sorted({place.rpartition(".")[0] for place in NAMED.values()})


@needs_library
@pytest.mark.parametrize("level", [1, 3, 4])
def test_every_version_of_the_library(level, monkeypatch):
    """Those for older processors are used where nobody here sees it."""
    if level > library.functions.tapeflow_level() or not (native.FOLDER / building.file_name(level)).exists():
        pytest.skip("not for this processor, or not built")
    modules = [importlib.import_module(f"{native.__name__}.{name}") for name in ("layout", *MODULES)]
    monkeypatch.setattr(library, "functions", ctypes.CDLL(str(native.FOLDER / building.file_name(level))))
    lend_blas(library.functions)
    try:
        for module in modules:
            importlib.reload(module)
        for name in sorted(NAMED):
            arrays, params = calls(name, np.random.default_rng(5), 0.02)
            got, want = both(name, arrays, params)
            same(got, want, name, terms_of(name, arrays, params))
    finally:
        monkeypatch.undo()
        for module in modules:
            importlib.reload(module)


@needs_library
def test_rows_are_added_where_numbers_say():
    """In the order in which they come, however often one does; what is out of range is for NumPy to say."""
    rng = np.random.default_rng(0)
    for shape, dtype in (((900,), np.int32), ((30, 20), np.int64)):
        table, ids = rng.normal(size=(50, 16)).astype(np.float32), rng.integers(0, 50, shape).astype(dtype)
        rows, want = rng.normal(size=(*shape, 16)).astype(np.float32), table.copy()
        np.subtract.at(want, ids, rows)
        assert supplied.add_rows(table, ids, rows, -1.0)
        np.testing.assert_array_equal(table, want)
        ids.flat[3] = 50
        assert not supplied.add_rows(table, ids, rows, -1.0)
        np.testing.assert_array_equal(table, want)
        assert not supplied.add_rows(table[:, ::2], ids, rows[..., ::2], 1.0)


@needs_library
def test_what_does_not_fit_is_left_to_numpy():
    x = np.ones((64, 64), np.float32)
    relu, softmax, gelu_grad = [native.named(NAMED[n]) for n in ("relu", "softmax", "gelu_grad")]
    unaligned = np.zeros(64 * 4 + 1, np.uint8)[1:].view(np.float32)
    for other in (x.astype(np.float64), x.T[:, ::2], x[:, :5], x.astype(">f4"), unaligned):
        assert relu(other) is None
    assert softmax(x, axis=0) is None
    assert gelu_grad(x, x[:1]) is None and gelu_grad(np.broadcast_to(x[:1], x.shape), x) is None


@needs_library
def test_large_arrays_go_there(monkeypatch):
    kernel, seen = REGISTRY["relu"].on("numpy", np), []
    cells = dict(zip(kernel.__code__.co_freevars, kernel.__closure__))
    before = cells["native"].cell_contents
    monkeypatch.setattr(cells["native"], "cell_contents", lambda x: seen.append(x.size))
    try:
        for size in (native.LARGE - 1, native.LARGE):
            kernel(np.ones(size, np.float32))
    finally:
        cells["native"].cell_contents = before
    assert seen == [native.LARGE]


FORK = """
import os, sys
import numpy as np
import tapeflow as tf
from tapeflow.engines.native.library import lend_blas, library
library.functions.tapeflow_threads(4)
x = tf.constant(np.linspace(-3, 3, 1 << 18, dtype=np.float32))
want = tf.nn.gelu(x).numpy()
if hasattr(os, "fork"):
    for _ in range(3):
        child = os.fork()
        if not child:
            os._exit(0 if (tf.nn.gelu(x).numpy() == want).all() else 1)
        assert os.waitpid(child, 0)[1] == 0
assert (tf.nn.gelu(x).numpy() == want).all()
"""


@needs_library
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_of_fork_computes():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True, timeout=60)


@needs_library
def test_from_several_threads_of_python():
    from concurrent.futures import ThreadPoolExecutor

    x = np.linspace(-3, 3, 1 << 17, dtype=np.float32)
    gelu = native.named(NAMED["gelu"])
    want = gelu(x)
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: gelu(x), range(40)):
            np.testing.assert_array_equal(got, want)
