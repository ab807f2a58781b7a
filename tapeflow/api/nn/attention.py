"""Scaled dot-product attention. TensorFlow has no name for it; Keras' layers are made of it."""

import math
from typing import Any

import numpy as np

from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.shaping import reshape, transpose
from tapeflow.api.linalg.products import matmul
from tapeflow.api.nn.activations import softmax
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    scale: Tensor | float | None = None,
    is_causal: bool = False,
    soft_cap: float | None = None,
) -> Tensor:
    """softmax(query · key) · value of tensors (batch, length, heads, size), head by head.

    Several heads of `query` may share one of `key` and `value`.

    Args:
        bias: What is added to the products of queries and keys, (batch, heads, length of queries, length of keys).
        mask: Booleans of the same shape: which keys a query may see.
        scale: What queries are multiplied by, 1/√size by default.
        is_causal: A query sees only keys up to its own position.
        soft_cap: What the products stay under, by tanh.

    >>> from tapeflow.api.nn.attention import attention
    >>> x = tf.reshape(tf.range(4.0), [1, 2, 1, 2])
    >>> attention(x, x, x, is_causal=True).numpy()[0, :, 0].round(2)
    array([[0., 1.],
           [2., 3.]], dtype=float32)
    """
    batch, length, heads, size = sizes_of(query)
    shared = sizes_of(key)[2]
    query = transpose(query * (1 / math.sqrt(size) if scale is None else scale), [0, 2, 1, 3])
    if shared != heads:  # the queries that share keys, one after the other
        query = reshape(query, [batch, shared, heads // shared * length, size])
    logits = matmul(query, transpose(key, [0, 2, 3, 1]))
    if shared != heads:
        logits = reshape(logits, [batch, heads, length, sizes_of(key)[1]])
    weights = cast(_weights(logits, bias, mask, is_causal, soft_cap), value.dtype)
    if shared != heads:
        weights = reshape(weights, [batch, shared, heads // shared * length, sizes_of(key)[1]])
    found = matmul(weights, transpose(value, [0, 2, 1, 3]))
    if shared != heads:
        found = reshape(found, [batch, heads, length, sizes_of(value)[3]])
    return transpose(found, [0, 2, 1, 3])


def _weights(
    logits: Tensor, bias: Tensor | None, mask: Tensor | None, is_causal: bool, soft_cap: float | None
) -> Tensor:
    """The softmax, in float32 at least, over what may be seen."""
    if logits.dtype.size < 4:
        logits = cast(logits, "float32")
    if soft_cap is not None:
        logits = ops.tanh(logits / soft_cap) * soft_cap
    if bias is not None:
        logits = logits + cast(bias, logits.dtype)
    if is_causal:
        earlier = EagerTensor(np.tri(*sizes_of(logits)[-2:], dtype=bool))
        mask = earlier if mask is None else ops.logical_and(mask, earlier)
    if mask is not None:
        # Finite, so that a row in which nothing may be seen has weights, and a gradient, that are numbers.
        logits = ops.where(mask, logits, logits.dtype.min / 2)
    return softmax(logits)
