"""`tf.math.special`: Bessel functions and integrals that have names."""

from tapeflow.api.arguments import expose as _expose
from tapeflow.core.primitive import recorded as _ops
from tapeflow.core.tensor import Tensor as _Tensor
from tapeflow.core.tensor_like import TensorLike as _TensorLike

# ---- Bessel functions: i, k of the modified kind, j, y of the ordinary; e means scaled by an exponential

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "dawsn",
    "expint",
    "fresnel_cos",
    "fresnel_sin",
    "spence",
]


def bessel_i0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind, of order 0.

    >>> tf.math.bessel_i0([0., 1.]).numpy().round(4)
    array([1.    , 1.2661], dtype=float32)
    """
    return _ops.bessel_i(x, nu=0)


def bessel_i0e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """exp(-|x|) bessel_i0(x), which does not overflow.

    >>> tf.math.bessel_i0e([0., 1000.]).numpy().round(4)
    array([1.    , 0.0126], dtype=float32)
    """
    return _ops.bessel_ie(x, nu=0)


def bessel_i1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the first kind, of order 1.

    >>> tf.math.bessel_i1([0., 1.]).numpy().round(4)
    array([0.    , 0.5652], dtype=float32)
    """
    return _ops.bessel_i(x, nu=1)


def bessel_i1e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """exp(-|x|) bessel_i1(x), which does not overflow.

    >>> tf.math.bessel_i1e([0., 1000.]).numpy().round(4)
    array([0.    , 0.0126], dtype=float32)
    """
    return _ops.bessel_ie(x, nu=1)


def bessel_j0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the first kind, of order 0.

    >>> tf.math.special.bessel_j0([0., 2.4048]).numpy().round(4)      # 1, and its first zero
    array([1., 0.], dtype=float32)
    """
    return _ops.bessel_j(x, nu=0)


def bessel_j1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the first kind, of order 1.

    >>> tf.math.special.bessel_j1([0., 1.]).numpy().round(4)
    array([0.    , 0.4401], dtype=float32)
    """
    return _ops.bessel_j(x, nu=1)


def bessel_k0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind, of order 0; infinite at 0, NaN below.

    >>> tf.math.special.bessel_k0([0., 1.]).numpy().round(4)
    array([  inf, 0.421], dtype=float32)
    """
    return _ops.bessel_k(x, nu=0)


def bessel_k0e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """exp(x) bessel_k0(x), which does not underflow.

    >>> tf.math.special.bessel_k0e([1., 1000.]).numpy().round(4)
    array([1.1445, 0.0396], dtype=float32)
    """
    return _ops.bessel_ke(x, nu=0)


def bessel_k1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind, of order 1; infinite at 0, NaN below.

    >>> tf.math.special.bessel_k1([0., 1.]).numpy().round(4)
    array([   inf, 0.6019], dtype=float32)
    """
    return _ops.bessel_k(x, nu=1)


def bessel_k1e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """exp(x) bessel_k1(x), which does not underflow.

    >>> tf.math.special.bessel_k1e([1., 1000.]).numpy().round(4)
    array([1.6362, 0.0396], dtype=float32)
    """
    return _ops.bessel_ke(x, nu=1)


def bessel_y0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the second kind, of order 0; minus infinity at 0, NaN below.

    >>> tf.math.special.bessel_y0([0., 1.]).numpy().round(4)
    array([  -inf, 0.0883], dtype=float32)
    """
    return _ops.bessel_y(x, nu=0)


def bessel_y1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the second kind, of order 1; minus infinity at 0, NaN below.

    >>> tf.math.special.bessel_y1([0., 1.]).numpy().round(4)
    array([   -inf, -0.7812], dtype=float32)
    """
    return _ops.bessel_y(x, nu=1)


# ---- integrals


@_expose(_ops.dawsn)
def dawsn(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Dawson's integral: exp(-x²) times the integral of exp(t²) from 0 to x.

    >>> tf.math.special.dawsn([0., 1.]).numpy().round(4)
    array([0.    , 0.5381], dtype=float32)
    """


@_expose(_ops.expint)
def expint(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The exponential integral Ei(x): that of exp(t) / t from -∞ to x.

    >>> tf.math.special.expint([1., 2.]).numpy().round(4)
    array([1.8951, 4.9542], dtype=float32)
    """


@_expose(_ops.fresnel_cos)
def fresnel_cos(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The integral of cos(πt²/2) from 0 to x.

    >>> tf.math.special.fresnel_cos([0., 1., np.inf]).numpy().round(4)
    array([0.    , 0.7799, 0.5   ], dtype=float32)
    """


@_expose(_ops.fresnel_sin)
def fresnel_sin(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The integral of sin(πt²/2) from 0 to x.

    >>> tf.math.special.fresnel_sin([0., 1., np.inf]).numpy().round(4)
    array([0.    , 0.4383, 0.5   ], dtype=float32)
    """


@_expose(_ops.spence)
def spence(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Spence's function, the dilogarithm of 1 - x: minus the integral of log(t) / (t - 1) from 1 to x.

    >>> tf.math.special.spence([0., 1., 2.]).numpy().round(4)      # π²/6, 0, -π²/12
    array([ 1.6449,  0.    , -0.8225], dtype=float32)
    """
