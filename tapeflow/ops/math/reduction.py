"""Reductions over axes. `axis` is always a sorted tuple of non-negative ints here; the public functions normalise it.

NumPy's own wrappers (`np.sum`, `x.mean()`) cost 2 to 3 microseconds of Python; a ufunc's `reduce` costs one. Axes that
stand side by side are summed as products with a vector of ones where that pays: 2 to 20 times faster than NumPy's
reduction.
"""

import math

import numpy as np

from tapeflow.core.dtypes import BOOL, FLOATING, INEXACT, NUMERIC, REAL
from tapeflow.core.fitting import check_axes
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive
from tapeflow.core.sizes import larger
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.native.linalg import products
from tapeflow.ops.batching import shift
from tapeflow.ops.families import elementwise, reduced

_FLOAT32, _FLOAT64, _FLOAT16 = np.dtype("float32"), np.dtype("float64"), np.dtype("float16")


def _reduced_shape(x, axis, keepdims):
    check_axes(x, *axis)
    return Spec(shape=reduced(x.shape, axis, keepdims), dtype=x.dtype)


def _spread(ops, g, x_shape, axis):
    """The adjoint of a sum: every element gets the gradient of its sum."""
    if axis and axis[-1] != len(axis) - 1:  # sums over leading axes are spread by broadcasting alone
        g = ops.reshape(g, shape=reduced(x_shape, axis, True))
    return ops.broadcast_to(g, shape=x_shape)


def _kept(ops, y, x_shape, axis):
    """A result of the reduction with its axes of size 1 back in place."""
    return ops.reshape(y, shape=reduced(x_shape, axis, True))


def _count(shape, axis):
    """How many elements go into each result."""
    return math.prod([shape[a] for a in axis])


# ---- sums


def _sum(x, axis, keepdims):
    dtype = x.dtype
    if (
        x.size >= 512
        and (dtype is _FLOAT32 or dtype is _FLOAT64)
        and _side_by_side(axis, x.ndim)
        and x.flags.c_contiguous
    ):
        return _sum_by_product(x, axis[0], axis[-1] + 1).reshape(reduced(x.shape, axis, keepdims))
    if dtype is _FLOAT16:  # adding halves to halves loses everything beyond a few thousand terms
        return np.add.reduce(x, axis, _FLOAT32, None, keepdims).astype(dtype)
    return np.add.reduce(x, axis, dtype, None, keepdims)


def _side_by_side(axis, rank):
    return 0 < len(axis) < rank and axis[-1] - axis[0] == len(axis) - 1


def _sum_by_product(x, start, stop):
    before, count, after = [math.prod(part) for part in (x.shape[:start], x.shape[start:stop], x.shape[stop:])]
    ones = np.ones(count, x.dtype)
    if after == 1:
        return _product(x.reshape(before, count), ones[:, None])
    return _product(ones[None], x.reshape(count, after) if before == 1 else x.reshape(before, count, after))


def _product(a, b):
    out = products.matmul(a, b)
    return np.matmul(a, b) if out is None else out


