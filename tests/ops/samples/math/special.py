import math

import numpy as np
from scipy.integrate import quad

from tests.ops.samples.sample import (
    EMPTY,
    SCALAR,
    SPECIAL,
    between,
    completed,
    each,
    held,
    normal,
    of,
    positive,
    referred,
)


def _unary(x, special=SPECIAL, **more):
    return [
        of(x, **more),
        of(SCALAR, **more),
        of(EMPTY, **more),
        of(special, **{**more, "order": 0, "reference": None}),
    ]


def _integral(f, start, stop, n=20001):
    """Simpson's rule, for every element of `stop`."""
    t = np.linspace(start, stop, n)
    w = np.ones(n)
    w[1:-1:2], w[2:-1:2] = 4, 2
    return np.tensordot(w, f(t), 1) * (t[1] - t[0]) / 3


def _by_differences(f, x, h=1e-4):
    return (8 * (f(x + h / 2) - f(x - h / 2)) - (f(x + h) - f(x - h))) / (6 * h)


def _igamma_slope(a, x):
    from scipy import special

    return _by_differences(lambda a: special.gammainc(a, x), a)


def _betainc_slope(a, b, x, which):
    from scipy import special

    if which == "a":
        return _by_differences(lambda a: special.betainc(a, b, x), a)
    return _by_differences(lambda b: special.betainc(a, b, x), b)


def _zeta_slope(s, q, times):
    n = np.arange(200_000).reshape(-1, *[1] * np.broadcast(s, q).ndim)
    return np.sum((-np.log(q + n)) ** times * (q + n) ** -s, axis=0)


def _bessel(low=-3.0, high=3.0, **more):
    return [of(x, nu=n, **more) for n in (0, 1, 2, 5) for x in (between(low, high, 3, 4), SCALAR, EMPTY)]


_x = between(-0.9, 0.9, 3, 4)
_shape, _at, _unit = between(0.6, 4, 3, 4), between(0.2, 6, 3, 4), between(0.1, 0.9, 3, 4)
_order = np.array([[0.0], [1.0], [2.0]])
_edge_a, _edge_x = np.array([1.0, 1.0, -1.0]), np.array([0.0, 1.0, 0.5])
_wide = np.array([1e-3, 0.1, 0.5, 3.0, 80.0, 2000.0])


# ---- by their definitions as integrals and sums


def _adaptive(f, start, stop):
    return quad(f, start, stop, epsabs=1e-13, epsrel=1e-11, limit=200)[0]


def _erfc(x):
    return 2 / math.sqrt(math.pi) * _adaptive(lambda t: math.exp(-t * t), x, math.inf)


def _igamma(a, x):
    """The integral of t**(a-1) exp(-t) / gamma(a) up to x, over u = (t/x)**a."""
    return x**a / a / math.gamma(a) * _adaptive(lambda u: math.exp(-x * u ** (1 / a)), 0, 1)


def _betainc(a, b, x):
    """The integral of t**(a-1) (1-t)**(b-1) / B(a, b) up to x, over u = (t/x)**a."""
    if a == 0:
        return 1.0  # the limit
    if not 0 <= x <= 1:
        return math.nan
    whole = math.gamma(a) * math.gamma(b) / math.gamma(a + b)
    return x**a / a / whole * _adaptive(lambda u: (1 - x * u ** (1 / a)) ** (b - 1), 0, 1)


def _zeta(s, q, terms=30):
    """The first terms, and Euler and Maclaurin's formula for the others."""
    end = q + terms
    rest = end ** (1 - s) / (s - 1) + end**-s / 2 + s * end ** (-s - 1) / 12
    return math.fsum((q + n) ** -s for n in range(terms)) + rest - s * (s + 1) * (s + 2) * end ** (-s - 3) / 720


_circle = (np.arange(64) + 0.5) * np.pi / 64  # sums over it are exact for smooth periodic functions


def _bessel_i(x, nu):
    return np.mean(np.exp(x[..., None] * np.cos(_circle)) * np.cos(nu * _circle), -1)


def _bessel_j(x, nu):
    return np.mean(np.cos(nu * _circle - x[..., None] * np.sin(_circle)), -1)


@np.vectorize
def _bessel_k(x, nu):
    return _adaptive(lambda t: math.exp(-x * math.cosh(t)) * math.cosh(nu * t), 0, 12)


@np.vectorize
def _bessel_y(x, nu):
    near = _adaptive(lambda t: math.sin(x * math.sin(t) - nu * t), 0, math.pi)
    grown = lambda t: math.exp(nu * t) + (-1) ** nu * math.exp(-nu * t)
    return (near - _adaptive(lambda t: grown(t) * math.exp(-x * math.sinh(t)), 0, 12)) / math.pi


