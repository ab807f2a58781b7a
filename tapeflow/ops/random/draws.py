"""Random draws. Each is a pure function of `key`, three 64-bit words (see `tapeflow.core.random.streams`).

Locations, scales and bounds are applied outside, by ordinary operations, so that gradients flow to them. Keys may have
leading axes, and then all other arguments and the result have them too: every key draws as it would alone.
"""

import math

import numpy as np

from tapeflow.core.dtypes import FLOATING, INTEGER, REAL
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import differ, same_sizes, spreads
from tapeflow.core.primitive import CUT, DIAGONAL, Spec, primitive
from tapeflow.core.random import philox, streams
from tapeflow.engines.numpy.random.samplers import counts, gamma, truncated, words
from tapeflow.ops.batching import leading
from tapeflow.ops.families import broadcasting

_KEY = frozenset({np.dtype("uint64")})
_WORDS = 3


def drawing(signature, draw, shape, *, vjp=CUT, dtypes=_KEY, home="draws", words=_WORDS, **rules):
    """A primitive that draws by a key: `draw(key, *arrays, **params)` is what one key gives. XLA's kernel of the same
    name is in its file `home`."""

    def kernel(key, *arrays, **params):
        if key.shape == (words,):
            return draw(key, *arrays, **params)
        spec = inferred(key, *arrays, **params)
        out = np.empty(spec.shape, spec.dtype)
        for i in np.ndindex(key.shape[:-1]):
            out[i] = draw(key[i], *[a[i] for a in arrays], **params)
        return out

    kernels = {"numpy": kernel, "jax": f"random.{home}.{signature.partition('(')[0]}"}

    def inferred(key, *specs, **params):
        check_key(key, *specs, words=words)
        return shape(key, *specs, **params)

    return primitive(signature, kernel=kernels, shape=inferred, vjp=vjp, batch=leading, dtypes=dtypes, **rules)


def check_key(key, *others, words=_WORDS):
    """Leading axes of keys (or of seeds, which have two words) are those of all the other arguments."""
    if not key.shape or differ(key.shape[-1], words):
        what = "A key has three words" if words == _WORDS else "A seed has two numbers"
        raise invalid(f"{what} along its last axis, got shape {tuple(key.shape)}.")
    rows = tuple(key.shape[:-1])
    for x in others:
        if not same_sizes(tuple(x.shape[: len(rows)]), rows):
            raise invalid(
                f"An argument of shape {tuple(x.shape)} does not go with keys of shape {tuple(key.shape)}: it needs "
                "their leading axes."
            )


def given_shape(key, *bounds, shape, dtype):
    for x in bounds:
        if not spreads(tuple(x.shape[len(key.shape) - 1 :]), tuple(shape)):
            raise invalid(
                f"An argument of shape {tuple(x.shape)} cannot be broadcast to the shape {tuple(shape)} of the draws."
            )
    return Spec(shape=(*key.shape[:-1], *shape), dtype=dtype)


def _parameters_shape(*parameters, lead):
    """The shape of a draw by parameters, all of which have it."""
    first = parameters[0]
    for x in parameters[1:]:
        if not same_sizes(tuple(x.shape), tuple(first.shape)):
            raise invalid(f"The parameters of a draw have one shape, got {tuple(first.shape)} and {tuple(x.shape)}.")
    return first.shape


def _of_parameters(sampler):
    """A draw whose last axes are those of the parameters, the `lead` axes before them being samples. A parameter's
    samples come one after the other in the stream. `sampler(key, *parameters, numbers)`, of vectors."""

    def draw(key, *parameters, lead, **params):
        shape = _parameters_shape(*parameters, lead=lead)
        samples, rows = math.prod(shape[:lead]), math.prod(shape[lead:])
        numbers = (np.arange(rows) * samples + np.arange(samples)[:, None]).reshape(-1)
        return sampler(key, *[p.reshape(-1) for p in parameters], numbers, **params).reshape(shape)

    return draw


