"""The special functions that `tf.math` itself has: error functions, gamma, beta, zeta. The others are in `special`."""

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike

# ---- error functions


@expose(ops.erf)
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function: the chance that a normal variable of variance 1/2 lies within ±x.

    >>> tf.math.erf([0., 1., np.inf]).numpy().round(4)
    array([0.    , 0.8427, 1.    ], dtype=float32)
    """


@expose(ops.erfc)
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), exact where it is tiny.

    >>> tf.math.erfc([0., 5.]).numpy()
    array([1.0000000e+00, 1.5374598e-12], dtype=float32)
    """


@expose(ops.erfinv)
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `erf`: infinite at ±1, NaN beyond.

    >>> tf.math.erfinv([0.5, 1.]).numpy().round(4)
    array([0.4769,    inf], dtype=float32)
    """


@expose(ops.erfcinv)
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `erfc`, on [0, 2].

    >>> tf.math.erfcinv([0.5, 1e-12]).numpy().round(4)
    array([0.4769, 5.042 ], dtype=float32)
    """


@expose(ops.ndtri)
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The quantile of the standard normal distribution: the z below which it lies with probability x.

    >>> tf.math.ndtri([0.5, 0.975]).numpy().round(4)
    array([0.  , 1.96], dtype=float32)
    """


# ---- gamma


@expose(ops.lgamma)
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """log|Γ(x)|; Γ(n + 1) = n! for whole n.

    >>> tf.exp(tf.math.lgamma([5., 0.5])).numpy().round(4)
    array([24.    ,  1.7725], dtype=float32)
    """


@expose(ops.digamma)
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`; NaN at 0, -1, -2, …

    >>> tf.math.digamma([1., 2., 0.]).numpy().round(4)
    array([-0.5772,  0.4228,     nan], dtype=float32)
    """


@expose(ops.polygamma)
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of order `a` of `digamma`.

    `a` is 0, 1, 2, … (as a floating tensor), and nothing else has a value. The order counts, so there is no gradient
    for it.

    >>> tf.math.polygamma([1., 2.], [1., 1.]).numpy().round(4)
    array([ 1.6449, -2.4041], dtype=float32)
    """


@expose(ops.igamma)
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised lower incomplete gamma function: the chance that a gamma variable of shape `a` is below `x`.

    It has a gradient for both arguments, one of first order for `a`.

    >>> tf.math.igamma([1., 2.], [1., 1.]).numpy().round(4)
    array([0.6321, 0.2642], dtype=float32)
    """


@expose(ops.igammac)
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """1 - igamma(a, x), exact where it is tiny.

    >>> tf.math.igammac([2., 2.], [1., 50.]).numpy()
    array([7.357589e-01, 9.836624e-21], dtype=float32)
    """


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """log of the multivariate beta function over the last axis: Σ lgamma(x) - lgamma(Σ x).

    >>> tf.exp(tf.math.lbeta([2., 3.])).numpy().round(4)      # 1! 2! / 4!
    np.float32(0.0833)
    """
    x = as_tensor(x)
    if not x.ndim:
        raise invalid("lbeta needs a tensor of rank 1 or more: it sums over the last axis, and this one has shape ().")
    last = {"axis": (x.ndim - 1,), "keepdims": False}
    return ops.reduce_sum(ops.lgamma(x), **last) - ops.lgamma(ops.reduce_sum(x, **last))


# ---- beta and zeta


@expose(ops.betainc)
def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function: the chance that a beta variable of shape (a, b) is below `x`.

    It has a gradient for all three arguments, one of first order for `a` and `b`.

    >>> tf.math.betainc(2., 3., [0.25, 0.5, 1.]).numpy().round(4)
    array([0.2617, 0.6875, 1.    ], dtype=float32)
    """


@expose(ops.zeta)
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz' zeta function: the sum of (q + n)^-x over n = 0, 1, 2, …; Riemann's for q = 1.

    Args:
        q: Where the sum begins: it is over (n + q)⁻ˣ for n = 0, 1, 2, ….

    >>> tf.math.zeta(2., [1., 2.]).numpy().round(4)      # π²/6, and that less 1
    array([1.6449, 0.6449], dtype=float32)
    """
