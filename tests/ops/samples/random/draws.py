from itertools import islice

import numpy as np
from scipy import stats
from scipy.integrate import quad
from scipy.stats import truncnorm

from tests.ops.samples.sample import between, held, of, positive, referred

from . import philox

KEY = np.array([1, 2, 3], np.uint64)
FLOATS, INTS = (np.dtype("float64"), np.dtype("float32"), np.dtype("float16")), (np.dtype("int32"), np.dtype("uint64"))


def _shapes(dtypes):
    return [of(KEY, shape=shape, dtype=dtype) for dtype in dtypes for shape in ((), (3, 2), (0, 2))]


@np.vectorize
def _tail(a, x, k):
    """By adaptive quadrature in t = x exp(w), away from the mean."""
    integrand = lambda w: w**k * x * np.exp(a * w + x * (1 - np.exp(w)))
    if x < a or x < 1:
        return -quad(integrand, -40 / min(a, 1), 0, epsabs=0, epsrel=1e-11, limit=500)[0]
    return quad(integrand, 0, np.log1p((12 * np.sqrt(a) + 60) / x), epsabs=0, epsrel=1e-11, limit=500)[0]


_tail_reference = lambda a, x, k: _tail(a, x, k)
_A = np.array([0.3, 0.8, 2.5, 2.5, 10.0, 40.0, 60.0, 60.0, 400.0])
_X = np.array([0.05, 2.0, 0.7, 4.0, 7.0, 60.0, 45.0, 80.0, 380.0])


# ---- words, and numbers that are made of them


def _taken(drawn):
    return lambda key, shape, dtype: np.array(list(islice(drawn(key, dtype), int(np.prod(shape))))).reshape(shape)


def _bits(key, dtype):
    return philox.longs(key) if dtype.itemsize == 8 else (np.uint32(w).view(np.int32) for w in philox.words(key))


def _advanced(key, blocks):
    if key.ndim > 1:
        return [_advanced(k, blocks) for k in key]
    low, high, word = map(int, key)
    high, low = divmod(low + (high << 64) + blocks, 2**64)
    return np.array([low, high % 2**64, word], np.uint64)


def _scrambled(seed):
    if seed.ndim > 1:
        return np.array([_scrambled(row) for row in seed], np.uint64).reshape(-1, 3)
    first, second = (int(n) % 2**64 for n in seed)
    a, b, c, d = philox.block(first | second << 64, 0x02461E293EC8F720)
    return np.array([0, c | d << 32, a | b << 32], np.uint64)


def _split(key, count):
    if key.ndim > 1:
        return np.array([_split(row, count) for row in key], np.uint64).reshape(-1, count, 3)
    low, high, word = map(int, key)
    drawn = philox.longs(_scrambled(np.array([low ^ word, high ^ 0x9E3779B97F4A7C15], np.uint64)))
    return np.array([(0, *reversed((next(drawn), next(drawn)))) for _ in range(count)], np.uint64).reshape(count, 3)


def _integers(key, low, high, shape):
    low, high = np.broadcast_to(low, shape), np.broadcast_to(high, shape)
    drawn = philox.longs(key) if low.dtype.itemsize == 8 else philox.words(key)
    return np.array([a + next(drawn) % (b - a) for a, b in zip(low.ravel().tolist(), high.ravel().tolist())]).reshape(
        shape
    )


# ---- laws: draws by rejection read as many words as they need, so it is their law that must be right

MANY = 4000  # draws, whose distribution function is off by at most 1.95 / sqrt(4000) (once in a thousand keys)


def _follows(law):
    """In the support of `law(*parameters)`; where there are many draws, Kolmogorov's distance from it is small."""

    def holds(out, key, *parameters, lead, dtype=None):
        above, below = law(*parameters).cdf(out), law(*parameters).sf(out)
        assert out.shape == parameters[0].shape and np.isfinite(above + below).all()
        low, high = law(*parameters).support()
        assert ((low <= out) & (out <= high)).all()
        if out.size == MANY:
            assert len(set(out.tolist())) > 5
            parameters = [p[0] for p in parameters]
            places = np.unique(out)
            found = np.searchsorted(np.sort(out), places, side="right") / MANY
            assert np.abs(found - law(*parameters).cdf(places)).max() < 1.95 / np.sqrt(MANY)

    return holds


