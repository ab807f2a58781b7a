"""Special functions: error functions, gamma, beta and zeta, Bessel functions, and some integrals. SciPy has the
values.

The derivatives that SciPy does not have (of the incomplete gamma and beta functions in their parameters, of zeta in
its exponent) are computed in `special_slopes`.
"""

from functools import cache
from math import pi, sqrt

import numpy as np

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.primitive import CUT, NO_RULE
from tapeflow.engines.numpy.math import gauss, special_slopes
from tapeflow.ops.families import broadcasting, elementwise


@cache
def _scipy(name):
    from scipy import special  # 100 ms, so only when it is needed

    return getattr(special, name)


def _kernel(name):
    """SciPy's function, in the dtype of its argument (SciPy computes float16 in a wider type and leaves it there)."""
    return _computed(lambda *arrays: _scipy(name)(*arrays))


def _computed(function, double=False):
    """A kernel whose result takes the dtype of the first argument; `double` computes in float64 on the way."""

    def kernel(*arrays, **params):
        dtype = arrays[0].dtype
        out = function(*[a.astype(np.float64) for a in arrays] if double else arrays, **params)
        return out if out.dtype == dtype else out.astype(dtype)

    return kernel


def _kernels(signature, kernel, file):
    """SciPy's function by its name or another one for NumPy; for XLA the one in `file` that is called like the
    primitive."""
    name = signature.partition("(")[0]
    return {"numpy": _kernel(kernel) if isinstance(kernel, str) else kernel, "jax": f"math.{file}.{name}"}


def _unary(signature, *, kernel, vjp, file="special"):
    return elementwise(signature, kernel=_kernels(signature, kernel, file), vjp=vjp, dtypes=FLOATING)


def _multi(signature, *, kernel, vjp, file="special"):
    return broadcasting(signature, kernel=_kernels(signature, kernel, file), vjp=vjp, dtypes=FLOATING)


# ---- error functions


def _erf(x):
    return gauss.erf(x) if gauss.is_for(x) else _scipy("erf")(x)


_bell = lambda ops, x: ops.exp(-(x * x)) * (2 / sqrt(pi))

erf = _unary("erf(x)", kernel=_computed(_erf), vjp=lambda ops, g, x: g * _bell(ops, x))
erfc = _unary("erfc(x)", kernel="erfc", vjp=lambda ops, g, x: -(g * _bell(ops, x)))
erfinv = _unary(
    "erfinv(x)", kernel="erfinv", vjp=lambda ops, g, y: ops.safe_mul(g, ops.exp(ops.safe_mul(y, y)) * (sqrt(pi) / 2))
)
erfcinv = _unary(
    "erfcinv(x)",
    kernel="erfcinv",
    vjp=lambda ops, g, y: ops.safe_mul(g, ops.exp(ops.safe_mul(y, y)) * (-sqrt(pi) / 2)),
)


def _normal_cdf(x):
    return gauss.normal_cdf(x) if gauss.is_for(x) else _scipy("ndtr")(x)


# Φ, the distribution function of the normal law.
normal_cdf = _unary(
    "normal_cdf(x)",
    kernel=_computed(_normal_cdf),
    vjp=lambda ops, g, x: g * (ops.exp(ops.square(x) * -0.5) * (1 / sqrt(2 * pi))),
)
ndtri = _unary(
    "ndtri(x)", kernel="ndtri", vjp=lambda ops, g, y: ops.safe_mul(g, ops.exp(ops.safe_mul(y, y) * 0.5) * sqrt(2 * pi))
)

# ---- gamma and its derivatives


def _digamma(x):
    out = _scipy("digamma")(x)
    return np.where(x == 0, np.nan, out)  # a pole like the others, with no sign to it


def _polygamma(n, x):
    """(-1)^(n+1) n! zeta(n+1, x) for n = 1, 2, …, digamma for 0, and NaN for what is no order."""
    sign = np.where(n % 2 == 0, -1.0, 1.0)
    out = np.where(n == 0, _digamma(x), sign * _scipy("gamma")(n + 1) * _scipy("zeta")(n + 1, x))
    return np.where((n >= 0) & (n == np.floor(n)), out, np.nan)


