"""A machine that rounds otherwise: kernels whose results depend on the order of a sum or on the library of functions
are off by a unit or two in the last place.

`PYTEST_PLUGINS=tests.perturbation PERTURBED=1 python -m pytest tests/ops` runs tests on it (`scripts/perturb.py` runs
them on several); the number is a seed. A test that fails there asks for more digits than the arithmetic gives, and
fails some day on somebody's processor.

What every machine gives the same way is left as it is: operations that IEEE 754 says how to round, sums of short
numbers, short results (exp(0) is 1 everywhere). And the same call gives the same result again, as it does on a
machine; of another shape it may not.
"""

import hashlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

# Rounded as IEEE 754 says, or not computed at all but chosen, moved, drawn from bits.
EXACT = set(
    """
    relu relu_grad relu6 relu6_grad leaky_relu leaky_relu_grad negative_part safe_mul safe_div zero_mul masked add sub
    mul neg add_n div floordiv floormod truncatediv truncatemod divide_no_nan reciprocal square sqrt length maximum
    minimum nextafter cast check_numerics random_uniform random_bits random_integers random_categorical
    random_permutation shuffled_index sample_classes random_window clip conj real imag complex sign log_domain floor
    ceil round compress uncompress one_hot nonzero minus_one_hot where unpool pick max_pool reduce_max reduce_min shift
    scatter_max scatter_min gather_or_zero unsorted_segment_max unsorted_segment_min sort top_k argsort
    string_to_number clear_rows table_lookup
    """.split()
)

# Linear in each input, so that the sizes of the terms are what comes of the inputs' sizes.
SUMS = set(
    """
    matmul contract conv conv_input_grad conv_filter_grad window_sum window_spread reduce_sum reduce_mean sum_squares
    l2_loss cumsum unsorted_segment_sum add_along overlap_and_add sparse_matmul
    """.split()
)


def install(seed: str) -> None:
    """Every primitive that is declared from now on computes on such a machine."""
    if "tapeflow.core.primitive" in sys.modules:
        raise RuntimeError("The primitives are declared already; install it before tapeflow is imported.")
    sys.meta_path.insert(0, _Finder(seed))


def pytest_load_initial_conftests() -> None:
    if seed := os.environ.get("PERTURBED"):
        install(seed)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, seed: str) -> None:
        self.seed = seed

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "tapeflow.core.primitive":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        spec.loader = _Loader(name, spec.loader.path)
        spec.loader.seed = self.seed
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    seed = ""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        declared, seed = module.Primitive.on, self.seed

        def on(self: Any, engine: str, xp: Any, named: Callable | None = None) -> Callable:
            first = engine not in self.engines
            kernel = declared(self, engine, xp, named)
            if first and engine == "numpy" and not self.moves and self.name not in EXACT:
                kernel = self.engines[engine] = perturbed(kernel, self.name, seed)
            return kernel

        module.Primitive.on = on


def perturbed(kernel: Callable, name: str, seed: str) -> Callable:
    if name == "abs":
        different = lambda x, y: np.iscomplexobj(x)
    elif name in SUMS:
        different = lambda *xs: not all(_short(x).all() for x in xs[:-1] if _inexact(x))
    else:
        different = lambda *_: True

    def rounded_otherwise(*xs: Any, **params: Any) -> Any:
        y = kernel(*xs, **params)
        several = isinstance(y, (tuple, list))
        ys = y if several else [y]
        if not any(_inexact(a) for a in ys) or not different(*xs, ys[0]):
            return y
        salt = _salt(seed, name, *map(np.shape, xs))
        sizes = [None] * len(ys)
        if name in SUMS:
            sizes = [np.abs(kernel(*[np.abs(x) if _inexact(x) else x for x in xs], **params))]
        ys = [_off(a, salt, size) if _inexact(a) else a for a, size in zip(ys, sizes)]
        return type(y)(ys) if several else ys[0]

    return rounded_otherwise


def _inexact(a: Any) -> bool:
    return isinstance(a, (np.ndarray, np.generic)) and a.dtype.kind in "fc" and a.dtype.itemsize > 2 and a.size > 0


def _salt(*what: Any) -> int:
    return int.from_bytes(hashlib.blake2b(repr(what).encode(), digest_size=8).digest())


def _short(a: Any) -> np.ndarray:
    """Which numbers have at most half as many digits as there is room for: what is exact is exact everywhere."""
    a = np.asarray(a)
    if a.dtype.kind == "c":
        return _short(a.real) & _short(a.imag)
    return (
        np.ldexp(np.rint(np.ldexp(m := np.frexp(a)[0], np.finfo(a.dtype).nmant // 2)), -(np.finfo(a.dtype).nmant // 2))
        == m
    )


def _off(y: Any, salt: int, size: Any) -> Any:
    """`y`, each number of it off by up to a unit in the last place, of itself or of `size`."""
    a = np.asarray(y)
    if a.dtype.kind == "c":
        sizes = (None, None) if size is None else (np.abs(size),) * 2
        new = np.empty_like(a)
        new.real, new.imag = _off(a.real, salt, sizes[0]), _off(a.imag, salt + 1, sizes[1])
        return new if isinstance(y, np.ndarray) else new[()]
    with np.errstate(all="ignore"):
        bits = (
            np.ascontiguousarray(a)
            .view(np.uint64 if a.itemsize == 8 else np.uint32)
            .astype(np.uint64)
            .reshape(a.shape)
        )
        mixed = (bits ^ np.uint64(salt % 2**64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        step = (mixed >> np.uint64(40)) % np.uint64(3)  # 0, 1, 2
        unit = np.finfo(a.dtype).eps * (np.abs(a) if size is None else size)
        new = (a + (step.astype(a.dtype) - 1) * unit).astype(a.dtype)
        kept = _short(a) | ~np.isfinite(a)
        new = np.where(kept, a, new)
    return new if isinstance(y, np.ndarray) else new[()]
