"""Blocks of any size give what one block gives."""

import numpy as np
import pytest

from tapeflow.engines.numpy.nn import attention as kernels
from tests.ops.samples.nn.attention import SAMPLES
from tests.rounding import close

CASES = [(name, i) for name, samples in SAMPLES.items() for i in range(len(samples))]


def everything(name, sample):
    found = getattr(kernels, name)(*sample.args, **sample.params)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("block", [1, 7, 40])
@pytest.mark.parametrize(("name", "index"), CASES)
def test_blocks(monkeypatch, name, index, block):
    sample = SAMPLES[name][index]
    want = everything(name, sample)
    monkeypatch.setattr(kernels, "_BLOCK", block)
    for a, b in zip(everything(name, sample), want):
        close(a, b, terms=20, size=10)


def test_blocks_cover_every_query_once():
    for sizes in [(1, 1, 1, 1, 1), (3, 2, 2, 5, 4), (2, 3, 1, 700, 900), (0, 2, 1, 3, 3), (2, 2, 2, 0, 3)]:
        batch, shared, group, length, keys = sizes
        count = np.zeros((batch, shared, length), int)
        for block in kernels._blocks(batch, shared, group, length, keys):
            count[block] += 1
        assert (count == 1).all()
