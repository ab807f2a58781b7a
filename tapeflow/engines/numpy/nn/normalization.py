"""Moments, and normalisation with them, in as few passes over the array as NumPy can."""

import math

import numpy as np

from tapeflow.core.primitive import bare


def summed(x, shape):
    """Sums down to a shape that broadcasts to that of `x`."""
    if x.shape == shape:
        return x
    extra = x.ndim - len(shape)
    axis = tuple(range(extra)) + tuple([a + extra for a, n in enumerate(shape) if n == 1 != x.shape[a + extra]])
    return bare.reduce_sum(x, axis=axis, keepdims=False).reshape(shape) if axis else x.reshape(shape)


def moments(x, axis, keepdims):
    """The mean, and the mean of the squares of what differs from it."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    mean = bare.reduce_mean(wide, axis=axis, keepdims=True)
    deviation = wide - mean
    squares = np.square(deviation, out=deviation) if deviation.ndim else deviation * deviation
    variance = bare.reduce_mean(squares, axis=axis, keepdims=keepdims)
    return mean.reshape(variance.shape).astype(x.dtype, copy=False), variance.astype(x.dtype, copy=False)


def centred(x, mean, factor, start):
    out = x - mean
    if out.ndim and out.shape == np.broadcast_shapes(out.shape, factor.shape, start.shape):
        out *= factor
        out += start
        return out
    return out * factor + start


def batch_norm(x, mean, variance, scale, offset, epsilon):
    factor = bare.rsqrt(variance + epsilon) * scale
    start = offset - mean * factor
    out = x * factor
    if out.ndim and out.shape == np.broadcast_shapes(out.shape, start.shape):
        return np.add(out, start, out=out)
    return out + start


def batch_norm_grad(dy, x, mean, variance, scale, offset_shape, epsilon):
    """Sums of dy and of dy (x - mean) are all that there is to it. Where mean and scale lie alike they are the same
    for both."""
    factor = bare.rsqrt(variance + epsilon)
    product = factor * scale
    whole = np.broadcast_shapes(dy.shape, x.shape, product.shape, mean.shape, offset_shape)
    dy = dy if dy.shape == whole else np.broadcast_to(dy, whole)
    out = dy * product
    moved = x - mean
    moved = np.multiply(moved, dy, out=moved) if moved.ndim and moved.shape == dy.shape else moved * dy
    of_offset = summed(dy, offset_shape) if dy.size != math.prod(offset_shape) else np.array(dy).reshape(offset_shape)
    if mean.shape == scale.shape == offset_shape == variance.shape:
        total = summed(moved, mean.shape)
        of_mean, of_scale = -of_offset * product, total * factor
        of_variance = total * product * np.square(factor) * factor.dtype.type(-0.5)
    else:
        of_mean, of_scale = -summed(out, mean.shape), summed(moved * factor, scale.shape)
        of_variance = summed(moved * (product * np.square(factor)), variance.shape) * factor.dtype.type(-0.5)
    return summed(out, x.shape), of_mean, of_variance, of_scale, of_offset
