"""Keras' `dot_product_attention`: its arguments, checked, for `tapeflow.api.nn.attention`."""

import tapeflow as tf
from tapeflow.api.nn.attention import attention

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
    heads, shared = query.sizes[2], key.sizes[2]
    if heads % shared:
        raise ValueError(
            f"The number of query heads must be a multiple of that of key heads. Received: {heads} and {shared}."
        )
    return attention(
        query,
        key,
        value,
        bias=None if bias is None else convert_to_tensor(bias),
        mask=None if mask is None else convert_to_tensor(mask, tf.bool),
        scale=None if scale is None else convert_to_tensor(scale, query.dtype),
        is_causal=is_causal,
        soft_cap=attn_logits_soft_cap,
    )
