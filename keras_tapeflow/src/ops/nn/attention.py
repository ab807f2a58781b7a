"""Scaled dot-product attention."""

import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from ..core import dense_tensor as convert_to_tensor
from ..floating import alike


def dot_product_attention(
    query,
    key,
    value,
    bias=None,
    mask=None,
    scale=None,
    is_causal=False,
    flash_attention=None,
    attn_logits_soft_cap=None,
):
    """softmax(query · key) · value of tensors (batch, length, heads, size), head by head.

    Several heads of `query` may share one of `key` and `value`. `flash_attention` is a hint about memory, which
    changes no value.
    """
    query, key, value = alike(query, key, value)
    for x in (query, key, value):
        if x.ndim != 4:
            raise ValueError(
                f"`dot_product_attention` only supports 4D inputs. Received: query.shape={tuple(query.shape)}, "
                f"key.shape={tuple(key.shape)}, value.shape={tuple(value.shape)}."
            )
    batch, length, heads, size = query.shape
    shared = key.shape[2]
    if heads % shared:
        raise ValueError(
            f"The number of query heads must be a multiple of that of key heads. Received: {heads} and {shared}."
        )
    scale = 1 / math.sqrt(size) if scale is None else scale
    query = tf.transpose(query * convert_to_tensor(scale, query.dtype), [0, 2, 1, 3])
    if shared != heads:  # the queries that share keys, one after the other
        query = tf.reshape(query, [batch, shared, heads // shared * length, size])
    logits = tf.matmul(query, tf.transpose(key, [0, 2, 3, 1]))
    if shared != heads:
        logits = tf.reshape(logits, [batch, heads, length, key.shape[1]])
    weights = tf.cast(_weights(logits, bias, mask, is_causal, attn_logits_soft_cap), value.dtype)
    if shared != heads:
        weights = tf.reshape(weights, [batch, shared, heads // shared * length, key.shape[1]])
    found = tf.matmul(weights, tf.transpose(value, [0, 2, 1, 3]))
    if shared != heads:
        found = tf.reshape(found, [batch, heads, length, value.shape[3]])
    return tf.transpose(found, [0, 2, 1, 3])


def _weights(logits: Tensor, bias: Any, mask: Any, is_causal: bool, soft_cap: float | None) -> Tensor:
    """The softmax, in float32 at least, over what may be seen."""
    if logits.dtype.size < 4:
        logits = tf.cast(logits, tf.float32)
    if soft_cap is not None:
        logits = tf.tanh(logits / soft_cap) * soft_cap
    if bias is not None:
        logits = logits + convert_to_tensor(bias, logits.dtype)
    if mask is not None:
        mask = convert_to_tensor(mask, tf.bool)
    if is_causal:
        earlier = tf.constant(np.tri(*logits.shape[-2:], dtype=bool))
        mask = earlier if mask is None else tf.logical_and(mask, earlier)
    if mask is not None:
        # Finite, so that a row in which nothing may be seen has weights, and a gradient, that are numbers.
        logits = tf.where(mask, logits, logits.dtype.min / 2)
    return tf.nn.softmax(logits)
