"""Poisson and binomial numbers: by their definition where few events are expected, and else by Hörmann's transformed
rejection (1993)."""

import numpy as np

from .buffers import Blocks, uniforms

_RATE = 10  # expected events from which on a draw is by rejection


def poisson(key, rate, numbers):
    """One number for each rate, as floats of the rate's dtype."""
    dtype = rate.dtype
    uniform = uniforms(Blocks(key, numbers, 256), dtype)
    out = np.full(rate.shape, np.nan, dtype)
    few = np.flatnonzero(rate < _RATE)
    _by_products(uniform, rate, few, out)
    _by_rejection(uniform, rate, np.flatnonzero(rate >= _RATE), out)
    return out


def _by_products(uniform, rate, left, out):
    """How many uniform numbers have a product above exp(-rate)."""
    limit, product = np.exp(-rate), np.ones_like(rate)
    out[left] = 0
    while left.size:
        product[left] *= uniform.next(left)
        left = left[product[left] > limit[left]]
        out[left] += 1


def _by_rejection(uniform, rate, left, out):
    from scipy.special import gammaln

    one = rate.dtype.type
    log_rate = np.log(np.where(rate > 0, rate, 1))
    b = one(0.931) + one(2.53) * np.sqrt(np.maximum(rate, 0))
    a = one(-0.059) + one(0.02483) * b
    inverse = one(1.1239) + one(1.1328) / (b - one(3.4))
    box = one(0.9277) - one(3.6224) / (b - one(2))
    while left.size:
        u = uniform.next(left) - one(0.5)
        v = uniform.next(left)
        here_a, here_b, here = a[left], b[left], rate[left]
        shifted = one(0.5) - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            k = np.floor((2 * here_a / shifted + here_b) * u + here + one(0.43))
            good = (shifted >= one(0.07)) & (v <= box[left])
            possible = ~((k < 0) | ((shifted < one(0.013)) & (v > shifted)))
            s = np.log(v * inverse[left] / (here_a / (shifted * shifted) + here_b))
            t = -here + k * log_rate[left] - gammaln(k + 1).astype(rate.dtype)
            good |= possible & (s <= t)
        out[left[good]] = k[good]
        left = left[~good]


def binomial(key, count, prob, numbers):
    """One number for each count and probability, as float64."""
    out = np.full(count.shape, np.nan)
    none, sure = (count <= 0) | (prob <= 0), prob >= 1
    flipped = prob > 0.5
    share = np.where(flipped, 1 - prob, prob)
    many = count * share >= share.dtype.type(_RATE)
    inside = ~none & ~sure & ~np.isnan(prob) & ~np.isnan(count)
    count, share = count.astype(np.float64), share.astype(np.float64)
    for rows, sampler, stride in ((inside & many, _btrs, 256), (inside & ~many, _by_waiting, 42)):
        chosen = np.flatnonzero(rows)
        if chosen.size:
            uniform = uniforms(Blocks(key, numbers[chosen], stride), np.float64)
            out[chosen] = sampler(uniform, count[chosen], share[chosen])
    np.subtract(count, out, out=out, where=flipped & inside)
    out[sure] = count[sure]
    out[none] = 0
    return out


def _by_waiting(uniform, count, prob):
    """How many geometric waiting times pass until `count` trials are over."""
    found, passed, left = np.zeros(count.shape), np.zeros(count.shape), np.arange(len(count))
    rate = np.log1p(-prob)
    while left.size:
        with np.errstate(divide="ignore"):
            passed[left] += np.ceil(np.log(uniform.next(left)) / rate[left])
        left = left[passed[left] <= count[left]]
        found[left] += 1
    return found


_TAILS = np.array(
    [
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
        0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
    ]
)  # fmt: skip


def _stirling_tail(k):
    """What Stirling's formula leaves out of log k!."""
    square = (k + 1) ** 2
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, _TAILS[np.clip(k, 0, 9).astype(np.int64)], series)


def _btrs(uniform, count, prob):
    """Hörmann's BTRS, with its logarithm in place."""
    found, left = np.empty(count.shape), np.arange(len(count))
    deviation = np.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c, box, r = count * prob + 0.5, 0.92 - 4.2 / b, prob / (1 - prob)
    alpha, m = (2.83 + 5.1 / b) * deviation, np.floor((count + 1) * prob)
    while left.size:
        n, ratio, mode = count[left], r[left], m[left]
        u = uniform.next(left) - 0.5
        v = uniform.next(left)
        us = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            k = np.floor((2 * a[left] / us + b[left]) * u + c[left])
            good = (us >= 0.07) & (v <= box[left])
            possible = (k >= 0) & (k <= n)
            v = np.log(v * alpha[left] / (a[left] / (us * us) + b[left]))
            safe = np.where(possible, k, 0)
            bound = (
                (mode + 0.5) * np.log((mode + 1) / (ratio * (n - mode + 1)))
                + (n + 1) * np.log((n - mode + 1) / (n - safe + 1))
                + (safe + 0.5) * np.log(ratio * (n - safe + 1) / (safe + 1))
                + _stirling_tail(mode) + _stirling_tail(n - mode) - _stirling_tail(safe) - _stirling_tail(n - safe)
            )  # fmt: skip
            good |= possible & (v <= bound)
        found[left[good]] = k[good]
        left = left[~good]
    return found
