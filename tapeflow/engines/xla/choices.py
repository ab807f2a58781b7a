"""Random choices (see `ops/choices.py`): the same distributions as NumPy's kernels, other numbers."""

import math

import jax.numpy as jnp
from jax import lax, random
from jax.dtypes import canonicalize_dtype

from tapeflow.core.errors import invalid

from .random import keyed, mixed, unit

_FEW = 8  # samples up to which each class gets noise of its own: finer than sums of probabilities, and as fast


def _cumulative(weights):
    """Cumulative probabilities, the last exactly 1. XLA adds in an order of its own: classes of weight 0 must not gain by that."""
    summed = lax.cummax(jnp.where(weights > 0, jnp.cumsum(weights, -1), 0), weights.ndim - 1)
    return summed / summed[..., -1:]


@keyed
def random_categorical(key, logits, num_samples, dtype):
    rows, classes = logits.shape
    wide = logits.astype(jnp.promote_types(logits.dtype, jnp.float32))
    if num_samples <= _FEW:
        noise = random.gumbel(key, (rows, num_samples, classes), wide.dtype)
        return jnp.argmax(wide[:, None] + noise, -1).astype(canonicalize_dtype(dtype))
    summed = _cumulative(jnp.exp(wide - wide.max(1, keepdims=True)))
    drawn = unit(key, (rows, num_samples), wide.dtype)
    return _searched(summed, drawn).astype(canonicalize_dtype(dtype))


def _searched(summed, drawn):
    """How many of the sums in its row each number is not below: by halving, all rows together."""
    low = jnp.zeros(drawn.shape, jnp.int32)
    for step in [2**k for k in reversed(range(summed.shape[-1].bit_length()))]:
        at = low + step - 1
        there = jnp.take_along_axis(summed, jnp.minimum(at, summed.shape[-1] - 1), -1)
        low = jnp.where((at < summed.shape[-1]) & (there <= drawn), low + step, low)
    return low


@keyed
def random_permutation(key, size):
    return random.permutation(key, size)


# ---- an index in a permutation that is never written out


@keyed
def shuffled_index(key, index, max_index):
    """Four Feistel rounds, and again for those beyond `max_index`."""
    dtype = jnp.uint64 if index.dtype.itemsize == 8 else jnp.uint32
    half = max(1, (int(max_index).bit_length() + 1) // 2)
    low = jnp.asarray((1 << half) - 1, dtype)
    words = random.bits(key, (4,), dtype)

    def rounds(out):
        left, right = out >> half, out & low
        for word in words:
            left, right = right, left ^ (mixed(right, word) & low)
        return (left << half) | right

    most = jnp.asarray(int(max_index), dtype)
    going = lambda out: (out > most).any()
    out = lax.while_loop(going, lambda out: jnp.where(out > most, rounds(out), out), rounds(index.astype(dtype)))
    return out.astype(index.dtype)


# ---- candidates for sampled losses


@keyed
def sample_classes(key, weights, law, range_max, num_sampled, unique):
    """Drawn in blocks, with what is new in a block added in its order. (Weights with too few classes leave zeros at the end.)"""
    draw = _class_drawer(weights, law, range_max)
    if not unique:
        return draw(key, num_sampled), jnp.asarray(num_sampled, int)
    if law != "weights" and num_sampled > range_max:
        raise invalid(
            f"Sampler's range is too small: there are not {num_sampled} different classes to draw. Take fewer, or unique=False."
        )
    there = jnp.minimum(num_sampled, jnp.count_nonzero(weights)) if law == "weights" else num_sampled
    block = max(num_sampled, 16)

    def step(state):
        found, count, tries, k = state
        drawn = draw(random.fold_in(key, k), block)
        new = _first_of_equals(jnp.concatenate([found, drawn]))[num_sampled:]
        place = count + jnp.cumsum(new) - 1
        found = found.at[jnp.where(new, place, num_sampled)].set(drawn, mode="drop")
        needed = 1 + jnp.argmax(place == there - 1)  # how many of the block, if it has all that was missing
        return found, jnp.minimum(place[-1] + 1, there), tries + jnp.where(place[-1] + 1 >= there, needed, block), k + 1

    zero = jnp.zeros((), int)
    state = jnp.full(num_sampled, -1, int), zero, zero, jnp.zeros((), jnp.uint32)
    found, _, tries, _ = lax.while_loop(lambda state: state[1] < there, step, state)
    return jnp.maximum(found, 0), tries


def _class_drawer(weights, law, range_max):
    """A function of a key that draws n classes by a law."""
    if law == "uniform":
        return lambda key, n: random.randint(key, (n,), 0, range_max, int)
    wide = jnp.promote_types(weights.dtype, jnp.float32)
    if law == "log_uniform":
        draw = lambda key, n: jnp.exp(unit(key, (n,), wide) * math.log(range_max + 1))
        return lambda key, n: (draw(key, n).astype(int) - 1) % range_max
    summed = _cumulative(weights.astype(wide))
    return lambda key, n: jnp.searchsorted(summed, unit(key, (n,), wide), side="right").astype(int)


def _first_of_equals(x):
    """Which elements have not come before."""
    order = jnp.argsort(x, stable=True)
    ordered = x[order]
    first = jnp.concatenate([jnp.ones(1, bool), ordered[1:] != ordered[:-1]])
    return jnp.zeros(x.shape, bool).at[order].set(first)
