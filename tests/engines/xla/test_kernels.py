"""Every primitive has a kernel for XLA, whose shapes and dtypes are those of the shape rule.

Nothing is compiled here: `tests/function/running/test_compiled_registry.py` compares values, compiled, with NumPy's.
"""

import importlib
from collections.abc import Mapping
from functools import partial

import ml_dtypes
import numpy as np
import pytest

from tapeflow.core.apply import check_dtypes
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.primitive import REGISTRY, Spec
from tapeflow.core.tensor import EagerTensor
from tests.ops.samples import all_samples

jax = pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines import xla  # noqa: E402  it needs jax

SAMPLES = all_samples()
LIBRARIES, FOLDERS = {"numpy": np, "jax": jax.numpy}, {"numpy": "numpy", "jax": "xla", "native": "native"}

# What XLA cannot have, and why.
_BY_VALUES, _STRINGS = "the size of the result depends on values", "strings"
NOT_ON_XLA = {
    "compress": _BY_VALUES, "nonzero": _BY_VALUES, "true_places": _BY_VALUES, "unique": _BY_VALUES,
    "non_max_suppression_v3": _BY_VALUES, "row_ids": _BY_VALUES, "ranges": _BY_VALUES,
    "string_lower": _STRINGS, "string_upper": _STRINGS, "string_strip": _STRINGS,
    "string_length": _STRINGS, "regex_replace": _STRINGS, "regex_full_match": _STRINGS, "string_join": _STRINGS,
    "string_reduce_join": _STRINGS, "substr": _STRINGS, "as_string": _STRINGS, "string_to_number": _STRINGS,
    "string_to_hash_bucket": _STRINGS, "unicode_transcode": _STRINGS,
    "table_lookup": _STRINGS, "string_segment_join": _STRINGS, "string_parts": _STRINGS,
    "from_workers": "processes meet between programs",
    "the_same_in_workers": "processes meet between programs",
}  # fmt: skip

# Numbers come from another generator than NumPy's: shape and dtype are compared.
RANDOM = {
    "split_key", "random_uniform", "random_bits", "random_integers", "random_normal", "random_truncated_normal",
    "random_gamma", "random_poisson", "random_binomial", "random_categorical", "random_permutation", "shuffled_index",
    "sample_classes", "random_window",
}  # fmt: skip

# The signs of vectors, and the order of eigenvalues of general matrices, are those of the device's library.
FREE = {"eig", "eigvals", "eigh", "svd"}


def has_strings(sample):
    return any(np.asarray(a).dtype == object for a in sample.args)


CASES = [
    (name, k) for name, samples in sorted(SAMPLES.items()) if name not in NOT_ON_XLA
    for k, sample in enumerate(samples) if not has_strings(sample)
]  # fmt: skip


def parts(prim, out):
    return list(out) if prim.outputs else [out]


def close(got, want, what, values=True, rough=1):
    """Arrays of the same shapes and dtypes, and where `values` are to be compared with nearly the same values."""
    for a, b in zip(got, want, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), what
        if values:
            precise = b.dtype in (np.float64, np.complex128, np.int64)
            rtol, atol = (1e-6, 1e-9) if precise else (1e-4, 1e-5)
            np.testing.assert_allclose(a, b, rtol=rough * rtol, atol=rough * atol, err_msg=what)


def test_exceptions_are_primitives():
    assert NOT_ON_XLA.keys() <= REGISTRY.keys() >= RANDOM | FREE


@pytest.mark.parametrize("name", NOT_ON_XLA)
def test_exceptions_have_no_kernel(name):
    with pytest.raises(NotImplementedError):
        xla.kernel(REGISTRY[name])


# ---- names


def named_kernels():
    for name, prim in sorted(REGISTRY.items()):
        kernels = prim.kernel if isinstance(prim.kernel, Mapping) else dict.fromkeys(LIBRARIES, prim.kernel)
        yield from [(name, engine, kernel) for engine, kernel in kernels.items() if isinstance(kernel, str)]


@pytest.mark.parametrize(("name", "engine", "kernel"), list(named_kernels()))
def test_kernels_named_by_strings_are_there(name, engine, kernel):
    """A dotted name is a function of a file of the engine, any other one of its array library."""
    module, _, function = kernel.rpartition(".")
    library = importlib.import_module(f"tapeflow.engines.{FOLDERS[engine]}.{module}") if module else LIBRARIES[engine]
    assert callable(getattr(library, function)), f"{name} names {kernel!r} for {engine}"


# ---- shapes and dtypes

WIDTHS = {
    "float64": (np.float64, np.complex128), "float32": (np.float32, np.complex64),
    "float16": (np.float16, np.complex64), "bfloat16": (ml_dtypes.bfloat16, np.complex64),
}  # fmt: skip

# -1e30 stands for the logarithm of 0, and is no float16: NumPy's kernel gives NaN.
NOT_IN = {("ctc_forward", "float16")}


def calls(name, every=False):
    """(What it is, the arrays, the parameters, the results' specifications) for each sample, and the first in each
    dtype that the primitive takes."""
    prim = REGISTRY[name]
    for place, k in enumerate(k for n, k in CASES if n == name):
        params, given = SAMPLES[name][k].params, [np.asarray(a) for a in SAMPLES[name][k].args]
        floating = any(a.dtype.kind in "fc" for a in given)
        for width, kinds in WIDTHS.items():
            if (name, width) in NOT_IN or width != "float64" and (place and not every or not floating):
                continue
            dtypes = dict(zip((np.dtype(np.float64), np.dtype(np.complex128)), kinds))
            with np.errstate(all="ignore"):
                arrays = [a.astype(dtypes.get(a.dtype, a.dtype)) for a in given]
            try:
                check_dtypes(prim, tuple([EagerTensor(a) for a in arrays]))
                specs = parts(prim, prim.infer([Spec(shape=a.shape, dtype=a.dtype) for a in arrays], params))
            except InvalidArgumentError:  # not all take 16 bits
                continue
            yield f"{name}, sample {k}, {width}", arrays, params, [(tuple(s.shape), s.dtype) for s in specs]


@pytest.mark.parametrize("name", list(dict.fromkeys(name for name, _ in CASES)))
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
def test_shapes_and_dtypes(name, every):
    prim = REGISTRY[name]
    call = xla.kernel(prim)
    for what, arrays, params, want in calls(name, every):
        with jax.enable_x64(True):
            out = jax.eval_shape(partial(call, **params), *arrays)
        assert [(o.shape, o.dtype) for o in parts(prim, out)] == want, what