SAMPLES = {
    "split_key": [
        of(KEY, count=3),
        of(KEY, count=0),
        of(np.stack([KEY, KEY + KEY]), count=2),
        of(np.zeros((0, 3), np.uint64), count=2),
    ],
    "advance_key": [
        of(KEY, blocks=5),
        of(np.array([2**64 - 1, 1, 2], np.uint64), blocks=2**40),
        of(np.stack([KEY, KEY]), blocks=0),
    ],
    "scrambled_key": [
        of(np.array([1, -2])),
        of(np.array([[1, 2], [3, 4]], np.int32)),
        of(np.zeros((0, 2), np.uint64)),
    ],
    "random_uniform": _shapes(FLOATS),
    "random_bits": _shapes(INTS),
    "random_integers": [
        of(KEY, np.int32(-3), np.int32(4), shape=(3, 2)),
        of(KEY, np.array([0, 10]), np.array([1, 20]), shape=(3, 2)),
        of(KEY, np.int64(-3), np.int64(4), shape=(0,)),
    ],
    "random_normal": _shapes(FLOATS),
    "random_truncated_normal": _shapes(FLOATS),
    "truncated_normal_quantile": [
        of(between(0.05, 0.95, 3, 4), np.float64(-1.2), np.float64(2.0), reference=truncnorm.ppf),
        of(between(0.05, 0.95, 3), np.array([-3.0, 0.5, 2.0]), np.array([-2.0, 0.7, 5.0]), reference=truncnorm.ppf),
        of(np.array([0.0, 0.5, 1.0]), np.float64(30.0), np.float64(31.0), reference=truncnorm.ppf, order=0),
        of(np.array([0.0, 0.5, 1.0]), np.float64(-np.inf), np.float64(np.inf), reference=truncnorm.ppf, order=0),
    ],
    # A rejection sampler is no smooth function of alpha at a fixed key; its gradient is tested against the quantile
    # function.
    "truncated_normal_share": [
        of(between(-1.0, 1.9, 3, 4), np.float64(-1.2), np.float64(2.0), reference=truncnorm.cdf),
        of(
            np.array([-2.5, 0.6, 3.0]), np.array([-3.0, 0.5, 2.0]), np.array([-2.0, 0.7, 5.0]), reference=truncnorm.cdf
        ),
        of(np.array([30.0, 30.5]), np.float64(30.0), np.float64(31.0), reference=truncnorm.cdf, order=0),
    ],
    "random_between": [
        of(KEY, np.array([-5.0, -1.0, 4.0, -np.inf]), np.array([3.0, 1.5, 60.0, -2.0]), lead=0, order=0),
        *[
            of(KEY, np.full((3, 2), -1.0), np.full((3, 2), high), lead=lead, order=0)
            for high in (-0.5, 2.0)
            for lead in (0, 1, 2)
        ],
        of(KEY, np.zeros((0, 2)), np.ones((0, 2)), lead=1, order=0),
        of(KEY, np.full(MANY, -0.5), np.full(MANY, 2.0), lead=1, order=0),
    ],
    "random_gamma": [
        *[of(KEY, positive(3, 2), lead=lead, order=0) for lead in (0, 1)],
        of(KEY, np.float64(0.7), lead=0, order=0),
        of(KEY, np.zeros((0, 2)), lead=1, order=0),
        *[of(KEY, np.full(MANY, alpha), lead=1, order=0) for alpha in (0.3, 4.0)],
    ],
    "gamma_tail": [
        *[of(_A, _X, k=k, reference=_tail_reference) for k in (0, 1, 2)],
        of(np.float64(2.0), np.array([0.5, 1.5, 3.0]), k=1, reference=_tail_reference),
    ],
    "random_poisson": [
        of(KEY, 20 * positive(3), lead=0, dtype=np.dtype("float32")),
        of(KEY, np.int32(4), lead=0, dtype=np.dtype("int32")),
        *[of(KEY, np.full(MANY, rate), lead=1, dtype=np.dtype("int32")) for rate in (3.0, 40.0)],
    ],
    "random_binomial": [
        of(KEY, np.full(3, n), between(0, 1, 3), lead=lead, dtype=np.dtype("int32"))
        for n, lead in ((10.0, 0), (100.0, 1))
    ]
    + [
        of(KEY, np.full(MANY, n), np.full(MANY, p), lead=1, dtype=np.dtype("int32"))
        for n, p in ((10.0, 0.3), (200.0, 0.6))
    ],
}

SAMPLES = referred(
    SAMPLES,
    split_key=_split,
    advance_key=_advanced,
    scrambled_key=_scrambled,
    random_uniform=_taken(philox.uniform),
    random_bits=_taken(_bits),
    random_integers=_integers,
    random_normal=_taken(philox.normal),
    random_truncated_normal=_taken(philox.truncated_normal),
)
SAMPLES = held(
    SAMPLES,
    random_between=_follows(truncnorm),
    random_gamma=_follows(stats.gamma),
    random_poisson=_follows(stats.poisson),
    random_binomial=_follows(stats.binom),
)
