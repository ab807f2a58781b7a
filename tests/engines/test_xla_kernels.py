"""Every kernel compiled by XLA against NumPy's, on the samples of the registry check."""

import numpy as np
import pytest

from tapeflow.core.primitive import REGISTRY
from tests.ops.samples import all_samples

jax = pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines import xla  # noqa: E402  it needs jax

SAMPLES = all_samples()

# What XLA cannot have, and why.
_BY_VALUES, _STRINGS = "the size of the result depends on values", "strings"
NOT_ON_XLA = {
    "compress": _BY_VALUES, "nonzero": _BY_VALUES, "true_places": _BY_VALUES, "unique": _BY_VALUES, "non_max_suppression_v3": _BY_VALUES,
    "string_lower": _STRINGS, "string_upper": _STRINGS, "string_strip": _STRINGS, "string_length": _STRINGS, "regex_replace": _STRINGS,
    "regex_full_match": _STRINGS, "string_join": _STRINGS, "string_reduce_join": _STRINGS, "substr": _STRINGS, "as_string": _STRINGS,
    "string_to_number": _STRINGS,
}  # fmt: skip

# Numbers come from another generator than NumPy's: shape and dtype are compared.
RANDOM = {
    "split_key", "random_uniform", "random_bits", "random_integers", "random_normal", "random_truncated_normal", "random_gamma",
    "random_poisson", "random_binomial", "random_categorical", "random_permutation", "shuffled_index", "sample_classes", "random_window",
}  # fmt: skip


def has_strings(sample):
    return any(np.asarray(a).dtype == object for a in sample.args)


CASES = [
    (name, k) for name, samples in sorted(SAMPLES.items()) if name not in NOT_ON_XLA
    for k, sample in enumerate(samples) if not has_strings(sample)
]  # fmt: skip


def parts(prim, out):
    return list(out) if prim.outputs else [out]


def test_exceptions_are_primitives():
    assert NOT_ON_XLA.keys() <= REGISTRY.keys() >= RANDOM


@pytest.mark.parametrize("name,k", CASES)
def test_kernel_compiled(name, k):
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    arrays = [np.asarray(a) for a in sample.args]
    with np.errstate(all="ignore"):
        want = parts(prim, prim.on("numpy", np)(*arrays, **sample.params))
    with jax.enable_x64(True):
        compiled = jax.jit(lambda *xs: xla.kernel(prim)(*xs, **sample.params))
        got = parts(prim, compiled(*arrays))
        assert len(got) == len(want)
        for a, b in zip(got, want):
            a, b = np.asarray(a), np.asarray(b)
            assert (a.shape, a.dtype) == (b.shape, b.dtype), name
            if name in RANDOM:
                continue
            precise = b.dtype in (np.float64, np.complex128, np.int64)
            np.testing.assert_allclose(a, b, rtol=1e-6 if precise else 1e-4, atol=1e-9 if precise else 1e-5, err_msg=name)
