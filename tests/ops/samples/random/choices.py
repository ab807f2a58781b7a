from bisect import bisect
from functools import reduce
from itertools import accumulate, islice
from math import exp
from operator import xor

import numpy as np

from tests.ops.samples.sample import between, held, of, referred

from . import philox
from .draws import KEY

SEED = np.array([1, 2])


def _categorical(key, logits, num_samples, dtype):
    """Where a uniform number falls among the summed weights."""
    drawn = philox.uniform(key, np.dtype("float64"))
    summed = [list(accumulate(map(exp, row))) for row in logits.tolist()]
    found = [[bisect(row, u * row[-1]) for u in islice(drawn, num_samples)] for row in summed]
    return np.array(found, dtype).reshape(len(logits), num_samples)


def _permutation(key, size):
    """Fisher and Yates."""
    out = list(range(size))
    for i, word in zip(range(size - 1), philox.words(key)):
        j = i + word % (size - i)
        out[i], out[j] = out[j], out[i]
    return out


def _sobol_points(dim, count, first, dtype):
    """By Gray's code, from direction numbers of the polynomials 1 and x + 1."""
    bits_of_first = [1 << 30 - j for j in range(31)]
    second = [1 << 30]
    for _ in bits_of_first[1:]:
        second.append(second[-1] ^ second[-1] >> 1)
    out = np.zeros((count, dim), dtype)
    for row, n in enumerate(range(first, first + count)):
        code = n ^ n >> 1
        for column, directions in enumerate([bits_of_first, second][:dim]):
            bits = [v for j, v in enumerate(directions) if code >> j & 1]
            out[row, column] = reduce(xor, bits, 0) / 2.0**31
    return out


def _is_part_of_a_permutation(out, seed, index, max_index):
    assert out.shape == index.shape and ((out >= 0) & (out <= max_index)).all()
    assert len(set(out.flat)) == out.size
    if max_index > 10:
        assert out.tolist() != index.tolist()


def _are_classes(out, key, weights, law, range_max, num_sampled, unique):
    classes, tries = out
    possible = set(range(range_max)) - ({1} if law == "weights" else set())  # which has no weight
    assert set(classes.tolist()) <= possible and len(classes) == num_sampled
    assert len(set(classes.tolist())) == num_sampled <= tries if unique else tries == num_sampled
    if num_sampled > 1000:
        laws = {"uniform": [1, 1, 1], "log_uniform": np.log([2, 3 / 2, 4 / 3]), "weights": weights}
        share = np.bincount(classes, minlength=range_max) / num_sampled
        np.testing.assert_allclose(share, laws[law] / np.sum(laws[law]), atol=0.03)


SAMPLES = {
    "random_categorical": [of(KEY, between(-1, 1, 2, 5), num_samples=n, dtype=np.dtype("int64")) for n in (0, 3, 20)],
    "random_permutation": [of(KEY, size=7), of(KEY, size=0)],
    "shuffled_index": [
        of(SEED, np.arange(13), max_index=12),
        of(SEED, np.int32(0), max_index=0),
        of(SEED, np.zeros(0, np.int32), max_index=5),
    ],
    "sample_classes": [
        of(KEY, np.array([0.5, 0.0, 0.2]), law=law, range_max=3, num_sampled=2, unique=unique)
        for law in ("uniform", "log_uniform", "weights")
        for unique in (False, True)
    ]
    + [
        of(KEY, np.array([0.5, 0.0, 0.2]), law=law, range_max=3, num_sampled=4000, unique=False)
        for law in ("uniform", "log_uniform", "weights")
    ],
    "sobol_points": [
        of(dim=dim, count=count, first=first, dtype=np.dtype(dtype))
        for dim, count, first, dtype in ((1, 3, 1, "float64"), (2, 9, 6, "float32"), (2, 40, 1, "float64"))
    ],
}

SAMPLES = referred(
    SAMPLES, random_categorical=_categorical, random_permutation=_permutation, sobol_points=_sobol_points
)
SAMPLES = held(SAMPLES, shuffled_index=_is_part_of_a_permutation, sample_classes=_are_classes)
