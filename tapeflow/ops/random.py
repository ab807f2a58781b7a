"""Random draws. Each is a pure function of `key`, four 64-bit words (see `tapeflow.core.streams`).

Locations, scales and bounds are applied outside, by ordinary operations, so that gradients flow to them. Keys may have leading
axes, and then all other arguments and the result have them too: every key draws as it would alone.
"""

import math

import numpy as np

from tapeflow.core.batching import leading
from tapeflow.core.dtypes import FLOATING, INTEGER, REAL
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import CUT, DIAGONAL, Spec, primitive
from tapeflow.core.streams import generator

from .families import broadcasting
from .fitting import differ, same_sizes, spreads

_KEY = frozenset({np.dtype("uint64")})
_DRAWN = {np.dtype("float32"), np.dtype("float64")}  # the dtypes that NumPy draws without a detour


def drawing(signature, draw, shape, *, vjp=CUT, dtypes=_KEY, home="random", **rules):
    """A primitive that draws by a key: `draw(rng, *arrays, **params)` is what one key gives, `rng` being the generator at it. XLA's
    kernel of the same name is in its file `home`."""

    def kernel(key, *arrays, **params):
        if key.ndim == 1:
            return draw(generator(key), *arrays, **params)
        spec = shape(key, *arrays, **params)
        out = np.empty(spec.shape, spec.dtype)
        for i in np.ndindex(key.shape[:-1]):
            out[i] = draw(generator(key[i]), *[a[i] for a in arrays], **params)
        return out

    kernels = {"numpy": kernel, "jax": f"{home}.{signature.partition('(')[0]}"}

    def checked(key, *specs, **params):
        check_key(key, *specs)
        return shape(key, *specs, **params)

    return primitive(signature, kernel=kernels, shape=checked, vjp=vjp, batch=leading, dtypes=dtypes, **rules)


def check_key(key, *others):
    """Leading axes of keys are those of all the other arguments."""
    if not key.shape or differ(key.shape[-1], 4):
        raise invalid(f"A key has four words along its last axis, got shape {tuple(key.shape)}.")
    rows = tuple(key.shape[:-1])
    for x in others:
        if not same_sizes(tuple(x.shape[: len(rows)]), rows):
            raise invalid(
                f"An argument of shape {tuple(x.shape)} does not go with keys of shape {tuple(key.shape)}: it needs their leading axes."
            )


def _given_shape(key, *bounds, shape, dtype):
    for x in bounds:
        if not spreads(tuple(x.shape[len(key.shape) - 1 :]), tuple(shape)):
            raise invalid(f"An argument of shape {tuple(x.shape)} cannot be broadcast to the shape {tuple(shape)} of the draws.")
    return Spec(shape=(*key.shape[:-1], *shape), dtype=dtype)


def _floats(draw):
    """Draws float32 and float64 directly, narrower floats by way of float32."""

    def any_float(rng, shape, dtype):
        out = draw(rng, shape, dtype if dtype in _DRAWN else np.float32)
        return out if dtype in _DRAWN else np.asarray(out).astype(dtype)

    return any_float


# ---- keys


def _split_key(key, count):
    """New Philox keys, drawn by the old one: two of them meet as rarely as two draws of 128 bits."""
    if key.ndim > 1:
        out = np.empty((*key.shape[:-1], count, 4), np.uint64)
        for i in np.ndindex(key.shape[:-1]):
            out[i] = _split_key(key[i], count)
        return out
    words = generator(key).integers(0, 2**64 - 1, (count, 2), np.uint64, endpoint=True)
    return np.concatenate([words, np.broadcast_to(key[2:], (count, 2))], 1)


def _split_shape(key, count):
    check_key(key)
    return Spec(shape=(*key.shape[:-1], count, 4), dtype=key.dtype)


# One key for each of `count` rows, from one for all.
split_key = primitive(
    "split_key(key, *, count)",
    kernel={"numpy": _split_key, "jax": "random.split_key"},
    shape=_split_shape,
    vjp=CUT,
    batch=leading,
    dtypes=_KEY,
)

# ---- uniform


def _uniform(rng, shape, dtype):
    if dtype in _DRAWN:
        return rng.random(shape, dtype)
    digits = 11 if dtype == np.float16 else 8  # as many as the dtype has, so that nothing is rounded up to 1
    return (rng.integers(0, 2**digits, shape, np.uint16) / np.float32(2**digits)).astype(dtype)


# Between 0 and 1, 1 excluded.
random_uniform = drawing("random_uniform(key, *, shape, dtype)", _uniform, _given_shape)