reduce_sum = primitive(
    "reduce_sum(x, *, axis, keepdims)",
    kernel={"numpy": _sum, "jax": "math.reduction.reduce_sum"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=_spread,
    jvp=LINEAR,
    dtypes=NUMERIC,
)


def _mean(x, axis, keepdims):
    count = x.size if len(axis) == x.ndim else _count(x.shape, axis)
    if x.dtype.kind in "iu":  # as TensorFlow: an integer, rounded towards zero; 0 for nothing at all
        total = np.add.reduce(x, axis, np.int64 if x.dtype.kind == "i" else np.uint64, None, keepdims)
        return (np.sign(total) * (np.abs(total) // max(count, 1))).astype(x.dtype)
    if x.dtype is _FLOAT16:  # the sum may be beyond 65504 where the mean is not
        return (np.add.reduce(x, axis, _FLOAT32, None, keepdims) / count).astype(x.dtype)
    return _sum(x, axis, keepdims) / count


reduce_mean = primitive(
    "reduce_mean(x, *, axis, keepdims)",
    kernel={"numpy": _mean, "jax": "math.reduction.reduce_mean"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=lambda ops, g, x_shape, axis: _spread(ops, g / larger(_count(x_shape, axis), 1), x_shape, axis),
    jvp=LINEAR,
    dtypes=NUMERIC,
)


def _sum_squares(x, axis, keepdims):
    if (
        x.ndim and len(axis) == x.ndim and (x.dtype is _FLOAT32 or x.dtype is _FLOAT64)
    ):  # one pass, no temporary: 7 times faster
        flat = x.reshape(-1)
        out = np.dot(flat, flat)
        return out.reshape((1,) * x.ndim) if keepdims else out
    return _sum(np.square(x, dtype=_FLOAT32 if x.dtype is _FLOAT16 else None), axis, keepdims).astype(x.dtype)


# The sum of x*x (of real numbers: their squared length), without keeping or making the squares.
sum_squares = primitive(
    "sum_squares(x, *, axis, keepdims)",
    kernel={"numpy": _sum_squares, "jax": "math.reduction.sum_squares"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=lambda ops, g, x, axis: _kept(ops, g + g, sizes_of(x), axis) * x,
    jvp=lambda ops, t, x, axis, keepdims: ops.reduce_sum((t + t) * x, axis=axis, keepdims=keepdims),
    dtypes=INEXACT,
)


def _length_vjp(ops, g, y):
    """Half of g/y; where y is 0 the slope from all sides averages to 0."""
    at_zero = ops.equal(y, 0.0)
    return ops.where(at_zero, ops.zeros_like(y), g * 0.5 / ops.where(at_zero, y + 1, y))


# The square root that ends a norm: like sqrt, but flat at 0, where every norm has a minimum.
length = elementwise("length(x)", kernel="sqrt", vjp=_length_vjp, dtypes=FLOATING)


def _variance(x, axis, keepdims):
    wide = x.astype(np.float32) if x.dtype is _FLOAT16 else x
    deviation = wide - _mean(wide, axis, True)
    squares = np.square(deviation, out=deviation) if deviation.ndim else deviation * deviation
    return _mean(squares, axis, keepdims).astype(x.dtype)


def _variance_vjp(ops, g, x, axis):
    share = (g + g) / larger(_count(sizes_of(x), axis), 1)
    return (x - ops.reduce_mean(x, axis=axis, keepdims=True)) * _kept(ops, share, sizes_of(x), axis)


def _variance_jvp(ops, t, x, axis, keepdims):
    deviation = x - ops.reduce_mean(x, axis=axis, keepdims=True)
    return ops.reduce_mean(deviation * (t + t), axis=axis, keepdims=keepdims)


# In one primitive because the tape then keeps `x` alone, and not its deviations from the mean.
reduce_variance = primitive(
    "reduce_variance(x, *, axis, keepdims)",
    kernel={"numpy": _variance, "jax": "math.reduction.reduce_variance"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=_variance_vjp,
    jvp=_variance_jvp,
    dtypes=FLOATING,
)

# ---- extremes


def _extreme(ufunc, empty):
    def kernel(x, axis, keepdims):
        if not x.size:
            return np.full(reduced(x.shape, axis, keepdims), empty(x.dtype), x.dtype)
        if x.size > 512 and axis == (x.ndim - 1,) and x.shape[-1] <= 32:  # short rows: 3 to 30 times faster as columns
            columns = np.ascontiguousarray(x.reshape(-1, x.shape[-1]).T)
            return ufunc.reduce(columns, 0).reshape(reduced(x.shape, axis, keepdims))
        return ufunc.reduce(x, axis, None, None, keepdims)

    return kernel


def _lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _ties(ops, x, y, x_dtype, axis):
    """1 for every element that is the extreme one, else 0."""
    return ops.cast(ops.equal(x, _kept(ops, y, sizes_of(x), axis)), dtype=x_dtype)


def _extreme_vjp(ops, g, x, y, x_dtype, axis):
    """Elements that tie share the gradient equally; a NaN result (equal to nothing) makes all of it NaN."""
    ties = _ties(ops, x, y, x_dtype, axis)
    return ties / ops.reduce_sum(ties, axis=axis, keepdims=True) * _kept(ops, g, sizes_of(x), axis)


def _extreme_jvp(ops, t, x, y, x_dtype, axis, keepdims):
    """The mean of the tangents of those that tie."""
    ties = _ties(ops, x, y, x_dtype, axis)
    return ops.reduce_sum(ties * t, axis=axis, keepdims=keepdims) / ops.reduce_sum(ties, axis=axis, keepdims=keepdims)


reduce_max = primitive(
    "reduce_max(x, *, axis, keepdims)",
    kernel={"numpy": _extreme(np.maximum, _lowest), "jax": "math.reduction.reduce_max"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=_extreme_vjp,
    jvp=_extreme_jvp,
    dtypes=REAL,
)
reduce_min = primitive(
    "reduce_min(x, *, axis, keepdims)",
    kernel={"numpy": _extreme(np.minimum, _highest), "jax": "math.reduction.reduce_min"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=_extreme_vjp,
    jvp=_extreme_jvp,
    dtypes=REAL,
)

# ---- products


def _product_of_others(ops, x, axis):
    """The product of all the others, as those before times those after: exact whatever is zero."""
    shape = tuple(sizes_of(x))
    perm = tuple(i for i in range(len(shape)) if i not in axis) + axis
    moved = ops.transpose(x, perm=perm) if perm != tuple(range(len(shape))) else x
    last = len(shape) - len(axis)
    flat = ops.reshape(moved, shape=(*sizes_of(moved)[:last], _count(shape, axis)))
    before = ops.cumprod(flat, axis=last, exclusive=True, reverse=False)
    after = ops.cumprod(flat, axis=last, exclusive=True, reverse=True)
    others = ops.reshape(before * after, shape=tuple(sizes_of(moved)))
    return others if moved is x else ops.transpose(others, perm=tuple(perm.index(i) for i in range(len(shape))))


reduce_prod = primitive(
    "reduce_prod(x, *, axis, keepdims)",
    kernel={
        "numpy": lambda x, axis, keepdims: np.multiply.reduce(x, axis, x.dtype, None, keepdims),
        "jax": "math.reduction.reduce_prod",
    },
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=lambda ops, g, x, axis: _product_of_others(ops, x, axis) * _kept(ops, g, sizes_of(x), axis),
    jvp=lambda ops, t, x, axis, keepdims: ops.reduce_sum(
        _product_of_others(ops, x, axis) * t, axis=axis, keepdims=keepdims
    ),
    dtypes=NUMERIC,
)

# ---- the logarithm of a sum of exponentials

_max = reduce_max.primitive.on("numpy", np)


def _logsumexp(x, axis, keepdims):
    wide = x.astype(np.float32) if x.dtype is _FLOAT16 else x
    top = _max(wide, axis, True)
    top = np.where(np.isfinite(top), top, np.zeros_like(top))
    total = np.log(_sum(np.exp(wide - top), axis, True)) + top
    return total.astype(x.dtype).reshape(reduced(x.shape, axis, keepdims))


def _shares(ops, x, y, axis):
    """The part that each term has in its sum: a softmax."""
    return ops.exp(x - _kept(ops, y, sizes_of(x), axis))


reduce_logsumexp = primitive(
    "reduce_logsumexp(x, *, axis, keepdims)",
    kernel={"numpy": _logsumexp, "jax": "math.reduction.reduce_logsumexp"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=lambda ops, g, x, y, axis: _shares(ops, x, y, axis) * _kept(ops, g, sizes_of(x), axis),
    jvp=lambda ops, t, x, y, axis, keepdims: ops.reduce_sum(
        _shares(ops, x, y, axis) * t, axis=axis, keepdims=keepdims
    ),
    dtypes=FLOATING,
)

# ---- truth

reduce_any = primitive(
    "reduce_any(x, *, axis, keepdims)",
    kernel={"numpy": lambda x, axis, keepdims: np.logical_or.reduce(x, axis, None, None, keepdims), "jax": "any"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=CUT,
    dtypes=BOOL,
)
reduce_all = primitive(
    "reduce_all(x, *, axis, keepdims)",
    kernel={"numpy": lambda x, axis, keepdims: np.logical_and.reduce(x, axis, None, None, keepdims), "jax": "all"},
    shape=_reduced_shape,
    batch=shift("axis"),
    vjp=CUT,
    dtypes=BOOL,
)
