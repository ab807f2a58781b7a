"""Scaled dot-product attention. TensorFlow has no name for it; Keras' layers are made of it."""

import math

import numpy as np

from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.shaping import reshape, transpose
from tapeflow.api.linalg.products import matmul
from tapeflow.api.nn.activations import softmax
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

# Weights of one head up to which a tape keeps them: it costs less time than making them again (64 by 64: forward and
# backward take 0.8 of the time; 512 by 512: 1.04).
_KEPT = 1 << 16


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

    Several heads of `query` may share one of `key` and `value`. For long sequences, memory grows with the lengths, not
    with their product: the weights are made block by block, and again in the backward pass. A tape keeps only the
    tensors given here. (This is not so with `soft_cap`, nor for derivatives of higher order.)

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
    query = query * (1 / math.sqrt(sizes_of(query)[3]) if scale is None else scale)
    if soft_cap is not None or sizes_of(query)[1] * sizes_of(key)[1] <= _KEPT:
        return _at_once(query, key, value, bias, mask, is_causal, soft_cap)
    nothing, everything = np.zeros((1, 1, 1, 1), np.float32), np.ones((1, 1, 1, 1), bool)
    bias = (
        EagerTensor(nothing)
        if bias is None
        else _of_rank_4(bias if bias.dtype.is_floating else cast(bias, query.dtype))
    )
    mask = EagerTensor(everything) if mask is None else _of_rank_4(mask)
    return ops.attention(query, key, value, bias, mask, causal=is_causal)


def _of_rank_4(x: Tensor) -> Tensor:
    sizes = sizes_of(x)
    return x if len(sizes) == 4 else reshape(x, [*(1,) * (4 - len(sizes)), *sizes])


def _at_once(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    mask: Tensor | None,
    is_causal: bool,
    soft_cap: float | None,
) -> Tensor:
    """With all weights at once."""
    (batch, length, heads, size), (keys, shared) = sizes_of(query), sizes_of(key)[1:3]
    together = [batch, shared, heads // shared * length]  # the queries that share keys, one after the other
    join = lambda x, last: x if shared == heads else reshape(x, [*together, last])
    part = lambda x, last: x if shared == heads else reshape(x, [batch, heads, length, last])
    query = join(transpose(query, [0, 2, 1, 3]), size)
    logits = part(matmul(query, transpose(key, [0, 2, 3, 1])), keys)
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
    weights = join(cast(softmax(logits), value.dtype), keys)
    found = part(matmul(weights, transpose(value, [0, 2, 1, 3])), sizes_of(value)[3])
    return transpose(found, [0, 2, 1, 3])
