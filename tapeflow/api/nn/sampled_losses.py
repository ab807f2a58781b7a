"""Losses over very many classes, estimated from a few sampled ones."""

from typing import Any

import numpy as np

from tapeflow.api import random as _random
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike

from .embedding import embedding_lookup
from .losses import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: tell the `num_true` labels of each example from `num_sampled` random classes. One
    loss per example.

    `weights` (classes, dim) and `biases` (classes,) are those of the last layer, `inputs` (batch, dim) what it gets,
    `labels` (batch, num_true) class numbers. Classes are drawn log-uniformly unless `sampled_values` brings what a
    sampler gave.

    Args:
        labels: Class numbers (batch, num_true).
        inputs: What the last layer gets (batch, dim).

    Returns:
        A loss for each example.

    >>> sampled = tf.constant([2]), tf.constant([[1.]]), tf.constant([1.])
    >>> loss = tf.nn.nce_loss(tf.zeros([3, 4]), tf.zeros([3]), [[0]], tf.ones([1, 4]), 1, 3, sampled_values=sampled)
    >>> loss.numpy().round(4)                                          # two coins
    array([1.3863], dtype=float32)
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    losses = sigmoid_cross_entropy_with_logits(targets, logits)
    return ops.reduce_sum(losses, axis=(1,), keepdims=False)


def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:
    """Softmax cross-entropy over the labels and `num_sampled` random classes in place of all. Arguments as for
    `nce_loss`.

    Args:
        labels: Class numbers (batch, num_true).
        inputs: What the last layer gets (batch, dim).

    Returns:
        A loss for each example.

    >>> sampled = tf.constant([2]), tf.constant([[1.]]), tf.constant([1.])
    >>> loss = tf.nn.sampled_softmax_loss(
    ...     tf.zeros([3, 4]), tf.zeros([3]), [[0]], tf.ones([1, 4]), 1, 3, sampled_values=sampled)
    >>> loss.numpy().round(4)                                          # one of two
    array([0.6931], dtype=float32)
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return softmax_cross_entropy_with_logits(ops.stop_gradient(targets), logits)


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Which sampled candidates are labels after all: (example, place among the candidates, a very negative number to
    add to the logit).

    Args:
        sampled_candidates: The classes that were drawn.
        seed: Taken and not used.

    Returns:
        For each hit the example, the place among the candidates, and what to add to the logit.

    >>> example, place, weight = tf.nn.compute_accidental_hits([[3], [7]], [7, 1, 3], num_true=1)
    >>> example.numpy(), place.numpy()
    (array([0, 1], dtype=int32), array([2, 0]))
    """
    hits = _hits(as_tensor(true_classes).array, as_tensor(sampled_candidates).array)
    example, place = np.nonzero(hits)
    weight = np.full(len(example), -np.finfo(np.float32).max, np.float32)
    return EagerTensor(example.astype(np.int32)), EagerTensor(place.astype(np.int64)), EagerTensor(weight)


def _hits(true_classes: np.ndarray, sampled: np.ndarray) -> np.ndarray:
    """(batch, candidates): whether the candidate is one of the example's labels."""
    return (true_classes[:, :, None] == sampled).any(axis=1)


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    seed: int | None,
) -> tuple[Tensor, Tensor]:
    """Logits of the true and of the sampled classes, side by side, and their targets."""
    labels = ops.cast(as_tensor(labels), dtype=np.dtype("int64"))
    inputs = as_tensor(inputs)
    if sampled_values is None:
        sampled_values = _random.log_uniform_candidate_sampler(
            true_classes=labels,
            num_true=num_true,
            num_sampled=num_sampled,
            unique=True,
            range_max=num_classes,
            seed=seed,
        )
    sampled, true_count, sampled_count = [ops.stop_gradient(as_tensor(v)) for v in sampled_values]
    sampled = ops.cast(sampled, dtype=np.dtype("int64"))
    batch, chosen = labels.sizes[0], sampled.sizes[0]
    ids = ops.concat(ops.reshape(labels, shape=(batch * num_true,)), sampled, axis=0)
    rows, offsets = embedding_lookup(weights, ids), embedding_lookup(biases, ids)
    here, there = ((None, batch * num_true, None),), ((batch * num_true, None, None),)
    true_rows = ops.reshape(ops.getitem(rows, index=here), shape=(batch, num_true, rows.sizes[1]))
    true_logits = ops.reduce_sum(
        ops.reshape(inputs, shape=(batch, 1, inputs.sizes[1])) * true_rows, axis=(2,), keepdims=False
    )
    true_logits = true_logits + ops.reshape(ops.getitem(offsets, index=here), shape=(batch, num_true))
    logits = ops.matmul(inputs, ops.matrix_transpose(ops.getitem(rows, index=there))) + ops.getitem(
        offsets, index=there
    )
    if remove_accidental_hits:
        same = ops.equal(ops.reshape(labels, shape=(*labels.sizes, 1)), sampled)
        hits = ops.reduce_any(same, axis=(1,), keepdims=False)
        lowest = EagerTensor(np.array(-np.finfo(np.float32).max).astype(inputs.dtype.np))
        logits = ops.where(hits, logits + lowest, logits)
    true_logits, logits = true_logits - ops.log(true_count), logits - ops.log(sampled_count)
    targets = np.concatenate([np.full((batch, num_true), 1 / num_true), np.zeros((batch, chosen))], axis=1)
    return ops.concat(true_logits, logits, axis=1), EagerTensor(targets.astype(inputs.dtype.np))
