import numpy as np
from scipy.integrate import quad
from scipy.stats import truncnorm

from tests.ops.samples.sample import between, of, positive

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
    ],
    "random_gamma": [
        *[of(KEY, positive(3, 2), lead=lead, order=0) for lead in (0, 1)],
        of(KEY, np.float64(0.7), lead=0, order=0),
        of(KEY, np.zeros((0, 2)), lead=1, order=0),
    ],
    "gamma_tail": [
        *[of(_A, _X, k=k, reference=_tail_reference) for k in (0, 1, 2)],
        of(np.float64(2.0), np.array([0.5, 1.5, 3.0]), k=1, reference=_tail_reference),
    ],
    "random_poisson": [
        of(KEY, 20 * positive(3), lead=0, dtype=np.dtype("float32")),
        of(KEY, np.int32(4), lead=0, dtype=np.dtype("int32")),
    ],
    "random_binomial": [
        of(KEY, np.full(3, n), between(0, 1, 3), lead=lead, dtype=np.dtype("int32"))
        for n, lead in ((10.0, 0), (100.0, 1))
    ],
}
