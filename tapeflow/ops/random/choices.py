"""Random choices: classes, permutations, candidates for sampled losses. Pure functions of `key`, as in `draws.py`."""

import numpy as np

from tapeflow.core.dtypes import FLOATING, INTEGER
from tapeflow.core.fitting import check_exact_rank, check_same
from tapeflow.core.primitive import CUT, Spec, primitive
from tapeflow.engines.numpy.random import choices as kernels
from tapeflow.engines.numpy.random.samplers import words as drawn
from tapeflow.engines.recipes import half_of, round_keys
from tapeflow.ops.batching import leading

from .draws import check_key, drawing

_KEY = frozenset({np.dtype("uint64")})


def _categorical_shape(key, logits, num_samples, dtype):
    check_key(key, logits)
    check_exact_rank(logits, len(key.shape) + 1, "logits")
    return Spec(shape=(*logits.shape[:-1], num_samples), dtype=dtype)


# One row of choices for each row of `logits`, a matrix with at least one column; or several matrices, with a key for
# each.
random_categorical = primitive(
    "random_categorical(key, logits, *, num_samples, dtype)",
    kernel={"numpy": kernels.categorical, "jax": "random.choices.random_categorical"},
    shape=_categorical_shape,
    vjp=CUT,
    batch=leading,
    dtypes={"key": _KEY, "logits": FLOATING},
)


def _permutation(key, size):
    """Fisher and Yates: each place in turn is swapped with one from there on."""
    out = list(range(size))
    left = np.arange(size, 1, -1, dtype=np.uint32)
    places = np.arange(len(left)) + drawn.words32(key, len(left)) % left
    for i, j in enumerate(places.tolist()):
        here = out[i]
        out[i] = out[j]
        out[j] = here
    return np.array(out, np.int64)


random_permutation = drawing(
    "random_permutation(key, *, size)",
    _permutation,
    lambda key, size: Spec(shape=(*key.shape[:-1], size), dtype=np.dtype("int64")),
    home="choices",
)


_SMALL = 1 << 12


def _shuffled_index(seed, index, max_index):
    """Four Feistel rounds permute the numbers of an even count of bits; whoever lands beyond `max_index` goes round
    again."""
    if not max_index:
        return np.zeros_like(index)
    half = half_of(max_index)
    first, second = seed.astype(np.uint32).astype(np.uint64)
    keys = round_keys(first, second, half, np.uint64)
    by, low = np.uint64(half), np.uint64((1 << half) - 1)
    turned = lambda x, k: (x << np.uint64(k) | x >> np.uint64(half - k)) & low
    mixed = lambda x: turned(x, 1) & turned(x, 8) ^ turned(x, 2)

    def rounds(x):
        left, right = x >> by, x & low
        for k in (0, 2):
            left = left ^ mixed(right) ^ keys[k]
            right = right ^ mixed(left) ^ keys[k + 1]
        return (left << by) | right

    out = np.atleast_1d(np.asarray(index)).astype(np.uint64)
    if max_index < _SMALL:  # thousands of turns of a few numbers: by a table of where all go
        table, found = rounds(np.arange(1 << 2 * half, dtype=np.uint64)).tolist(), {}
        for i in set(out.ravel().tolist()):
            j = table[i]
            while j > max_index:
                j = table[j]
            found[i] = j
        out = np.array([found[i] for i in out.ravel().tolist()], np.uint64)
    else:
        going = np.ones(out.shape, bool)
        while going.any():
            out[going] = rounds(out[going])
            going = out > max_index
    return out.reshape(np.shape(index)).astype(index.dtype)[()]


# Where `index` goes in a permutation of 0 … max_index that is never written out, and that two integers determine.
shuffled_index = drawing(
    "shuffled_index(seed, index, *, max_index)",
    _shuffled_index,
    lambda seed, index, max_index: index,
    home="choices",
    dtypes={"seed": INTEGER, "index": INTEGER},
    words=2,
)

# ---- candidates for sampled losses


def _sample_shape(key, weights, law, range_max, num_sampled, unique):
    check_same("A key and its three words", key.shape, (3,))
    check_exact_rank(weights, 1, "weights")
    return Spec(shape=(num_sampled,), dtype=np.dtype("int64")), Spec(shape=(), dtype=np.dtype("int64"))


# Classes drawn with or without repetition, and how many draws that took. `weights` counts only for the law "weights".
sample_classes = primitive(
    "sample_classes(key, weights, *, law, range_max, num_sampled, unique)",
    kernel={"numpy": kernels.sample_classes, "jax": "random.choices.sample_classes"},
    shape=_sample_shape,
    vjp=CUT,
    dtypes={"key": _KEY, "weights": FLOATING},
    outputs=("classes", "tries"),
)


# ---- numbers that only look random


def _sobol_points(xp, dim, count, first, dtype):
    from scipy.stats import qmc

    sequence = qmc.Sobol(dim, scramble=False).fast_forward(first)
    return xp.asarray(sequence.random(count).astype(dtype))


# Points of the Sobol sequence, from one on (not the origin, point 0). A primitive, so that graphs make them late.
sobol_points = primitive(
    "sobol_points(*, dim, count, first, dtype)",
    kernel=_sobol_points,
    shape=lambda dim, count, first, dtype: Spec(shape=(count, dim), dtype=dtype),
    vjp=CUT,
)
