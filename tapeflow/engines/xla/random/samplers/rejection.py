"""Rejection sampling: draws that go on until a number is accepted, all samples at a time; see
`engines/numpy/random/samplers`."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.lax import lgamma

from tapeflow.engines.recipes import TRIES, normal, recipes

from .words import as_normal, as_uniform, per_block, words_at

_TAILS = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


class Buffer(NamedTuple):
    """The numbers of one block for each sample, and how many of them are left: the last comes first."""

    held: tuple
    left: jnp.ndarray


def _empty(count):
    return Buffer((jnp.zeros(count),) * 2, jnp.zeros(count, jnp.int32))


def _next(made, key, place, buffer, wanted):
    """(The place where samples read on; their buffers; a number for those `wanted`.)"""
    fresh = wanted & (buffer.left == 0)
    numbers = made(words_at(key, place), jnp.float64)
    held = tuple([jnp.where(fresh, new, old) for new, old in zip(numbers, buffer.held)])
    left = jnp.where(fresh, 2, buffer.left) - wanted
    return place + fresh.astype(jnp.uint64), Buffer(held, left), jnp.where(left == 1, held[1], held[0])


def gamma(key, alpha, numbers):
    place = numbers.astype(jnp.uint64) * np.uint64(256)
    ones, small = alpha == 1, alpha < 1
    out = jnp.where(
        ones, -jnp.log1p(-as_uniform(words_at(key, place), jnp.float64)[1]), jnp.where(alpha == 0, 0.0, jnp.nan)
    )
    d = alpha + jnp.where(small, 2 / 3, -1 / 3)
    c = (1 / 3) / jnp.sqrt(jnp.where(d > 0, d, 1))

    def step(state):
        place, normals, uniforms, going, out = state
        place, normals, x = _next(as_normal, key, place, normals, going)
        v = 1 + c * x
        tried = going & (v > 0)
        v = jnp.where(tried, v * v * v, 1)
        place, uniforms, u = _next(as_uniform, key, place, uniforms, tried)
        good = (u < 1 - 0.0331 * (x * x) * (x * x)) | (jnp.log(u) < 0.5 * x * x + d * (1 - v + jnp.log(v)))
        good &= tried
        place, uniforms, b = _next(as_uniform, key, place, uniforms, good & small)
        drawn = d * v * jnp.where(small, jnp.power(b, 1 / jnp.where(small, alpha, 1)), 1)
        return place, normals, uniforms, going & ~good, jnp.where(good, drawn, out)

    count = len(alpha)
    start = place, _empty(count), _empty(count), (alpha > 0) & ~ones, out
    return lax.while_loop(lambda state: state[3].any(), step, start)[4]


def poisson(key, rate, numbers):
    start = numbers.astype(jnp.uint64) * np.uint64(256)
    few, many = rate < 10, rate >= 10
    limit = jnp.exp(-rate)

    def multiply(state):
        place, product, x, going = state
        for u in as_uniform(words_at(key, place), jnp.float64)[::-1]:
            product = jnp.where(going, product * u, product)
            going &= product > limit
            x = x + going
        return place + np.uint64(1), product, x, going

    ones = jnp.ones_like(rate)
    out = lax.while_loop(lambda state: state[3].any(), multiply, (start, ones, jnp.zeros_like(rate), few))[2]
    safe = jnp.where(many, rate, 10)
    b = 0.931 + 2.53 * jnp.sqrt(safe)
    a = -0.059 + 0.02483 * b
    inverse, box = 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2)

    def reject(state):
        place, going, out = state
        v, u = as_uniform(words_at(key, place), jnp.float64)
        u = u - 0.5
        shifted = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / shifted + b) * u + safe + 0.43)
        possible = ~((k < 0) | ((shifted < 0.013) & (v > shifted)))
        s = jnp.log(v * inverse / (a / (shifted * shifted) + b))
        good = ((shifted >= 0.07) & (v <= box)) | possible & (s <= -safe + k * jnp.log(safe) - lgamma(k + 1))
        return place + np.uint64(1), going & ~good, jnp.where(going & good, k, out)

    out = lax.while_loop(lambda state: state[1].any(), reject, (start, many, out))[2]
    return jnp.where(few | many, out, jnp.nan)


def binomial(key, count, prob, numbers):
    none, sure = (count <= 0) | (prob <= 0), prob >= 1
    flipped = prob > 0.5
    share = jnp.where(flipped, 1 - prob, prob)
    many = count * share >= 10
    inside = ~none & ~sure & ~jnp.isnan(prob) & ~jnp.isnan(count)
    count, share = count.astype(jnp.float64), share.astype(jnp.float64)
    number = numbers.astype(jnp.uint64)
    out = jnp.where(
        many,
        _btrs(
            key,
            number * np.uint64(256),
            jnp.where(inside & many, count, 40),
            jnp.where(inside & many, share, 0.5),
            inside & many,
        ),
        _by_waiting(key, number * np.uint64(42), count, jnp.where(inside, share, 0.5), inside & ~many),
    )
    out = jnp.where(flipped, count - out, out)
    return jnp.where(none, 0.0, jnp.where(sure, count, jnp.where(inside, out, jnp.nan)))


def _by_waiting(key, start, count, prob, going):
    rate = jnp.log1p(-prob)

    def step(state):
        place, passed, found, going = state
        for u in as_uniform(words_at(key, place), jnp.float64)[::-1]:
            passed = passed + jnp.ceil(jnp.log(u) / rate)
            going &= passed <= count
            found = found + going
        return place + np.uint64(1), passed, found, going

    zero = jnp.zeros_like(count)
    return lax.while_loop(lambda state: state[3].any(), step, (start, zero, zero, going))[2]


def _stirling_tail(k):
    square = (k + 1) ** 2
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return jnp.where(k <= 9, jnp.asarray(_TAILS)[jnp.clip(k, 0, 9).astype(jnp.int32)], series)


def _btrs(key, start, count, prob, going):
    deviation = jnp.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c, box, r = count * prob + 0.5, 0.92 - 4.2 / b, prob / (1 - prob)
    alpha, m = (2.83 + 5.1 / b) * deviation, jnp.floor((count + 1) * prob)

    def step(state):
        place, going, out = state
        v, u = as_uniform(words_at(key, place), jnp.float64)
        u = u - 0.5
        us = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / us + b) * u + c)
        possible = (k >= 0) & (k <= count)
        safe = jnp.where(possible, k, 0)
        bound = (
            (m + 0.5) * jnp.log((m + 1) / (r * (count - m + 1)))
            + (count + 1) * jnp.log((count - m + 1) / (count - safe + 1))
            + (safe + 0.5) * jnp.log(r * (count - safe + 1) / (safe + 1))
            + _stirling_tail(m) + _stirling_tail(count - m) - _stirling_tail(safe) - _stirling_tail(count - safe)
        )  # fmt: skip
        good = ((us >= 0.07) & (v <= box)) | possible & (jnp.log(v * alpha / (a / (us * us) + b)) <= bound)
        return place + np.uint64(1), going & ~good, jnp.where(going & good, k, out)

    return lax.while_loop(lambda state: state[1].any(), step, (start, going, jnp.zeros_like(count)))[2]


def between(key, low, high, samples):
    """`samples` standard normal numbers for each pair of bounds, in rows."""
    dtype = low.dtype
    wide = jnp.promote_types(dtype, jnp.float32)
    flipped = ((low == -jnp.inf) | (high < 0)) & (high != jnp.inf)
    least, most = (
        jnp.where(flipped, -high, low).astype(wide)[:, None],
        jnp.where(flipped, -low, high).astype(wide)[:, None],
    )
    rows, width = len(low), per_block(dtype)
    first = -(-jnp.arange(rows, dtype=jnp.int64) * samples * TRIES // width)
    chunk = max(4, samples // width * 2)
    at = first.astype(jnp.uint64)[:, None] + jnp.arange(chunk, dtype=jnp.uint64)
    out = jnp.full((rows, samples + 1), jnp.nan, wide)
    row = jnp.arange(rows)[:, None]
    for recipe, mine in recipes(jnp, least, most):

        def step(state, recipe=recipe, mine=mine):
            out, have, read = state
            words = words_at(key, at + read)
            made = as_normal(words, wide) if recipe is normal else [u.astype(wide) for u in as_uniform(words, dtype)]
            z, good = recipe(jnp, least, most, jnp.stack(made, -1))
            good &= mine
            place = have[:, None] + jnp.cumsum(good, 1) - 1
            out = out.at[row, jnp.where(good & (place < samples), place, samples)].set(z)
            return out, jnp.minimum(place[:, -1] + 1, samples), read + np.uint64(chunk)

        have = jnp.where(mine[:, 0], 0, samples)
        out = lax.while_loop(lambda state: (state[1] < samples).any(), step, (out, have, jnp.zeros((), jnp.uint64)))[0]
    out = jnp.where(flipped[:, None], -out[:, :samples], out[:, :samples]).astype(dtype)
    return jnp.clip(out, low[:, None], high[:, None])
