"""Functions of one number, applied to every element: `tf.exp`, `tf.sin`, `tf.round`, …"""

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike

# ---- exponentials and logarithms


@expose(ops.exp)
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power of x.

    >>> tf.exp([0., 1., -np.inf]).numpy().round(4)
    array([1.    , 2.7183, 0.    ], dtype=float32)
    """


@expose(ops.expm1)
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, exact also for tiny x.

    >>> tf.math.expm1([1e-9]).numpy(), (tf.exp([1e-9]) - 1).numpy()
    (array([1.e-09], dtype=float32), array([0.], dtype=float32))
    """


@expose(ops.log)
def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm. Where it is NaN so is its gradient; a gradient of 0 that arrives stays 0.

    >>> x = tf.Variable([0., 2.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.where(x > 0, tf.math.log(x), 0.)
    >>> tape.gradient(y, x).numpy()
    array([0. , 0.5], dtype=float32)
    """


@expose(ops.log1p)
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x), exact also for tiny x.

    >>> tf.math.log1p([1e-9, -1.]).numpy()
    array([1.e-09,   -inf], dtype=float32)
    """


@expose(ops.sigmoid)
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), without overflow.

    >>> tf.sigmoid([-1000., 0., 1000.]).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """


# ---- trigonometry


@expose(ops.sin)
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Sine, of radians.

    >>> tf.sin([0., np.pi / 2]).numpy()
    array([0., 1.], dtype=float32)
    """


@expose(ops.cos)
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Cosine, of radians.

    >>> tf.cos([0., np.pi]).numpy()
    array([ 1., -1.], dtype=float32)
    """


@expose(ops.tan)
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """Tangent, of radians.

    >>> tf.tan([0., np.pi / 4]).numpy()
    array([0., 1.], dtype=float32)
    """


@expose(ops.asin)
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle from -π/2 to π/2 whose sine is x; NaN outside [-1, 1].

    >>> tf.asin([0., 1., 2.]).numpy().round(4)
    array([0.    , 1.5708,    nan], dtype=float32)
    """


@expose(ops.acos)
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle from 0 to π whose cosine is x; NaN outside [-1, 1].

    >>> tf.acos([1., 0., -1.]).numpy().round(4)
    array([0.    , 1.5708, 3.1416], dtype=float32)
    """


@expose(ops.atan)
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle from -π/2 to π/2 whose tangent is x. For the angle of a point see `tf.atan2`.

    >>> tf.atan([1., np.inf]).numpy().round(4)
    array([0.7854, 1.5708], dtype=float32)
    """


# ---- hyperbolic functions


@expose(ops.sinh)
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """(exp(x) - exp(-x)) / 2.

    >>> tf.sinh([0., 1.]).numpy().round(4)
    array([0.    , 1.1752], dtype=float32)
    """


@expose(ops.cosh)
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """(exp(x) + exp(-x)) / 2.

    >>> tf.cosh([0., 1.]).numpy().round(4)
    array([1.    , 1.5431], dtype=float32)
    """


@expose(ops.tanh)
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """sinh(x) / cosh(x): from -1 to 1.

    >>> tf.tanh([-100., 0., 0.5]).numpy().round(4)
    array([-1.    ,  0.    ,  0.4621], dtype=float32)
    """


@expose(ops.asinh)
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `sinh`.

    >>> tf.asinh(tf.sinh([-2., 3.])).numpy()
    array([-2.,  3.], dtype=float32)
    """


@expose(ops.acosh)
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `cosh` on [0, ∞); NaN below 1.

    >>> tf.acosh([1., 2., 0.]).numpy().round(4)
    array([0.   , 1.317,   nan], dtype=float32)
    """


@expose(ops.atanh)
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tanh`; infinite at ±1.

    >>> tf.atanh([0.5, 1.]).numpy().round(4)
    array([0.5493,    inf], dtype=float32)
    """


# ---- sign and rounding


@expose(ops.abs)
def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The absolute value; of a complex number its length. The slope at 0 is 0.

    >>> tf.abs([-2., 3.]).numpy(), tf.abs(3 + 4j).numpy()
    (array([2., 3.], dtype=float32), np.float64(5.0))
    """


@expose(ops.sign)
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1; of a complex number z, z / |z|. The gradient is 0, and not None.

    >>> tf.sign([-2.5, 0., 7.]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """


@expose(ops.floor)
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number not above x. No gradient passes.

    >>> tf.floor([1.7, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)
    """


@expose(ops.ceil)
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number not below x. No gradient passes.

    >>> tf.math.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.], dtype=float32)
    """


@expose(ops.round)
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, halves to the even one. No gradient passes.

    >>> tf.math.rint([0.5, 1.5, -1.2]).numpy()
    array([ 0.,  2., -1.], dtype=float32)
    """


def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, halves to the even one; integers stay as they are. No gradient passes.

    >>> tf.round([0.5, 1.5, 2.5, -1.2]).numpy()
    array([ 0.,  2.,  2., -1.], dtype=float32)
    """
    x = as_tensor(x)
    return x if x.dtype.is_integer else ops.round(x)
