"""Random choices: classes, permutations, candidates for sampled losses. Pure functions of `key`, as in `random.py`."""

import math

import numpy as np

from tapeflow.core.batching import leading
from tapeflow.core.dtypes import FLOATING, INTEGER
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import CUT, Spec, primitive
from tapeflow.core.streams import generator

from .fitting import check_exact_rank, check_same
from .random import check_key, drawing

_KEY = frozenset({np.dtype("uint64")})


def _categorical(key, logits, num_samples, dtype):
    """By cumulative probabilities; the last is exactly 1, so that a draw below 1 never falls past it."""
    *batch, classes = logits.shape
    drawn = np.empty((*batch, num_samples))
    for i in np.ndindex(key.shape[:-1]):
        drawn[i] = generator(key[i]).random(drawn[i].shape)
    logits, u = logits.reshape(-1, classes).astype(np.float64), drawn.reshape(math.prod(batch), num_samples)
    summed = np.cumsum(np.exp(logits - logits.max(1, keepdims=True)), 1)
    summed /= summed[:, -1:]
    out = np.empty(u.shape, dtype)
    if num_samples <= 8:
        for j in range(num_samples):
            out[:, j] = np.count_nonzero(summed <= u[:, j : j + 1], axis=1)
    else:
        for i in range(len(logits)):
            out[i] = np.searchsorted(summed[i], u[i], side="right")
    return out.reshape(drawn.shape)


def _categorical_shape(key, logits, num_samples, dtype):
    check_key(key, logits)
    check_exact_rank(logits, len(key.shape) + 1, "logits")
    return Spec(shape=(*logits.shape[:-1], num_samples), dtype=dtype)


# One row of choices for each row of `logits`, a matrix with at least one column; or several matrices, with a key for each.
random_categorical = primitive(
    "random_categorical(key, logits, *, num_samples, dtype)",
    kernel={"numpy": _categorical, "jax": "choices.random_categorical"},
    shape=_categorical_shape,
    vjp=CUT,
    batch=leading,
    dtypes={"key": _KEY, "logits": FLOATING},
)

random_permutation = drawing(
    "random_permutation(key, *, size)",
    lambda rng, size: rng.permutation(size),
    lambda key, size: Spec(shape=(*key.shape[:-1], size), dtype=np.dtype("int64")),
    home="choices",
)


def _mixed(value, word):
    """A hash of 64-bit numbers, in place of a table: multiply, fold, multiply, fold."""
    value = (value ^ word) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))


def _shuffled_index(rng, index, max_index):
    """Four Feistel rounds permute the numbers of an even count of bits; whoever lands beyond `max_index` goes round again."""
    half = np.uint64(max(1, (int(max_index).bit_length() + 1) // 2))
    low = np.uint64((1 << int(half)) - 1)
    words = rng.integers(0, 2**64, 4, np.uint64)
    out = np.atleast_1d(np.asarray(index)).astype(np.uint64)
    going = np.ones(out.shape, bool)
    while going.any():
        left, right = out[going] >> half, out[going] & low
        for word in words:
            left, right = right, left ^ (_mixed(right, word) & low)
        out[going] = (left << half) | right
        going = out > max_index
    return out.reshape(np.shape(index)).astype(index.dtype)[()]


# Where `index` goes in a permutation of 0 … max_index that is never written out.
shuffled_index = drawing(
    "shuffled_index(key, index, *, max_index)",
    _shuffled_index,
    lambda key, index, max_index: index,
    home="choices",
    dtypes={"key": _KEY, "index": INTEGER},
)

# ---- candidates for sampled losses


def _class_drawer(rng, weights, law, range_max):
    """A function that draws n classes by a law: "uniform", "log_uniform", or "weights"."""
    if law == "uniform":
        return lambda n: rng.integers(0, range_max, n)
    if law == "log_uniform":
        return lambda n: (np.exp(rng.random(n) * math.log(range_max + 1)).astype(np.int64) - 1) % range_max
    summed = np.cumsum(weights, dtype=np.float64)
    summed /= summed[-1]
    return lambda n: np.searchsorted(summed, rng.random(n), side="right")


def _sample_classes(key, weights, law, range_max, num_sampled, unique):
    draw = _class_drawer(generator(key), weights, law, range_max)
    if not unique:
        return draw(num_sampled), np.int64(num_sampled)
    if num_sampled > (np.count_nonzero(weights) if law == "weights" else range_max):
        raise invalid(
            f"Sampler's range is too small: there are not {num_sampled} different classes to draw. Take fewer, or unique=False."
        )
    found: dict[int, None] = {}
    tries = 0
    while len(found) < num_sampled:
        for c in draw(max(num_sampled - len(found), 16)).tolist():
            tries += 1
            found.setdefault(c)
            if len(found) == num_sampled:
                break
    return np.array(list(found), np.int64), np.int64(tries)


def _sample_shape(key, weights, law, range_max, num_sampled, unique):
    check_same("A key and its four words", key.shape, (4,))
    check_exact_rank(weights, 1, "weights")
    return Spec(shape=(num_sampled,), dtype=np.dtype("int64")), Spec(shape=(), dtype=np.dtype("int64"))


# Classes drawn with or without repetition, and how many draws that took. `weights` counts only for the law "weights".
sample_classes = primitive(
    "sample_classes(key, weights, *, law, range_max, num_sampled, unique)",
    kernel={"numpy": _sample_classes, "jax": "choices.sample_classes"},
    shape=_sample_shape,
    vjp=CUT,
    dtypes={"key": _KEY, "weights": FLOATING},
    outputs=("classes", "tries"),
)