def _digamma(x, up=20):
    """For large x by its asymptotic series, for others by its step from x to x + 1."""
    large = x + up
    series = math.log(large) - 1 / (2 * large) - large**-2 / 12 + large**-4 / 120
    return series - math.fsum(1 / (x + n) for n in range(up))


def _polygamma(n, x):
    return _digamma(x) if n == 0 else (-1) ** (n + 1) * math.factorial(int(n)) * _zeta(n + 1, x)


def _beta_pdf(a, b, x):
    return math.gamma(a + b) / (math.gamma(a) * math.gamma(b)) * x ** (a - 1) * (1 - x) ** (b - 1)


def _dawsn(x):
    return math.exp(-x * x) * _adaptive(lambda t: math.exp(t * t), 0, x)


def _expint(x):
    return 0.5772156649015329 + math.log(x) + math.fsum(x**k / (k * math.factorial(k)) for k in range(1, 60))


def _spence(x):
    return _adaptive(lambda t: -1.0 if t == 1 else math.log(t) / (1 - t), 1, x)


def _not_empty(f):
    return lambda x, nu: f(x, nu) if x.size else x


def _inverts(f):
    """f of the result is the argument."""

    def holds(out, x):
        np.testing.assert_allclose(each(f)(out), x, rtol=1e-9)

    return holds


