"""NumPy kernels of `ops/random/choices.py`: classes, and candidates for sampled losses."""

import math

import numpy as np

from tapeflow.core.errors import invalid
from tapeflow.core.random import philox
from tapeflow.engines.numpy.random.samplers import words as drawn


def categorical(key, logits, num_samples, dtype):
    """By cumulative weights, in float64. Logits that are not finite count for nothing."""
    *batch, classes = logits.shape
    wanted = math.prod(batch[-1:]) * num_samples
    found = np.empty((*key.shape[:-1], wanted))
    for i in np.ndindex(key.shape[:-1]):
        found[i] = drawn.uniform(key[i], wanted, np.float64)
    logits, u = logits.reshape(-1, classes).astype(np.float64), found.reshape(math.prod(batch), num_samples)
    finite = np.isfinite(logits)
    top = np.max(logits, 1, keepdims=True, initial=-np.inf, where=finite)
    with np.errstate(invalid="ignore"):
        summed = np.cumsum(np.where(finite, np.exp(logits - top), 0), 1)
    u = u * summed[:, -1:]
    out = np.empty(u.shape, dtype)
    if num_samples <= 8:
        for j in range(num_samples):
            out[:, j] = np.count_nonzero(summed <= u[:, j : j + 1], axis=1)
    else:
        for row in range(len(logits)):
            out[row] = np.searchsorted(summed[row], u[row], side="right")
    return out.reshape(*batch, num_samples)


def _class_drawer(key, weights, law, range_max):
    """A function that draws the next n classes by a law: "uniform", "log_uniform", or "weights"."""
    at = 0

    def longs(n):
        nonlocal at
        out = drawn.words64(philox.advanced(key, at), n)
        at += -(-n // 2)
        return out

    def floats(n):
        nonlocal at
        out = drawn.uniform(philox.advanced(key, at), n, np.float64)
        at += -(-n // 2)
        return out

    if law == "uniform":
        least = 2**64 % range_max  # below it, some classes would have one number more than others
        return lambda n: [w % range_max for w in longs(n).tolist() if w >= least]
    if law == "log_uniform":
        return lambda n: ((np.exp(floats(n) * math.log1p(range_max)).astype(np.int64) - 1) % range_max).tolist()
    summed = np.cumsum(weights, dtype=np.float64)
    summed /= summed[-1]
    return lambda n: np.searchsorted(summed, floats(n), side="right").tolist()


def sample_classes(key, weights, law, range_max, num_sampled, unique):
    draw = _class_drawer(key, weights, law, range_max)
    if unique and num_sampled > (np.count_nonzero(weights) if law == "weights" else range_max):
        raise invalid(
            f"Sampler's range is too small: there are not {num_sampled} different classes to draw. Take fewer, or "
            "unique=False."
        )
    found: list[int] = []
    seen: set[int] = set()
    tries = 0
    while len(found) < num_sampled:
        for c in draw(max(2 * num_sampled, 16)):
            tries += 1
            if not unique or c not in seen:
                seen.add(c)
                found.append(c)
            if len(found) == num_sampled:
                break
    return np.array(found, np.int64), np.int64(tries)
