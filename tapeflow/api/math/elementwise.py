"""Functions of one number, applied to every element: `tf.exp`, `tf.sin`, `tf.round`, …"""

from typing import Any

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

# ---- exponentials and logarithms

exp = expose(
    ops.exp,
    "exp(x)",
    """e to the power of x.

    >>> tf.exp([0., 1., -np.inf]).numpy().round(4)
    array([1.    , 2.7183, 0.    ], dtype=float32)
    """,
)
expm1 = expose(
    ops.expm1,
    "expm1(x)",
    """exp(x) - 1, exact also for tiny x.

    >>> tf.math.expm1([1e-9]).numpy(), (tf.exp([1e-9]) - 1).numpy()
    (array([1.e-09], dtype=float32), array([0.], dtype=float32))
    """,
)
log = expose(
    ops.log,
    "log(x)",
    """The natural logarithm. Where it is NaN so is its gradient; a gradient of 0 that arrives stays 0.

    >>> x = tf.Variable([0., 2.])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.where(x > 0, tf.math.log(x), 0.)
    >>> tape.gradient(y, x).numpy()
    array([0. , 0.5], dtype=float32)
    """,
)
log1p = expose(
    ops.log1p,
    "log1p(x)",
    """log(1 + x), exact also for tiny x.

    >>> tf.math.log1p([1e-9, -1.]).numpy()
    array([1.e-09,   -inf], dtype=float32)
    """,
)
sigmoid = expose(
    ops.sigmoid,
    "sigmoid(x)",
    """1 / (1 + exp(-x)), without overflow.

    >>> tf.sigmoid([-1000., 0., 1000.]).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """,
)

# ---- trigonometry

sin = expose(
    ops.sin,
    "sin(x)",
    """Sine, of radians.

    >>> tf.sin([0., np.pi / 2]).numpy()
    array([0., 1.], dtype=float32)
    """,
)
cos = expose(
    ops.cos,
    "cos(x)",
    """Cosine, of radians.

    >>> tf.cos([0., np.pi]).numpy()
    array([ 1., -1.], dtype=float32)
    """,
)
tan = expose(
    ops.tan,
    "tan(x)",
    """Tangent, of radians.

    >>> tf.tan([0., np.pi / 4]).numpy()
    array([0., 1.], dtype=float32)
    """,
)
asin = expose(
    ops.asin,
    "asin(x)",
    """The angle from -π/2 to π/2 whose sine is x; NaN outside [-1, 1].

    >>> tf.asin([0., 1., 2.]).numpy().round(4)
    array([0.    , 1.5708,    nan], dtype=float32)
    """,
)
acos = expose(
    ops.acos,
    "acos(x)",
    """The angle from 0 to π whose cosine is x; NaN outside [-1, 1].

    >>> tf.acos([1., 0., -1.]).numpy().round(4)
    array([0.    , 1.5708, 3.1416], dtype=float32)
    """,
)
atan = expose(
    ops.atan,
    "atan(x)",
    """The angle from -π/2 to π/2 whose tangent is x. For the angle of a point see `tf.atan2`.

    >>> tf.atan([1., np.inf]).numpy().round(4)
    array([0.7854, 1.5708], dtype=float32)
    """,
)

# ---- hyperbolic functions

sinh = expose(
    ops.sinh,
    "sinh(x)",
    """(exp(x) - exp(-x)) / 2.

    >>> tf.sinh([0., 1.]).numpy().round(4)
    array([0.    , 1.1752], dtype=float32)
    """,
)
cosh = expose(
    ops.cosh,
    "cosh(x)",
    """(exp(x) + exp(-x)) / 2.

    >>> tf.cosh([0., 1.]).numpy().round(4)
    array([1.    , 1.5431], dtype=float32)
    """,
)
tanh = expose(
    ops.tanh,
    "tanh(x)",
    """sinh(x) / cosh(x): from -1 to 1.

    >>> tf.tanh([-100., 0., 0.5]).numpy().round(4)
    array([-1.    ,  0.    ,  0.4621], dtype=float32)
    """,
)
asinh = expose(
    ops.asinh,
    "asinh(x)",
    """The inverse of `sinh`.

    >>> tf.asinh(tf.sinh([-2., 3.])).numpy()
    array([-2.,  3.], dtype=float32)
    """,
)
acosh = expose(
    ops.acosh,
    "acosh(x)",
    """The inverse of `cosh` on [0, ∞); NaN below 1.

    >>> tf.acosh([1., 2., 0.]).numpy().round(4)
    array([0.   , 1.317,   nan], dtype=float32)
    """,
)
atanh = expose(
    ops.atanh,
    "atanh(x)",
    """The inverse of `tanh`; infinite at ±1.

    >>> tf.atanh([0.5, 1.]).numpy().round(4)
    array([0.5493,    inf], dtype=float32)
    """,
)

# ---- sign and rounding

abs = expose(
    ops.abs,
    "abs(x)",
    """The absolute value; of a complex number its length. The slope at 0 is 0.

    >>> tf.abs([-2., 3.]).numpy(), tf.abs(3 + 4j).numpy()
    (array([2., 3.], dtype=float32), np.float64(5.0))
    """,
)
sign = expose(
    ops.sign,
    "sign(x)",
    """-1, 0 or 1; of a complex number z, z / |z|. The gradient is 0, and not None.

    >>> tf.sign([-2.5, 0., 7.]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """,
)
floor = expose(
    ops.floor,
    "floor(x)",
    """The largest whole number not above x. No gradient passes.

    >>> tf.floor([1.7, -1.2]).numpy()
    array([ 1., -2.], dtype=float32)
    """,
)
ceil = expose(
    ops.ceil,
    "ceil(x)",
    """The smallest whole number not below x. No gradient passes.

    >>> tf.math.ceil([1.2, -1.7]).numpy()
    array([ 2., -1.], dtype=float32)
    """,
)
rint = expose(
    ops.round,
    "rint(x)",
    """The nearest whole number, halves to the even one. No gradient passes.

    >>> tf.math.rint([0.5, 1.5, -1.2]).numpy()
    array([ 0.,  2., -1.], dtype=float32)
    """,
)


def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, halves to the even one; integers stay as they are. No gradient passes.

    >>> tf.round([0.5, 1.5, 2.5, -1.2]).numpy()
    array([ 0.,  2.,  2., -1.], dtype=float32)
    """
    x = as_tensor(x)
    return x if x.dtype.is_integer else ops.round(x)