SAMPLES = {
    "erf": [
        *_unary(normal(3, 4)),
        of(_x, reference=lambda x: _integral(lambda t: 2 / np.sqrt(np.pi) * np.exp(-t * t), 0, x)),
    ],
    "erfc": _unary(normal(3, 4)),
    "normal_cdf": [
        *_unary(normal(3, 4)),
        of(_x, reference=lambda x: 0.5 + _integral(lambda t: np.exp(-t * t / 2) / np.sqrt(2 * np.pi), 0, x)),
    ],
    "erfinv": _unary(_x),
    "erfcinv": _unary(_x + 1),
    "ndtri": _unary(_unit),
    "lgamma": _unary(positive(3, 4)),
    "digamma": [*_unary(positive(3, 4)), of(np.array([0.0, -1.0]), order=0, reference=lambda x: [np.nan, np.nan])],
    "polygamma": [
        of(_order, positive(4), skip=("n",)),
        of(np.float64(1.0), SCALAR, skip=("n",)),
        of(EMPTY, EMPTY),
        of(np.array([0.5, -1.0]), np.array([2.0, 2.0]), order=0, reference=lambda n, x: [np.nan, np.nan]),
        of(np.array([1.0, 2.0]), np.ones(2), order=0, reference=lambda n, x: [np.pi**2 / 6, -2.4041138063191886]),
    ],
    "gamma_pdf": [
        of(_shape, _at, reference=lambda a, x: x ** (a - 1) * np.exp(-x) / np.vectorize(math.gamma)(a)),
        of(SCALAR, np.float64(2.0)),
        of(EMPTY, EMPTY),
        of(between(0.6, 4, 3, 1), between(0.2, 6, 4)),
        of(
            np.array([1.0, 2.0, 3.0, 0.0]),
            np.array([0.0, 0.0, 0.0, 1.0]),
            order=0,
            reference=lambda a, x: [1.0, 0.0, 0.0, 0.0],
        ),
    ],
    # igamma_slope has no derivative in `a`, so the second order is checked in `x` alone
    **{
        name: [
            of(_shape, _at, order=1),
            of(_shape, _at, skip=("a",)),
            of(SCALAR, np.float64(2.0), order=1),
            of(EMPTY, EMPTY, order=1),
            of(between(0.6, 4, 3, 1), between(0.2, 6, 4), order=1),
            of(np.array([0.0, -1.0, 1.0, 2.0]), np.array([1.0, 1.0, np.inf, 0.0]), order=0),
        ]
        for name in ("igamma", "igammac")
    },
    "igamma_slope": [
        of(_shape, _at, skip=("a",), order=1, reference=_igamma_slope),
        of(_wide[:, None], _wide[1:] * 1.1, order=0),
        of(EMPTY, EMPTY),
        of(np.float64(2.0), np.float64(1.0), skip=("a",), order=1, reference=_igamma_slope),
        of(np.array([50.0, 50.0, 2.0]), np.array([40.0, 70.0, 3.0]), order=0, reference=_igamma_slope),
        of(
            np.array([1.0, 1.0, -1.0]),
            np.array([0.0, np.inf, 1.0]),
            order=0,
            reference=lambda a, x: [0.0, 0.0, np.nan],
        ),
    ],
    "beta_pdf": [
        of(_shape, between(0.6, 3, 3, 4), _unit),
        of(SCALAR, SCALAR, SCALAR),
        of(EMPTY, EMPTY, EMPTY),
        of(
            np.array([2.0, 1.0]),
            np.array([3.0, 1.0]),
            np.array([0.5, 0.0]),
            order=0,
            reference=lambda a, b, x: [1.5, 1.0],
        ),
    ],
    "betainc": [
        of(_shape, between(0.6, 3, 3, 4), _unit, order=1),
        of(_shape, between(0.6, 3, 3, 4), _unit, skip=("a", "b")),
        of(np.float64(2.0), np.float64(3.0), np.array([0.25, 0.5]), order=1),
        of(EMPTY, EMPTY, EMPTY, order=1),
        of(np.array([0.0, 1.0]), np.ones(2), np.array([0.5, 2.0]), order=0),
    ],
    "betainc_slope": [
        sample
        for which in "ab"
        for sample in (
            of(_shape, between(0.6, 3, 3, 4), _unit, which=which, skip=("a", "b"), order=1, reference=_betainc_slope),
            of(
                np.float64(2.0),
                np.float64(3.0),
                np.float64(0.5),
                which=which,
                skip=("a", "b"),
                order=1,
                reference=_betainc_slope,
            ),
            of(
                np.array([30.0, 0.5]),
                np.array([60.0, 0.5]),
                np.array([0.3, 0.99]),
                which=which,
                order=0,
                reference=_betainc_slope,
            ),
            of(np.array([0.01, 0.01]), np.array([0.01, 0.01]), np.array([0.5, 0.999]), which=which, order=0),
            of(_edge_a, np.ones(3), _edge_x, which=which, order=0, reference=lambda *_, which: [0.0, 0.0, np.nan]),
        )
    ],
    "zeta": [
        of(between(1.5, 6, 3, 4), _at),
        of(np.float64(3.0), SCALAR),
        of(EMPTY, EMPTY),
        of(between(1.5, 6, 3, 1), _at[0]),
    ],
    "zeta_slope": [
        sample
        for k in (1, 2)
        for sample in (
            of(between(4, 9, 3, 4), _at, times=k, reference=_zeta_slope),
            of(np.float64(5.0), SCALAR, times=k, reference=_zeta_slope),
            of(EMPTY, EMPTY, times=k),
            of(
                np.array([1.0, 2.0]),
                np.array([1.0, -0.5]),
                times=k,
                order=0,
                reference=lambda s, q, times: [np.nan, np.nan],
            ),
        )
    ],
    **{name: _bessel() for name in ("bessel_i", "bessel_ie", "bessel_j")},
    **{name: _bessel(0.3, 4) for name in ("bessel_k", "bessel_ke", "bessel_y")},
    "dawsn": _unary(normal(3, 4)),
    "expint": _unary(positive(3, 4)),
    "fresnel_sin": [
        *_unary(normal(3, 4)),
        of(_x, reference=lambda x: _integral(lambda t: np.sin(np.pi * t * t / 2), 0, x)),
    ],
    "fresnel_cos": [
        *_unary(normal(3, 4)),
        of(_x, reference=lambda x: _integral(lambda t: np.cos(np.pi * t * t / 2), 0, x)),
    ],
    "spence": [*_unary(positive(3, 4)), of(np.array([1.0, 1.005, 0.99, 1.02]))],
}

SAMPLES = referred(
    SAMPLES,
    special=False,
    erfc=each(_erfc),
    lgamma=each(math.lgamma),
    digamma=each(_digamma),
    polygamma=each(_polygamma),
    beta_pdf=each(_beta_pdf),
    igamma=each(_igamma),
    igammac=each(lambda a, x: 1 - _igamma(a, x)),
    betainc=each(_betainc),
    zeta=each(_zeta),
    bessel_i=_bessel_i,
    bessel_ie=lambda x, nu: _bessel_i(x, nu) * np.exp(-np.abs(x)),
    bessel_j=_bessel_j,
    bessel_k=_not_empty(_bessel_k),
    bessel_ke=_not_empty(lambda x, nu: _bessel_k(x, nu) * np.exp(x)),
    bessel_y=_not_empty(_bessel_y),
    dawsn=each(_dawsn),
    expint=each(_expint),
    spence=each(_spence),
)
SAMPLES = held(
    SAMPLES,
    special=False,
    erfinv=_inverts(math.erf),
    erfcinv=_inverts(math.erfc),
    ndtri=_inverts(lambda x: math.erfc(-x / math.sqrt(2)) / 2),
)

SAMPLES = completed(SAMPLES, "igamma_slope betainc_slope zeta_slope")