def _lgamma(x):
    out = _scipy("gammaln")(x)
    return np.where(x == -np.inf, np.inf, out)  # between the poles it grows, which SciPy does not say of the end


def _zeta(s, q):
    out = _scipy("zeta")(s, q)
    return np.where(np.isnan(s), np.nan, out)  # SciPy sees a pole in `q` first


lgamma = _unary("lgamma(x)", kernel=_computed(_lgamma), vjp=lambda ops, g, x: ops.safe_mul(g, ops.digamma(x)))
digamma = _unary(
    "digamma(x)",
    kernel=_computed(_digamma),
    vjp=lambda ops, g, x: ops.safe_mul(g, ops.polygamma(ops.zeros_like(x) + 1, x)),
)
# The order counts derivatives, so it has none itself.
polygamma = _multi(
    "polygamma(n, x)",
    kernel=_computed(_polygamma, double=True),
    vjp={"n": CUT, "x": lambda ops, g, n, x: ops.safe_mul(g, ops.polygamma(n + 1, x))},
)


# ---- the gamma distribution: its density, and its distribution function P = igamma, Q = 1 - P = igammac


def _gamma_pdf(a, x):
    log_gamma = _scipy("gammaln")(a)
    with np.errstate(all="ignore"):
        out = _scipy("gammasgn")(a) * np.exp(_scipy("xlogy")(a - 1, x) - x - log_gamma)
    return np.where((log_gamma == np.inf) & ~np.isnan(x), 0.0, out)  # 1 / gamma(a) = 0 at the poles of gamma


# x**(a-1) exp(-x) / gamma(a), for negative a as well: that makes the rule right where x is 0.
gamma_pdf = _multi(
    "gamma_pdf(a, x)",
    kernel=_computed(_gamma_pdf, double=True),
    vjp={
        "a": lambda ops, g, a, x, y: ops.safe_mul(g, ops.safe_mul(y, ops.log(x) - ops.digamma(a))),
        "x": lambda ops, g, a, x, y: ops.safe_mul(g, ops.gamma_pdf(a - 1, x) - y),
    },
)
igamma = _multi(
    "igamma(a, x)",
    kernel="gammainc",
    vjp={
        "a": lambda ops, g, a, x: ops.safe_mul(g, ops.igamma_slope(a, x)),
        "x": lambda ops, g, a, x: ops.safe_mul(g, ops.gamma_pdf(a, x)),
    },
)
igammac = _multi(
    "igammac(a, x)",
    kernel="gammaincc",
    vjp={
        "a": lambda ops, g, a, x: -ops.safe_mul(g, ops.igamma_slope(a, x)),
        "x": lambda ops, g, a, x: -ops.safe_mul(g, ops.gamma_pdf(a, x)),
    },
)
# The derivative of igamma in `a`. A second one in `a` is not to be had, as in TensorFlow.
igamma_slope = _multi(
    "igamma_slope(a, x)",
    kernel=_computed(special_slopes.igamma_in_a, double=True),
    file="special_slopes",
    vjp={
        "a": NO_RULE,
        "x": lambda ops, g, a, x: ops.safe_mul(g, ops.safe_mul(ops.gamma_pdf(a, x), ops.log(x) - ops.digamma(a))),
    },
)


# ---- the beta distribution: its density and its distribution function


def _beta_pdf(a, b, x):
    return np.exp(_scipy("xlogy")(a - 1, x) + _scipy("xlog1py")(b - 1, -x) - _scipy("betaln")(a, b))


def _beta_score(ops, a, b, log):
    """The derivative of the logarithm of the density in `a`, where `log` is log(x)."""
    return log - ops.digamma(a) + ops.digamma(a + b)


def _betainc_slope_vjp(ops, g, a, b, x, which):
    score = _beta_score(ops, a, b, ops.log(x)) if which == "a" else _beta_score(ops, b, a, ops.log1p(-x))
    return ops.safe_mul(g, ops.safe_mul(ops.beta_pdf(a, b, x), score))