def _shaped(draw):
    """A draw of so many numbers as one of a shape."""
    return lambda key, shape, dtype: draw(key, math.prod(shape), np.dtype(dtype)).reshape(shape)


# ---- keys


def _same_key(key, **_):
    return Spec(shape=key.shape, dtype=key.dtype)


# The key so many blocks on.
advance_key = drawing("advance_key(key, *, blocks)", lambda key, blocks: philox.advanced(key, blocks), _same_key)


def _split_key(key, count):
    mixed = streams.scrambled(key[:2] ^ np.array((key[2], _SPLIT), np.uint64))
    rows = words.as_words64(philox.blocks(mixed, count))
    return np.concatenate([np.zeros((count, 1), np.uint64), rows[:, ::-1]], 1)


_SPLIT = 0x9E3779B97F4A7C15  # keys that are split have no words in common with what is drawn by them

# One key for each of `count` rows, from one for all.
split_key = drawing(
    "split_key(key, *, count)",
    _split_key,
    lambda key, count: Spec(shape=(*key.shape[:-1], count, _WORDS), dtype=key.dtype),
)


def _seed_shape(seed):
    return Spec(shape=(*seed.shape[:-1], _WORDS), dtype=np.dtype("uint64"))


def _scrambled(seed):
    return streams.scrambled(
        seed.astype(np.int64).view(np.uint64) if seed.dtype.kind == "i" else seed.astype(np.uint64)
    )


# The key that belongs to a pair of integers.
scrambled_key = drawing("scrambled_key(seed)", _scrambled, _seed_shape, dtypes=INTEGER, words=2)

# ---- uniform

# Between 0 and 1, 1 excluded.
random_uniform = drawing("random_uniform(key, *, shape, dtype)", _shaped(words.uniform), given_shape)

# All bits random: integers over the full range of the dtype.
random_bits = drawing("random_bits(key, *, shape, dtype)", _shaped(words.bits), given_shape)


def _integers(key, low, high, shape):
    """What is left of a word when it is divided by the range; two words where the dtype has 64 bits."""
    if np.any(low >= high):
        raise invalid(f"Need minval < maxval, got {low} >= {high}.")
    unsigned = np.dtype("uint64" if low.dtype.itemsize == 8 else "uint32")
    low, high = (np.asarray(x).astype(unsigned) for x in (low, high))
    drawn = words.bits(key, math.prod(shape), unsigned).reshape(shape)
    return (low + drawn % (high - low)).astype(unsigned, copy=False)


# From `low` up to but without `high`; both broadcast to `shape`.
random_integers = drawing(
    "random_integers(key, low, high, *, shape)",
    lambda key, low, high, shape: _integers(key, low, high, shape).astype(low.dtype)[()],
    lambda key, low, high, shape: given_shape(key, low, high, shape=shape, dtype=low.dtype),
    dtypes={"key": _KEY, "low high": INTEGER},
)

# ---- normal

random_normal = drawing("random_normal(key, *, shape, dtype)", _shaped(words.normal), given_shape)

# Without those of two or more standard deviations.
random_truncated_normal = drawing(
    "random_truncated_normal(key, *, shape, dtype)", _shaped(words.truncated_normal), given_shape
)


def _truncated_quantile(u, low, high):
    """Through the logarithm of the tail that `low` is nearer to: bounds may lie 30 deviations out."""
    from scipy.special import log_ndtr, ndtri_exp

    dtype = u.dtype
    u, low, high = [np.asarray(v, np.float64) for v in (u, low, high)]
    side = np.where(low + high > 0, -1.0, 1.0)
    z = side * ndtri_exp(np.logaddexp(log_ndtr(side * low) + np.log1p(-u), log_ndtr(side * high) + np.log(u)))
    return np.clip(z, low, high).astype(dtype)


def _mass(ops, low, high):
    """sqrt(2 pi) times the probability between the bounds."""
    return (ops.erf(high * math.sqrt(0.5)) - ops.erf(low * math.sqrt(0.5))) * math.sqrt(math.pi / 2)


