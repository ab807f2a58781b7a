"""Every batching rule against the rows one by one, for every set of arguments that may carry the axis."""

import itertools

import numpy as np
import pytest

from tapeflow.core.frames import entered
from tapeflow.core.primitive import REGISTRY
from tapeflow.ops.batching import rule_of
from tapeflow.vectorize.mapped import Vectorizer

from .samples import all_samples
from .test_registry import parts, tf_tensor

SAMPLES = all_samples()
CASES = [
    (name, k)
    for name, samples in sorted(SAMPLES.items())
    for k in range(len(samples))
    if REGISTRY[name].batch is not None
]

# What has no rule computes its rows one by one. The list can only become shorter.
WITHOUT_A_RULE = {
    "non_max_suppression_v3",  # one box after the other
    "random_window",  # tries until a window fits
    "sample_classes",  # draws until there are enough different ones
    "size_tensor",  # takes no tensors
    "unique",  # as many results as there are different values
}


def test_what_has_no_rule_is_listed():
    assert {name for name, prim in REGISTRY.items() if rule_of(prim) is None} == WITHOUT_A_RULE


def rows_like(a, size):
    """Rows that differ where that cannot break anything: finite floats by a factor."""
    a = np.asarray(a)
    if a.dtype.kind in "fc" and np.isfinite(a).all():
        return np.stack([a * (1 + 0.01 * k) for k in range(size)]).astype(a.dtype)
    return np.stack([a] * size)


def checked_masks(count):
    """Which arguments carry the axis: every choice for a few, each alone and all together for many."""
    if count <= 3:
        return [m for m in itertools.product([False, True], repeat=count) if any(m)]
    return [tuple(i == k for i in range(count)) for k in range(count)] + [(True,) * count]


@pytest.mark.parametrize("name,k", CASES)
def test_rule_agrees_with_rows_one_by_one(name, k):
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    size = 3

    def one_by_one(given, mask):
        rows = [[tf_tensor(a[i] if m else a) for a, m in zip(given, mask)] for i in range(size)]
        return [parts(prim, prim.entry(*row, **sample.params)) for row in rows]

    for mask in checked_masks(len(sample.args)):
        given = [rows_like(a, size) if m else np.asarray(a) for a, m in zip(sample.args, mask)]
        try:
            want = one_by_one(given, mask)
        except Exception:  # the sample's values do not allow to be changed
            given = [np.stack([np.asarray(a)] * size) if m else np.asarray(a) for a, m in zip(sample.args, mask)]
            want = one_by_one(given, mask)
        vectorizer = Vectorizer(size, loops=False)
        with entered(vectorizer.frame()):
            out = prim.entry(
                *[vectorizer.mapped(tf_tensor(a)) if m else tf_tensor(a) for a, m in zip(given, mask)], **sample.params
            )
        for got, expected in zip(parts(prim, out), zip(*want), strict=True):
            expected = np.stack([np.asarray(e.array) for e in expected])
            held = vectorizer.rows(got).array
            assert held.dtype == expected.dtype, name
            if expected.dtype.kind == "O":
                assert held.tolist() == expected.tolist()
            else:
                np.testing.assert_allclose(held, expected, rtol=1e-5, atol=1e-8, err_msg=f"{name} with {mask}")
