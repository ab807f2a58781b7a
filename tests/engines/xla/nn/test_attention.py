"""Rows of queries that take turns give what all at once give."""

import pytest

from tests.ops.samples.nn.attention import SAMPLES
from tests.rounding import close

CASES = [(name, i) for name, samples in SAMPLES.items() for i in range(len(samples))]


@pytest.mark.parametrize("block", [1, 40])
@pytest.mark.parametrize(("name", "index"), CASES)
def test_blocks(monkeypatch, name, index, block):
    from tapeflow.engines.xla.nn import attention as kernels

    sample = SAMPLES[name][index]
    found = []
    for at_once in (1 << 25, 0):
        monkeypatch.setattr(kernels, "_AT_ONCE", at_once)
        monkeypatch.setattr(kernels, "_BLOCK", block)
        out = getattr(kernels, name)(*(a.astype("float32") if a.dtype.kind == "f" else a for a in sample.args),
            **sample.params)  # fmt: skip
        found.append(out if isinstance(out, tuple) else (out,))
    for a, b in zip(*found):
        close(a, b, terms=20, size=10)
