"""Philox 4x32-10: the published test vectors, and the two ways to compute it."""

import numpy as np
import pytest

from tapeflow.core.random import philox


@pytest.mark.parametrize(
    "counter,key,words",
    [
        ((0, 0), 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((2**64 - 1, 2**64 - 1), 2**64 - 1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ((0x85A308D3243F6A88, 0x0370734413198A2E), 0x299F31D0A4093822, "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_published_vectors(counter, key, words):
    want = [int(w, 16) for w in words.split()]
    assert list(philox.block(*counter, key)) == want
    start = np.array([*counter, key], np.uint64)
    assert philox.blocks(start, 1)[0].tolist() == want
    assert philox.blocks(start, 100)[0].tolist() == want


def test_counters_carry():
    key = np.array([2**64 - 3, 5, 9], np.uint64)
    many = philox.blocks(key, 20_000)
    for k in (0, 2, 3, 4, 8191, 8192, 19_999):
        one = philox.blocks(philox.advanced(key, k), 1)[0]
        np.testing.assert_array_equal(many[k], one)
        np.testing.assert_array_equal(philox.blocks_at(key, np.array([[k]], np.uint64))[0, 0], one)
    assert philox.advanced(key, 3).tolist() == [0, 6, 9]


def test_none():
    assert philox.blocks(np.zeros(3, np.uint64), 0).shape == (0, 4)
    assert philox.blocks_at(np.zeros(3, np.uint64), np.zeros((0, 2), np.uint64)).shape == (0, 2, 4)