# The value that a standard normal variable between `low` and `high` stays below with probability `u`.
truncated_normal_quantile = broadcasting(
    "truncated_normal_quantile(u, low, high)",
    kernel={"numpy": _truncated_quantile, "jax": "random.draws.truncated_normal_quantile"},
    vjp={
        "u": lambda ops, g, y, low, high: g * _mass(ops, low, high) * ops.exp(y * y / 2),
        "low": lambda ops, g, y, u, low: g * (1 - u) * ops.exp((y * y - low * low) / 2),
        "high": lambda ops, g, y, u, high: g * u * ops.exp((y * y - high * high) / 2),
    },
    dtypes=FLOATING,
)

# ---- normal between bounds


def _share(z, low, high):
    """Through logarithms of the tail that `low` is nearer to: bounds may lie 30 deviations out."""
    from scipy.special import log_ndtr

    dtype = z.dtype
    z, low, high = [np.asarray(v, np.float64) for v in (z, low, high)]
    side = np.where(low + high > 0, -1.0, 1.0)
    top = np.where(side > 0, log_ndtr(high), log_ndtr(-low))
    part = lambda x: np.exp(log_ndtr(side * x) - top)
    with np.errstate(invalid="ignore"):
        return np.clip((part(z) - part(low)) / (part(high) - part(low)), 0, 1).astype(dtype)


# The probability of a standard normal number below `z`, given that it is between `low` and `high`: the inverse of the
# one above.
truncated_normal_share = broadcasting(
    "truncated_normal_share(z, low, high)",
    kernel={"numpy": _share, "jax": "random.draws.truncated_normal_share"},
    vjp={
        "z": lambda ops, g, z, low, high: g * ops.exp(-z * z / 2) / _mass(ops, low, high),
        "low": lambda ops, g, y, low, high: g * (y - 1) * ops.exp(-low * low / 2) / _mass(ops, low, high),
        "high": lambda ops, g, y, low, high: -g * y * ops.exp(-high * high / 2) / _mass(ops, low, high),
    },
    dtypes=FLOATING,
)


def _between(key, low, high, lead):
    shape = _parameters_shape(low, high, lead=lead)
    rows = math.prod(shape[lead:])
    samples = math.prod(shape[:lead])
    if not (low < high).all():
        raise invalid("Invalid parameters: stddevs must be positive and minvals below maxvals.")
    low, high = (x.reshape(samples, rows)[:1].reshape(-1) if samples else np.zeros(rows, x.dtype) for x in (low, high))
    return truncated.between(key, low, high, samples).T.reshape(shape)


def _moved_low(ops, g, y, low, high):
    return g * (1 - ops.truncated_normal_share(y, low, high)) * ops.exp((y * y - low * low) / 2)


def _moved_high(ops, g, y, low, high):
    return g * ops.truncated_normal_share(y, low, high) * ops.exp((y * y - high * high) / 2)


# Standard normal numbers between bounds, which are the same along the first `lead` axes. Gradients as if a number
# stayed the same quantile.
random_between = drawing(
    "random_between(key, low, high, *, lead)",
    _between,
    lambda key, low, high, lead: Spec(shape=_parameters_shape(low, high, lead=lead), dtype=low.dtype),
    vjp={"low": _moved_low, "high": _moved_high},
    jvp={"low": DIAGONAL, "high": DIAGONAL},
    dtypes={"key": _KEY, "low high": FLOATING},
)

# ---- gamma


def _gamma(key, alpha, numbers):
    """At least the smallest normal number: logarithms of the draws stay finite."""
    if (alpha < 0).any():
        raise invalid(f"alpha must not be negative, got {alpha.min()}.")
    wide = gamma.gamma(key, alpha.astype(np.float64), numbers)
    with np.errstate(over="ignore"):
        return np.maximum(wide, np.finfo(alpha.dtype).tiny).astype(alpha.dtype)


