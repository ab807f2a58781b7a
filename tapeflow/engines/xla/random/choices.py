"""Random choices (see `ops/random/choices.py`): the same as NumPy's kernels make."""

import math

import jax.numpy as jnp
from jax import lax
from jax.dtypes import canonicalize_dtype

from tapeflow.core.errors import invalid
from tapeflow.engines.recipes import half_of, round_keys

from .draws import keyed, unit
from .samplers import words


def _cumulative(weights):
    """Cumulative weights. XLA adds in an order of its own: classes of weight 0 must not gain by that."""
    return lax.cummax(jnp.where(weights > 0, jnp.cumsum(weights, -1), 0), weights.ndim - 1)


@keyed
def random_categorical(key, logits, num_samples, dtype):
    wide = logits.astype(jnp.float64)
    finite = jnp.isfinite(wide)
    top = jnp.max(wide, 1, keepdims=True, initial=-jnp.inf, where=finite)
    summed = _cumulative(jnp.where(finite, jnp.exp(jnp.where(finite, wide - top, 0)), 0))
    drawn = unit(key, (len(logits), num_samples), wide.dtype)
    return _searched(summed, drawn * summed[:, -1:]).astype(canonicalize_dtype(dtype))


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
    """Fisher and Yates: each place in turn is swapped with one from there on."""
    left = jnp.arange(size, 1, -1, dtype=jnp.uint32)
    steps = (words.bits(key, len(left), jnp.uint32) % left).astype(jnp.int64)

    def swap(i, order):
        j = i + steps[i]
        return order.at[i].set(order[j]).at[j].set(order[i])

    order = jnp.arange(size, dtype=jnp.int64)
    return lax.fori_loop(0, len(left), swap, order) if size > 1 else order


# ---- an index in a permutation that is never written out


@keyed
def shuffled_index(seed, index, max_index):
    """Four Feistel rounds, and again for those beyond `max_index`."""
    if not max_index:
        return jnp.zeros_like(index)
    half = half_of(max_index)
    low = jnp.uint64((1 << half) - 1)
    turned = lambda x, by: (x << by | x >> (half - by)) & low
    mixed = lambda x: turned(x, 1) & turned(x, 8) ^ turned(x, 2)
    first, second = seed.astype(jnp.uint32).astype(jnp.uint64)
    keys = round_keys(first, second, half, jnp.uint64)

    def rounds(out):
        left, right = out >> half, out & low
        for k in (0, 2):
            left = left ^ mixed(right) ^ keys[k]
            right = right ^ mixed(left) ^ keys[k + 1]
        return (left << half) | right

    most = jnp.uint64(int(max_index))
    going = lambda out: (out > most).any()
    out = lax.while_loop(going, lambda out: jnp.where(out > most, rounds(out), out), rounds(index.astype(jnp.uint64)))
    return out.astype(index.dtype)


# ---- candidates for sampled losses


@keyed
def sample_classes(key, weights, law, range_max, num_sampled, unique):
    """Drawn in blocks, with what is new in a block added in its order. (Weights with too few classes leave zeros at
    the end.)"""
    draw = _class_drawer(weights, law, range_max)
    if not unique:
        return _class_blocks(key, draw, num_sampled)
    if law != "weights" and num_sampled > range_max:
        raise invalid(
            f"Sampler's range is too small: there are not {num_sampled} different classes to draw. Take fewer, or "
            "unique=False."
        )
    there = jnp.minimum(num_sampled, jnp.count_nonzero(weights)) if law == "weights" else num_sampled
    block = max(num_sampled, 16) // 2 * 2

    def step(state):
        found, count, tries, read = state
        drawn, valid = draw(words.advanced(key, read), block)
        new = _first_of_equals(jnp.concatenate([found, jnp.where(valid, drawn, -1)]))[num_sampled:] & valid
        place = count + jnp.cumsum(new) - 1
        found = found.at[jnp.where(new, place, num_sampled)].set(drawn, mode="drop")
        # How many of the block, if it has all that was missing.
        needed = jnp.cumsum(valid)[jnp.argmax(place == there - 1)]
        tries = tries + jnp.where(place[-1] + 1 >= there, needed, jnp.sum(valid))
        return found, jnp.minimum(place[-1] + 1, there), tries, read + jnp.uint64(block // 2)

    zero = jnp.zeros((), int)
    state = jnp.full(num_sampled, -1, int), zero, zero, jnp.zeros((), jnp.uint64)
    found, _, tries, _ = lax.while_loop(lambda state: state[1] < there, step, state)
    return jnp.maximum(found, 0), tries


def _class_blocks(key, draw, wanted):
    """The first classes that are valid: all but one in 2**64 / range_max."""
    drawn, valid = draw(key, wanted + 2)
    order = jnp.argsort(~valid, stable=True)[:wanted]
    return drawn[order], jnp.asarray(wanted, int)


def _class_drawer(weights, law, range_max):
    """A function of a key that draws n classes by a law, and says which of them count."""
    if law == "uniform":
        least = jnp.uint64(2**64 % range_max)

        def draw(key, n):
            drawn = words.bits(key, n, jnp.uint64)
            return (drawn % jnp.uint64(range_max)).astype(int), drawn >= least

        return draw
    if law == "log_uniform":
        draw = lambda key, n: jnp.exp(unit(key, (n,), jnp.float64) * math.log1p(range_max))
        return lambda key, n: ((draw(key, n).astype(int) - 1) % range_max, jnp.ones(n, bool))
    summed = _cumulative(weights.astype(jnp.float64))
    summed = summed / summed[-1]
    return lambda key, n: (
        jnp.searchsorted(summed, unit(key, (n,), jnp.float64), side="right").astype(int),
        jnp.ones(n, bool),
    )


def _first_of_equals(x):
    """Which elements have not come before."""
    order = jnp.argsort(x, stable=True)
    ordered = x[order]
    first = jnp.concatenate([jnp.ones(1, bool), ordered[1:] != ordered[:-1]])
    return jnp.zeros(x.shape, bool).at[order].set(first)
