"""Activations, losses and resizing, as other primitives."""

import math
from typing import Any

import numpy as np

from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor
from tapeflow.engines.numpy.image.resampling import taps

from .arrays import counted

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _like(condition, x):
    return ops.cast(condition, dtype=x.dtype.np)


def _elu(x):
    return ops.maximum(x, 0) + ops.expm1(ops.minimum(x, 0))


def _selu(x):
    return ops.maximum(x, 0) * _SELU_SCALE + ops.expm1(ops.minimum(x, 0)) * (_SELU_SCALE * _SELU_ALPHA)


def _leaky_relu(x, alpha):
    if alpha == 0:
        return ops.maximum(x, 0)
    return (ops.maximum if alpha <= 1 else ops.minimum)(x, x * alpha)


def _gelu_tanh(x):
    return 0.5 * x * (1 + ops.tanh((x + 0.044715 * x * x * x) * math.sqrt(2 / math.pi)))


def _softmax(x, axis):
    top = ops.reduce_max(x, axis=(axis,), keepdims=True)
    shares = ops.exp(x - top)
    return shares / ops.reduce_sum(shares, axis=(axis,), keepdims=True)


def _log_softmax(x, axis):
    shifted = x - ops.reduce_max(x, axis=(axis,), keepdims=True)
    return shifted - ops.log(ops.reduce_sum(ops.exp(shifted), axis=(axis,), keepdims=True))


def _softmax_cross_entropy(logits, probabilities, labels):
    costs = -ops.log_softmax(logits, axis=len(logits.sizes) - 1)
    paid = ops.where(ops.equal(labels, 0.0), ops.zeros_like(costs), costs * labels)
    return ops.reduce_sum(paid, axis=(len(logits.sizes) - 1,), keepdims=False)


def _sparse_softmax_cross_entropy(logits, probabilities, labels):
    last = len(logits.sizes) - 1
    shape = (*labels.sizes, 1)
    found = ops.take_along(ops.log_softmax(logits, axis=last), ops.reshape(labels, shape=shape))
    return -ops.reshape(found, shape=tuple(labels.sizes))


def _sigmoid_cross_entropy(logits, labels):
    small = ops.softplus(-ops.abs(logits))
    none = ops.zeros_like(logits * labels)
    low = ops.where(ops.equal(labels, 1.0), none, (1 - labels) * ops.maximum(logits, 0.0))
    high = ops.where(ops.equal(labels, 0.0), none, labels * ops.maximum(-logits, 0.0))
    return small + low + high


def _minus_one_hot(x, labels):
    return x - _like(ops.one_hot(labels, depth=x.sizes[-1], axis=len(labels.sizes)), x)


def _l2_loss(x):
    return ops.reduce_sum(x * x, axis=tuple(range(len(x.sizes))), keepdims=False) * 0.5


def _resample(x, axis, weights, transposed):
    """A product with the matrix of shares."""
    index, share = taps(weights)
    _, before, after = weights[:3]
    mix = np.zeros((after, before), x.dtype.np)
    np.add.at(mix, (np.arange(after)[:, None], index), share)
    rank = len(x.sizes)
    last = tuple([k for k in range(rank) if k != axis] + [axis])
    mixed = ops.matmul(ops.transpose(x, perm=last), EagerTensor(np.ascontiguousarray(mix if transposed else mix.T)))
    return ops.transpose(mixed, perm=tuple(np.argsort(last).tolist()))


