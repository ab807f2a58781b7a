"""A short search finds nothing that is not explained; the same with more calls is marked `long`."""

import pytest

import tapeflow as tf
from fuzz import explained, generate, report
from fuzz.search import search

CHEAP = ["plan", "open shapes", "map", "gradient", "second gradient", "forward", "gradient in a function"]


def open_ones(result):
    return [d for d in result.disagreements if explained.reason(d) is None]


@pytest.mark.parametrize("part", range(4))
def test_interpretations_agree(part):
    result = search(tf, generate.names(tf)[part::4], seed=1, rounds=1, kinds=None)
    assert not open_ones(result), report.table(result)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_interpretations_agree_on_more(seed):
    result = search(tf, generate.names(tf), seed, rounds=3)
    assert not open_ones(result), report.table(result, examples=3)
