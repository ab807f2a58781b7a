"""Complex numbers. The rules here deal with complex gradients themselves (`holomorphic=False`).

TensorFlow's gradient of a real L with respect to z = a + ib is dL/da + i dL/db. The gradient of any function follows
from how a small change dz moves its value: the rule is the adjoint of that real-linear map under <u, v> = Re(conj(u)
v).
"""

import operator

import numpy as np

from tapeflow.core.dtypes import COMPLEX, NUMERIC
from tapeflow.core.primitive import DIAGONAL, LINEAR, TOGETHER, Spec, primitive
from tapeflow.ops.broadcasting import LIKE_NUMPY
from tapeflow.ops.families import broadcast_shape, elementwise, scalar_op


def _real_dtype(dtype):
    return {"complex64": np.dtype("float32"), "complex128": np.dtype("float64")}.get(
        np.dtype(dtype).name, np.dtype(dtype)
    )


def _real_spec(x):
    return Spec(shape=x.shape, dtype=_real_dtype(x.dtype))


# ---- parts

conj = elementwise(
    "conj(x)",
    kernel=lambda xp, x: xp.conj(x) if x.dtype.kind == "c" else x,
    vjp=lambda ops, g: ops.conj(g),
    jvp=LINEAR,
    dtypes=NUMERIC,
    holomorphic=False,
)
real = elementwise(
    "real(x)",
    kernel="real",
    shape=_real_spec,
    vjp=lambda ops, g, x_dtype: ops.cast(g, dtype=x_dtype),
    jvp=LINEAR,
    dtypes=COMPLEX,
    holomorphic=False,
)
imag = elementwise(
    "imag(x)",
    kernel="imag",
    shape=_real_spec,
    vjp=lambda ops, g: ops.complex(ops.zeros_like(g), g),
    jvp=LINEAR,
    dtypes=COMPLEX,
    holomorphic=False,
)


def _complex_dtype(dtype):
    return np.dtype("complex64" if dtype == np.float32 else "complex128")


def _complex(a, b):
    if a.ndim == b.ndim == 0:
        return _complex_dtype(a.dtype).type(complex(a, b))
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), _complex_dtype(a.dtype))
    out.real, out.imag = a, b
    return out


complex_ = primitive(
    "complex(a, b)",
    kernel={"numpy": _complex, "jax": "math.complex_numbers.complex_"},
    shape=lambda a, b: Spec(shape=broadcast_shape(a, b).shape, dtype=_complex_dtype(a.dtype)),
    vjp={"a": lambda ops, g: ops.real(g), "b": lambda ops, g: ops.imag(g)},
    jvp=TOGETHER,
    dtypes=frozenset({np.dtype("float32"), np.dtype("float64")}),
    broadcasts=LIKE_NUMPY,
    holomorphic=False,
    result="complex",
)


# ---- length and direction: functions of real numbers too


def _abs_vjp(ops, g, x, x_dtype):
    return ops.cast(g, dtype=x_dtype) * ops.sign(x) if x_dtype.kind == "c" else g * ops.sign(x)


def _abs_jvp(ops, t, x, x_dtype):
    return ops.real(ops.conj(ops.sign(x)) * t) if x_dtype.kind == "c" else t * ops.sign(x)


def _sign_vjp(ops, g, x, x_dtype, y):
    """Along the direction y = x / |x| nothing changes; across it, a step dz turns the direction by dz / |x|. 0 at the
    origin."""
    if x_dtype.kind != "c":
        return ops.zeros_like(g)
    along = ops.cast(ops.real(ops.conj(y) * g), dtype=x_dtype) * y
    return ops.divide_no_nan(g - along, ops.cast(ops.abs(x), dtype=x_dtype))


def _angle_vjp(ops, g, x, x_dtype):
    """i x / |x|^2; 0 at the origin."""
    length = ops.abs(x)
    turn = ops.complex(-ops.imag(x), ops.real(x))
    return ops.cast(g, dtype=x_dtype) * ops.divide_no_nan(turn, ops.cast(length * length, dtype=x_dtype))


def _angle_jvp(ops, t, x):
    length = ops.abs(x)
    return ops.divide_no_nan(ops.imag(ops.conj(x) * t), length * length)


abs_ = elementwise(
    "abs(x)",
    kernel=scalar_op(operator.abs, "abs"),
    shape=_real_spec,
    vjp=_abs_vjp,
    jvp=_abs_jvp,
    dtypes=NUMERIC,
    holomorphic=False,
    makes_new=True,
)
sign = elementwise(
    "sign(x)",
    kernel={"numpy": np.sign, "jax": "math.complex_numbers.sign"},
    vjp=_sign_vjp,
    jvp=DIAGONAL,
    dtypes=NUMERIC,
    holomorphic=False,
)
angle = elementwise(
    "angle(x)", kernel="angle", shape=_real_spec, vjp=_angle_vjp, jvp=_angle_jvp, dtypes=COMPLEX, holomorphic=False
)