def _attention(query, key, value, bias, allowed, causal):
    """With all weights at once: (batch, shared heads, heads that share one, length, size)."""
    dtype, shared = value.dtype.np, key.sizes[2]
    wide = np.dtype(np.float32) if query.dtype.np.itemsize < 4 else query.dtype.np

    def heads(x):
        batch, length, count, size = x.sizes
        x = ops.reshape(ops.cast(x, dtype=wide), shape=(batch, length, shared, count // shared, size))
        return ops.transpose(x, perm=(0, 2, 3, 1, 4))

    def spread(x):
        batch, count, rows, columns = x.sizes
        return ops.reshape(x, shape=(batch, *((1, 1) if count == 1 else (shared, count // shared)), rows, columns))

    logits = ops.matmul(heads(query), ops.matrix_transpose(heads(key))) + spread(ops.cast(bias, dtype=wide))
    seen = spread(allowed)
    if causal:
        rows, columns = counted(query.sizes[1]), counted(key.sizes[1])
        before = ops.getitem(columns, index=(None, (None, None, None))) <= ops.getitem(
            rows, index=((None, None, None), None)
        )
        seen = ops.logical_and(seen, before)
    logits = ops.where(seen, logits, EagerTensor(np.array(np.finfo(wide).min / 2, wide)))
    found = ops.matmul(ops.softmax(logits, axis=4), heads(value))
    batch, _, group, length, size = found.sizes
    found = ops.transpose(found, perm=(0, 3, 1, 2, 4))
    return ops.cast(ops.reshape(found, shape=(batch, length, shared * group, size)), dtype=dtype)


def _gelu_grad(dy, x):
    density = ops.exp(x * x * -0.5) * math.sqrt(0.5 / math.pi)
    return dy * ((ops.erf(x * math.sqrt(0.5)) + 1) * 0.5 + x * density)


def _gelu_tanh_grad(dy, x):
    root = math.sqrt(2 / math.pi)
    x = ops.maximum(ops.minimum(x, 10.0), -10.0)  # as the kernel: beyond, inf * 0 would be NaN
    cube = x * x * 0.044715
    t = ops.tanh(x * (1 + cube) * root)
    return dy * (0.5 * (1 + t) + x * (0.5 * root) * (1 - t * t) * (1 + 3 * cube))


def _total(x, axis):
    return ops.reduce_sum(x, axis=(axis,), keepdims=True)


TABLE: dict[str, Any] = {
    "relu": lambda x: ops.maximum(x, 0),
    "relu_grad": lambda dy, output: dy * _like(output > 0, dy),
    "relu6": lambda x: ops.minimum(ops.maximum(x, 0), 6),
    "relu6_grad": lambda dy, output: dy * _like(ops.logical_and(output > 0, output < 6), dy),
    "leaky_relu": _leaky_relu,
    "leaky_relu_grad": lambda dy, output, alpha: ops.where(output > 0, dy, dy * alpha),
    "elu": _elu,
    "selu": _selu,
    "negative_part": lambda x: ops.minimum(x, 0),
    "selu_slope": lambda output: (
        ops.minimum(output, 0.0)
        + _like(output < 0, output) * (_SELU_SCALE * _SELU_ALPHA)
        + _like(ops.logical_not(output < 0), output) * _SELU_SCALE
    ),
    "softplus": lambda x: ops.maximum(x, 0) + ops.log1p(ops.exp(-ops.abs(x))),
    "softsign": lambda x: x / (1 + ops.abs(x)),
    "silu": lambda x: x * ops.sigmoid(x),
    "sigmoid": lambda x: ops.reciprocal(1 + ops.exp(-x)),
    "gelu": lambda x: x * (ops.erf(x * math.sqrt(0.5)) + 1) * 0.5,
    "gelu_grad": _gelu_grad,
    "gelu_tanh": _gelu_tanh,
    "gelu_tanh_grad": _gelu_tanh_grad,
    "softmax": _softmax,
    "softmax_grad": lambda dy, output, axis: (dy - _total(dy * output, axis)) * output,
    "log_softmax": _log_softmax,
    "log_softmax_grad": lambda dy, output, axis: dy - ops.exp(output) * _total(dy, axis),
    "softmax_cross_entropy": _softmax_cross_entropy,
    "sparse_softmax_cross_entropy": _sparse_softmax_cross_entropy,
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
    "minus_one_hot": _minus_one_hot,
    "l2_loss": _l2_loss,
    "attention": _attention,
    "resample": _resample,
}