beta_pdf = _multi(
    "beta_pdf(a, b, x)",
    kernel=_computed(_beta_pdf, double=True),
    vjp={
        "a": lambda ops, g, a, b, x, y: ops.safe_mul(g, ops.safe_mul(y, _beta_score(ops, a, b, ops.log(x)))),
        "b": lambda ops, g, a, b, x, y: ops.safe_mul(g, ops.safe_mul(y, _beta_score(ops, b, a, ops.log1p(-x)))),
        "x": lambda ops, g, a, b, x, y: ops.safe_mul(
            g, ops.safe_mul(y, ops.safe_div(a - 1, x) - ops.safe_div(b - 1, 1 - x))
        ),
    },
)
betainc = _multi(
    "betainc(a, b, x)",
    kernel="betainc",
    vjp={
        "a": lambda ops, g, a, b, x: ops.safe_mul(g, ops.betainc_slope(a, b, x, which="a")),
        "b": lambda ops, g, a, b, x: ops.safe_mul(g, ops.betainc_slope(a, b, x, which="b")),
        "x": lambda ops, g, a, b, x: ops.safe_mul(g, ops.beta_pdf(a, b, x)),
    },
)
# The derivative of betainc in `a` or in `b`.
betainc_slope = _multi(
    "betainc_slope(a, b, x, *, which)",
    kernel=_computed(special_slopes.betainc_in_parameter, double=True),
    file="special_slopes",
    vjp={"a": NO_RULE, "b": NO_RULE, "x": _betainc_slope_vjp},
)


# ---- Hurwitz' zeta: the sum of (q + n)**-s over n = 0, 1, …


def _zeta_slope_vjp_q(ops, g, s, q, times):
    lower = ops.zeta(s + 1, q) if times == 1 else ops.zeta_slope(s + 1, q, times=times - 1)
    return ops.safe_mul(g, -ops.safe_mul(s, ops.zeta_slope(s + 1, q, times=times)) - times * lower)


zeta = _multi(
    "zeta(s, q)",
    kernel=_computed(_zeta),
    vjp={
        "s": lambda ops, g, s, q: ops.safe_mul(g, ops.zeta_slope(s, q, times=1)),
        "q": lambda ops, g, s, q: ops.safe_mul(g, -ops.safe_mul(ops.zeta(s + 1, q), s)),  # a NaN stays where s is 0
    },
)


def _zeta_slope(xp, s, q, times):
    wide = xp.float64 if xp is np else xp.promote_types(s.dtype, xp.float32)
    return special_slopes.zeta_in_s(xp, s.astype(wide), q.astype(wide), times).astype(s.dtype)


# It differentiated `times` times in `s`.
zeta_slope = broadcasting(
    "zeta_slope(s, q, *, times)",
    kernel=_zeta_slope,
    vjp={
        "s": lambda ops, g, s, q, times: ops.safe_mul(g, ops.zeta_slope(s, q, times=times + 1)),
        "q": _zeta_slope_vjp_q,
    },
    dtypes=FLOATING,
)


# ---- Bessel functions of whole orders nu. A derivative is a sum of neighbours, with nothing to divide at 0.


def _bessel(signature, *, low, general, vjp, limit=np.inf, negative=None):
    """`low` are SciPy's names for the orders 0 and 1. Beyond `limit` SciPy gives up on higher ones, which are as the
    low ones there. Functions with a pole at 0 that are not real below it have `negative` there: the pole's infinity,
    as TensorFlow's."""

    def computed(x, nu):
        if nu < 2:
            return _scipy(low[nu])(x)
        out = _scipy(general)(nu, x)
        return np.where(np.abs(x) > limit, _scipy(low[nu % 2])(x), out) if limit < np.inf else out

    def kernel(x, nu):
        out = computed(x, nu)
        return out if negative is None else np.where(x < 0, negative, out)

    return _unary(signature, kernel=_computed(kernel), vjp=vjp, file="bessel")


