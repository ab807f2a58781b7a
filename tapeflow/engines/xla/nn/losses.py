"""Cross-entropies (see `ops/nn/losses.py`). A label that is no class makes NaN, as TensorFlow's does on
accelerators."""

import jax.numpy as jnp
from jax import lax


def _log_likelihoods(logits, probabilities):
    shifted = logits - jnp.max(logits, -1, keepdims=True, initial=-jnp.inf)
    return shifted, -jnp.log(jnp.max(probabilities, -1, initial=-jnp.inf))


def softmax_cross_entropy(logits, probabilities, labels):
    shifted, lse = _log_likelihoods(logits, probabilities)
    return jnp.sum(jnp.where(labels == 0, 0, labels * (lse[..., None] - shifted)), -1)


def _chosen(x, labels):
    """Which elements of the last axis the labels name."""
    return lax.broadcasted_iota(jnp.int32, x.shape, x.ndim - 1) == labels[..., None]


def _known(x, labels):
    return (labels >= 0) & (labels < jnp.int32(x.shape[-1]))  # not as a label's dtype, which may be too small for it


def sparse_softmax_cross_entropy(logits, probabilities, labels):
    shifted, lse = _log_likelihoods(logits, probabilities)
    picked = jnp.take_along_axis(shifted, labels[..., None], -1, mode="clip")[..., 0]
    return jnp.where(_known(logits, labels), lse - picked, jnp.nan)


def minus_one_hot(x, labels):
    return jnp.where(_known(x, labels)[..., None], x - _chosen(x, labels).astype(x.dtype), jnp.nan)


def softmax_cross_entropy_grad(probabilities, labels, g_out):
    return (probabilities - labels) * g_out[..., None]


def sparse_softmax_cross_entropy_grad(probabilities, labels, g_out):
    return minus_one_hot(probabilities, labels) * g_out[..., None]


def sigmoid_cross_entropy(logits, labels):
    """What has weight 0 costs nothing, infinite logits included."""
    small = jnp.log1p(jnp.exp(-jnp.abs(logits)))
    negative = jnp.where(labels == 1, 0, (1 - labels) * jnp.maximum(logits, 0))
    return small + negative + jnp.where(labels == 0, 0, labels * jnp.maximum(-logits, 0))


def l2_loss(x):
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    return (jnp.sum(wide * wide) / 2).astype(x.dtype)
