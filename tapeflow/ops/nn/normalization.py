"""Moments, and normalisation with them: what batch, layer, group and instance normalisation are made of. They differ
in which axes the mean is over and in which the scale lies, and both broadcast.

The backward pass of a normalisation is one primitive, since its five gradients are sums of the same two products.
"""

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import FLOATING
from tapeflow.core.fitting import check_axes
from tapeflow.core.primitive import Spec, primitive, recorded
from tapeflow.core.sizes import larger
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.nn import normalization as kernels
from tapeflow.ops.batching import all_batched, rows_of, shift
from tapeflow.ops.broadcasting import sum_to
from tapeflow.ops.families import broadcasting, reduced

# ---- moments


def _moments_shape(x, axis, keepdims):
    check_axes(x, *axis)
    found = Spec(shape=reduced(x.shape, axis, keepdims), dtype=x.dtype)
    return found, found


def _count(shape, axis):
    count = 1
    for a in axis:
        count = count * shape[a]
    return larger(count, 1)


def _moments_vjp(ops, g, x, mean, axis):
    """Each element has a share of the mean's gradient, and by its distance from the mean one of the variance's."""
    shape = tuple(sizes_of(x))
    kept = lambda part: ops.reshape(part, shape=reduced(shape, axis, True))
    of_mean, of_variance = g
    count = _count(shape, axis)
    return ops.centred(x, kept(mean), kept((of_variance + of_variance) / count), kept(of_mean / count))


def _moments_jvp(ops, t, x, mean, axis, keepdims):
    apart = x - ops.reshape(mean, shape=reduced(tuple(sizes_of(x)), axis, True))
    return (
        ops.reduce_mean(t, axis=axis, keepdims=keepdims),
        ops.reduce_mean(apart * (t + t), axis=axis, keepdims=keepdims),
    )


# Mean and variance over axes.
moments = primitive(
    "moments(x, *, axis, keepdims)",
    kernel={"numpy": kernels.moments, "jax": "nn.normalization.moments", "native": "nn.normalization.moments"},
    shape=_moments_shape,
    vjp=_moments_vjp,
    jvp=_moments_jvp,
    batch=shift("axis"),
    dtypes=FLOATING,
    outputs=("mean", "variance"),
    makes_new=True,
)


# (x - mean) * factor + start: the way back from moments.
centred = broadcasting(
    "centred(x, mean, factor, start)",
    kernel={"numpy": kernels.centred, "jax": "nn.normalization.centred", "native": "nn.normalization.centred"},
    vjp={
        "x": lambda g, factor: g * factor,
        "mean": lambda g, factor: -(g * factor),
        "factor": lambda g, x, mean: g * (x - mean),
        "start": lambda g: g,
    },
    dtypes=FLOATING,
    makes_new=True,
)

# ---- normalisation


def _factors(ops, variance, scale, epsilon):
    """(1 / σ, scale / σ)"""
    factor = ops.rsqrt(variance + epsilon)
    return factor, factor * scale


def _gradients(ops, g, x, mean, variance, scale, offset_shape, epsilon):
    return ops.batch_norm_grad(g, x, mean, variance, scale, offset_shape=tuple(offset_shape), epsilon=epsilon)


def _variance_jvp(ops, t, x, mean, variance, scale, epsilon):
    factor, product = _factors(ops, variance, scale, epsilon)
    return (x - mean) * (t * product * ops.square(factor) * -0.5)


# scale (x - mean) / sqrt(variance + epsilon) + offset.
batch_norm = broadcasting(
    "batch_norm(x, mean, variance, scale, offset, *, epsilon)",
    kernel={
        "numpy": kernels.batch_norm,
        "jax": "nn.normalization.batch_norm",
        "native": "nn.normalization.batch_norm",
    },
    vjp={("x", "mean", "variance", "scale", "offset"): _gradients},
    jvp={
        "x": lambda ops, t, variance, scale, epsilon: t * _factors(ops, variance, scale, epsilon)[1],
        "mean": lambda ops, t, variance, scale, epsilon: -(t * _factors(ops, variance, scale, epsilon)[1]),
        "variance": _variance_jvp,
        "scale": lambda ops, t, x, mean, variance, epsilon: (x - mean) * ops.rsqrt(variance + epsilon) * t,
        "offset": lambda t: t,
    },
    dtypes=FLOATING,
    makes_new=True,
)


def _grad_shape(dy, x, mean, variance, scale, offset_shape, epsilon):
    broadcast_shapes(dy.shape, x.shape, mean.shape, variance.shape, scale.shape, tuple(offset_shape))
    return x, mean, variance, scale, Spec(shape=tuple(offset_shape), dtype=x.dtype)


def _grad_vjp(ops, g, dy, x, mean, variance, scale, epsilon):
    """The gradient of <dy, T>, where T is the tangent of the output for the tangents `g` of all inputs: that is what
    <g, gradients> is."""
    of_x, of_mean, of_variance, of_scale, of_offset = g
    factor, product = _factors(ops, variance, scale, epsilon)
    half = ops.square(factor) * of_variance * 0.5
    apart, change = x - mean, of_x - of_mean
    slope = factor * of_scale - product * half  # of the tangent, by x
    by_factor = scale * change + apart * (of_scale - scale * half * 3)
    to = lambda part, like: sum_to(ops, part, tuple(sizes_of(like)))
    moved = dy * slope
    return (
        to(product * change + apart * slope + of_offset, dy),
        to(moved, x),
        to(-moved, mean),
        to(dy * by_factor * (factor * ops.square(factor) * -0.5), variance),
        to(dy * (factor * change - apart * factor * half), scale),
    )


def _grad_rows(op, args, batched, params):
    """All have the axis, and axes of size 1 behind it keep the others in line."""
    size, shapes = rows_of(args, batched), [tuple(sizes_of(a))[b:] for a, b in zip(args, batched)]
    shapes.append(tuple(params["offset_shape"]))
    rank = max(map(len, shapes))
    lined = [(size, *(1,) * (rank - len(s)), *s) for s in shapes]
    given = [recorded.reshape(a, shape=s) for a, s in zip(all_batched(args, batched), lined)]
    out = op(*given, offset_shape=lined[-1], epsilon=params["epsilon"])
    return tuple([recorded.reshape(o, shape=(size, *s)) for o, s in zip(out, shapes[1:])])


# The gradients of all inputs of a normalisation.
batch_norm_grad = primitive(
    "batch_norm_grad(dy, x, mean, variance, scale, *, offset_shape, epsilon)",
    kernel={
        "numpy": kernels.batch_norm_grad,
        "jax": "nn.normalization.batch_norm_grad",
        "native": "nn.normalization.batch_norm_grad",
    },
    shape=_grad_shape,
    vjp={("dy", "x", "mean", "variance", "scale"): _grad_vjp},
    batch=_grad_rows,
    dtypes=FLOATING,
    outputs=("of_x", "of_mean", "of_variance", "of_scale", "of_offset"),
    makes_new=True,
)