def _bits(rng, shape, dtype):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


# All bits random: integers over the full range of the dtype.
random_bits = drawing("random_bits(key, *, shape, dtype)", _bits, _given_shape)


def _integers(rng, low, high, shape):
    if np.any(low >= high):
        raise invalid(f"Need minval < maxval, got {low} >= {high}.")
    return rng.integers(low, high, shape, low.dtype)


# From `low` up to but without `high`; both broadcast to `shape`.
random_integers = drawing(
    "random_integers(key, low, high, *, shape)",
    _integers,
    lambda key, low, high, shape: _given_shape(key, low, high, shape=shape, dtype=low.dtype),
    dtypes={"key": _KEY, "low high": INTEGER},
)

# ---- normal

random_normal = drawing(
    "random_normal(key, *, shape, dtype)",
    _floats(lambda rng, shape, dtype: rng.standard_normal(shape, dtype)),
    _given_shape,
)


def _within_two(rng, shape, dtype):
    """Draws, and draws again (4.6% of them) what is more than two standard deviations off."""
    out = np.asarray(rng.standard_normal(shape, dtype)).reshape(-1)
    far = np.flatnonzero(np.abs(out) > 2)
    while far.size:
        out[far] = rng.standard_normal(far.size, dtype)
        far = far[np.abs(out[far]) > 2]
    return out.reshape(shape)


random_truncated_normal = drawing("random_truncated_normal(key, *, shape, dtype)", _floats(_within_two), _given_shape)


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
    kernel={"numpy": _truncated_quantile, "jax": "random.truncated_normal_quantile"},
    vjp={
        "u": lambda ops, g, y, low, high: g * _mass(ops, low, high) * ops.exp(y * y / 2),
        "low": lambda ops, g, y, u, low: g * (1 - u) * ops.exp((y * y - low * low) / 2),
        "high": lambda ops, g, y, u, high: g * u * ops.exp((y * y - high * high) / 2),
    },
    dtypes=FLOATING,
)

# ---- gamma


def _gamma(rng, alpha):
    """At least the smallest normal number: logarithms of the draws stay finite."""
    drawn = rng.standard_gamma(alpha.astype(np.float64))
    return np.maximum(drawn, np.finfo(alpha.dtype).tiny).astype(alpha.dtype)


def _gamma_vjp(ops, g, alpha, y):
    """dy/dalpha at a fixed quantile (implicit reparameterisation): the integral of (log t - digamma(alpha)) p(t)/p(y) beyond y."""
    slope = ops.gamma_tail(alpha, y, k=1) + (ops.log(y) - ops.digamma(alpha)) * ops.gamma_tail(alpha, y, k=0)
    return g * slope


random_gamma = drawing(
    "random_gamma(key, alpha)",
    _gamma,
    lambda key, alpha: alpha,
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
    """exp(x - t) expanded in powers of x - t: a sum of positive terms, x**n / (a (a+1) … (a+n)) and their derivatives in a."""
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
    """Gauss-Legendre with 64 nodes over as far as the integrand reaches: ten widths of the density, or 45 decay lengths."""
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


# The integral over t beyond x of log(t/x)**k (t/x)**(a-1) exp(x-t), "beyond" being away from the mean: above x, or (with a minus sign)
# below it. Derivatives are such integrals again, so that random_gamma has gradients of every order.
gamma_tail = broadcasting(
    "gamma_tail(a, x, *, k)",
    kernel={"numpy": _gamma_tail, "jax": "random.gamma_tail"},
    vjp={"a": lambda ops, g, a, x, k: g * ops.gamma_tail(a, x, k=k + 1), "x": _gamma_tail_vjp},
    dtypes=FLOATING,
)

# ---- counts

random_poisson = drawing(
    "random_poisson(key, rate, *, dtype)",
    lambda rng, rate, dtype: np.asarray(rng.poisson(rate.astype(np.float64))).astype(dtype)[()],
    lambda key, rate, dtype: Spec(shape=rate.shape, dtype=dtype),
    dtypes={"key": _KEY, "rate": REAL},
)


def _binomial(rng, counts, probs, shape, dtype):
    return np.asarray(rng.binomial(counts.astype(np.int64), probs.astype(np.float64), shape)).astype(dtype)[()]


random_binomial = drawing(
    "random_binomial(key, counts, probs, *, shape, dtype)",
    _binomial,
    _given_shape,
    dtypes={"key": _KEY, "counts": REAL, "probs": FLOATING},
)