def _gamma_vjp(ops, g, alpha, y):
    """dy/dalpha at a fixed quantile (implicit reparameterisation): the integral of (log t - digamma(alpha)) p(t)/p(y)
    beyond y."""
    slope = ops.gamma_tail(alpha, y, k=1) + (ops.log(y) - ops.digamma(alpha)) * ops.gamma_tail(alpha, y, k=0)
    return g * slope


random_gamma = drawing(
    "random_gamma(key, alpha, *, lead)",
    _of_parameters(_gamma),
    lambda key, alpha, lead: alpha,
    vjp={"alpha": _gamma_vjp},
    jvp={"alpha": DIAGONAL},
    dtypes={"key": _KEY, "alpha": FLOATING},
)


def _gamma_tail(a, x, k):
    dtype = np.result_type(a, x)
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    lower = (x < a) | (x < 1)
    series = lower & ((a < 50) | (x < 1))
    out = np.empty(a.shape)
    out[series] = _lower_series(a[series], x[series], k)
    out[~series] = _tail_integral(a[~series], x[~series], np.where(lower[~series], -1.0, 1.0), k)
    return out.astype(dtype)[()]


def _lower_series(a, x, k):
    """exp(x - t) expanded in powers of x - t: a sum of positive terms, x**n / (a (a+1) … (a+n)) and their derivatives
    in a."""
    term = x / a
    h = [np.ones_like(a)]  # complete homogeneous polynomials of 1/a, …, 1/(a+n)
    for j in range(k):
        h.append(h[j] / a)
    total = term * h[k]
    for n in range(1, 130):
        term = term * x / (a + n)
        for j in range(1, k + 1):
            h[j] = h[j] + h[j - 1] / (a + n)
        total += term * h[k]
    return -math.factorial(k) * (-1) ** k * total


def _tail_integral(a, x, side, k):
    """Gauss-Legendre with 64 nodes over as far as the integrand reaches: ten widths of the density, or 45 decay
    lengths."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    reach = 9.5 * np.sqrt(a) + 45
    reach = np.where(side < 0, np.minimum(reach, x), reach)
    total = np.zeros_like(a)
    for node, weight in zip(nodes, weights):
        s = reach * ((1 + node) / 2)
        log = np.log1p(side * s / x)
        total += weight * log**k * np.exp((a - 1) * log - side * s)
    return side * total * reach / 2


def _gamma_tail_vjp(ops, g, a, x, y, k):
    out = (1 - (a - 1) / x) * y
    return g * (out - 1 if k == 0 else out - k / x * ops.gamma_tail(a, x, k=k - 1))


# The integral over t beyond x of log(t/x)**k (t/x)**(a-1) exp(x-t), "beyond" being away from the mean: above x, or
# (with a minus sign) below it. Derivatives are such integrals again, so that random_gamma has gradients of every
# order.
gamma_tail = broadcasting(
    "gamma_tail(a, x, *, k)",
    kernel={"numpy": _gamma_tail, "jax": "random.draws.gamma_tail"},
    vjp={"a": lambda ops, g, a, x, k: g * ops.gamma_tail(a, x, k=k + 1), "x": _gamma_tail_vjp},
    dtypes=FLOATING,
)

# ---- counts


def _poisson(key, rate, numbers, dtype):
    if (rate < 0).any():
        raise invalid(f"Rates must not be negative, got {rate.min()}.")
    return counts.poisson(key, rate.astype(np.float64), numbers).astype(dtype)


random_poisson = drawing(
    "random_poisson(key, rate, *, lead, dtype)",
    _of_parameters(_poisson),
    lambda key, rate, lead, dtype: Spec(shape=rate.shape, dtype=dtype),
    dtypes={"key": _KEY, "rate": REAL},
)


def _binomial(key, count, prob, numbers, dtype):
    return counts.binomial(key, count, prob, numbers).astype(dtype)


random_binomial = drawing(
    "random_binomial(key, count, prob, *, lead, dtype)",
    _of_parameters(_binomial),
    lambda key, count, prob, lead, dtype: Spec(shape=_parameters_shape(count, prob, lead=lead), dtype=dtype),
    dtypes={"key": _KEY, "count prob": FLOATING},
)