def _neighbours(function, x, nu, reflection):
    """(f of order - 1, f of order + 1); f of order -1 is that of order 1, times `reflection`."""
    above = function(x, nu=nu + 1)
    return (function(x, nu=nu - 1) if nu else above * reflection), above


def _bessel_i_vjp(ops, g, x, nu):
    below, above = _neighbours(ops.bessel_i, x, nu, 1)
    return g * ((below + above) * 0.5)


def _bessel_ie_vjp(ops, g, x, nu, y):
    below, above = _neighbours(ops.bessel_ie, x, nu, 1)
    return g * ((below + above) * 0.5 - ops.sign(x) * y)


def _bessel_j_vjp(ops, g, x, nu):
    below, above = _neighbours(ops.bessel_j, x, nu, -1)
    return g * ((below - above) * 0.5)


def _bessel_k_vjp(ops, g, x, nu):
    below, above = _neighbours(ops.bessel_k, x, nu, 1)
    return ops.safe_mul(g, (below + above) * -0.5)


def _bessel_ke_vjp(ops, g, x, nu, y):
    """Not by neighbours: at 0 all three are infinite."""
    if nu == 0:
        return ops.safe_mul(g, y - ops.bessel_ke(x, nu=1))
    return ops.safe_mul(g, ops.safe_mul(y, 1 - nu / x) - ops.bessel_ke(x, nu=nu - 1))


def _bessel_y_vjp(ops, g, x, nu):
    below, above = _neighbours(ops.bessel_y, x, nu, -1)
    return ops.safe_mul(g, (below - above) * 0.5)


bessel_i = _bessel("bessel_i(x, *, nu)", low=("i0", "i1"), general="iv", vjp=_bessel_i_vjp)
bessel_ie = _bessel("bessel_ie(x, *, nu)", low=("i0e", "i1e"), general="ive", vjp=_bessel_ie_vjp, limit=1e9)
bessel_j = _bessel("bessel_j(x, *, nu)", low=("j0", "j1"), general="jv", vjp=_bessel_j_vjp)
bessel_k = _bessel("bessel_k(x, *, nu)", low=("k0", "k1"), general="kv", vjp=_bessel_k_vjp, negative=np.inf)
bessel_ke = _bessel(
    "bessel_ke(x, *, nu)", low=("k0e", "k1e"), general="kve", vjp=_bessel_ke_vjp, limit=1e9, negative=np.inf
)
bessel_y = _bessel("bessel_y(x, *, nu)", low=("y0", "y1"), general="yv", vjp=_bessel_y_vjp, negative=-np.inf)


# ---- integrals that have names


def _spence_slope(ops, x):
    """log(x) / (1 - x): near 1 by its series, which has derivatives there."""
    e = x - 1
    near = ops.less(ops.abs(e), 0.01)
    away = ops.where(near, 2.0, x)
    series = 0 * e + 1 / 9
    for k in range(8, 0, -1):
        series = 1 / k - e * series
    return ops.where(near, -series, ops.log(away) / (1 - away))


dawsn = _unary("dawsn(x)", kernel="dawsn", vjp=lambda ops, g, x, y: g * (1 - 2 * x * y))
expint = _unary("expint(x)", kernel="expi", vjp=lambda ops, g, x: ops.safe_mul(g, ops.exp(x) / x))
fresnel_sin = _unary(
    "fresnel_sin(x)",
    kernel=_computed(lambda x: _scipy("fresnel")(x)[0]),
    vjp=lambda ops, g, x: g * ops.sin(x * x * (pi / 2)),
)
fresnel_cos = _unary(
    "fresnel_cos(x)",
    kernel=_computed(lambda x: _scipy("fresnel")(x)[1]),
    vjp=lambda ops, g, x: g * ops.cos(x * x * (pi / 2)),
)
spence = _unary("spence(x)", kernel="spence", vjp=lambda ops, g, x: ops.safe_mul(g, _spence_slope(ops, x)))
