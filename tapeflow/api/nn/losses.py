"""Losses of `tf.nn`: cross-entropies from logits, Poisson, sums of squares, and averages over a batch."""

import math
from typing import Any

from tapeflow.api.arguments import expose, one_axis
from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import convert_group
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.replicas import count, here
from tapeflow.core.sizes import brackets
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike


@expose(ops.l2_loss)
def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of squares of all elements; its gradient is the tensor itself.

    Args:
        t: Numbers of a floating dtype.

    >>> tf.nn.l2_loss([3., 4.]).numpy()
    np.float32(12.5)
    """


def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """-Σ labels · log softmax(logits) along `axis`: one loss per example. The labels are probabilities and get a
    gradient too.

    A logit of -inf whose label is 0 adds nothing, so classes can be masked out.

    Args:
        labels: Probabilities of the classes.
        axis: The axis of the classes.

    Returns:
        A loss for each example.

    Raises:
        InvalidArgumentError: If the shapes do not broadcast.

    >>> tf.nn.softmax_cross_entropy_with_logits([[0., 1.], [1., 0.]], [[-np.inf, 0.], [1000., 0.]]).numpy()
    array([0., 0.], dtype=float32)
    """
    logits = as_tensor(logits)
    labels = _cast(as_tensor(labels), logits.dtype.np)
    try:
        shape = broadcast_shapes(tuple(labels.sizes), tuple(logits.sizes))
    except InvalidArgumentError:
        sizes = f"logits_size={brackets(logits.shape)} labels_size={brackets(labels.shape)}"
        raise invalid(f"logits and labels must be broadcastable: {sizes}") from None
    if not shape:
        raise invalid(
            "softmax_cross_entropy_with_logits needs logits of rank 1 or more: an axis of classes. Got a scalar."
        )
    logits, labels = _broadcast(logits, shape), _broadcast(labels, shape)
    axis = one_axis(axis, len(shape))
    if axis != len(shape) - 1:
        perm = (*range(axis), *range(axis + 1, len(shape)), axis)
        logits, labels = ops.transpose(logits, perm=perm), ops.transpose(labels, perm=perm)
    dtype = logits.dtype.np
    if dtype.itemsize < 4:  # sums of many small terms: in float32, as TensorFlow
        logits, labels = _cast(logits, "float32"), _cast(labels, "float32")
    loss = ops.softmax_cross_entropy(logits, ops.softmax(logits, axis=logits.ndim - 1), labels)
    return _cast(loss, dtype)


def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """-log softmax(logits)[label]: one loss per example, for labels that are class numbers.

    Args:
        labels: The class of each example, an integer.
        logits: Numbers of any size; the classes are the last axis.

    Returns:
        A loss for each example.

    Raises:
        ValueError: If the shape of `labels` is not that of `logits` without the last axis.
        InvalidArgumentError: If a label is no class.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0], [[1000., 0.], [1000., 0.]]).numpy()
    array([1000.,    0.], dtype=float32)
    """
    labels, logits = as_tensor(labels), as_tensor(logits)
    if not labels.dtype.is_integer:
        raise invalid(
            f"labels must be integers, the numbers of the classes; got {labels.dtype.name}. "
            "For labels that are probabilities use tf.nn.softmax_cross_entropy_with_logits."
        )
    if tuple(labels.sizes) != tuple(logits.sizes)[:-1] or not logits.ndim:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={tuple(labels.shape)} and logits.shape={tuple(logits.shape)}."
        )
    dtype = logits.dtype.np
    if dtype.itemsize < 4:
        logits = _cast(logits, "float32")
    if labels.dtype.name not in ("int32", "int64"):
        labels = _cast(labels, "int64")
    loss = ops.sparse_softmax_cross_entropy(logits, ops.softmax(logits, axis=logits.ndim - 1), labels)
    return _cast(loss, dtype)


def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """-z log sigmoid(x) - (1 - z) log(1 - sigmoid(x)) of labels z and logits x, element by element.

    Args:
        labels: Probabilities, of the shape of `logits`.

    Raises:
        ValueError: If the shapes differ.

    >>> tf.nn.sigmoid_cross_entropy_with_logits([0., 1., 0.], [1000., 1000., -1000.]).numpy()
    array([1000.,    0.,    0.], dtype=float32)
    """
    logits, labels = _pair(logits, labels)
    return ops.sigmoid_cross_entropy(logits, labels)


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: TensorLike, name: str | None = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` with the term of positive labels multiplied by `pos_weight`.

    Args:
        labels: Probabilities, of the shape of `logits`.
        pos_weight: The factor of positive labels.

    Raises:
        ValueError: If the shapes differ.

    >>> tf.nn.weighted_cross_entropy_with_logits([1., 0.], [0., 0.], pos_weight=3.).numpy()
    array([2.0794415, 0.6931472], dtype=float32)
    """
    x, z = _pair(logits, labels)
    weight = 1 + (pos_weight - 1) * z
    return (1 - z) * x + weight * ops.softplus(-x)


def log_poisson_loss(
    targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """exp(c) - z c: how unlikely counts z are under a Poisson distribution of mean exp(c), up to a constant.

    `compute_full_loss` adds Stirling's approximation of that constant, log(z!), where z > 1.

    Args:
        targets: Counts.
        log_input: The logarithms of the means.
        compute_full_loss: Add an approximation of log(z!).

    Raises:
        ValueError: If the shapes differ.

    >>> tf.nn.log_poisson_loss([1., 0.], [0., 2.]).numpy().round(4)
    array([1.    , 7.3891], dtype=float32)
    """
    c, z = _pair(log_input, targets)
    loss = ops.exp(c) - c * z
    if not compute_full_loss:
        return loss
    counted = ops.logical_or(ops.less(z, 0.0), ops.greater(z, 1.0))
    safe = ops.where(counted, z, z * 0 + 1)  # log(0) must not reach the gradient
    stirling = safe * ops.log(safe) - safe + 0.5 * ops.log(2 * math.pi * safe)
    return loss + ops.where(counted, stirling, ops.zeros_like(z))


def compute_average_loss(
    per_example_loss: TensorLike, sample_weight: TensorLike | None = None, global_batch_size: TensorLike | None = None
) -> Tensor:
    """Sum of the losses divided by the batch size of all replicas: `global_batch_size`, or where it is not given, the
    number of examples here times the number of replicas.

    Args:
        per_example_loss: The losses, one for each example.
        sample_weight: A factor for each loss; None: 1.
        global_batch_size: How many examples all replicas have together; None: as many as are given, times the number
            of replicas.

    Raises:
        ValueError: If the loss is a scalar and the size is not given, or the size is no scalar.
        TypeError: If the size is no whole number.
        RuntimeError: For all replicas of a strategy together, outside of `strategy.run`.

    >>> tf.nn.compute_average_loss([1., 2., 3.], sample_weight=[1., 1., 0.]).numpy()
    np.float32(1.0)
    >>> tf.nn.compute_average_loss([1., 2., 3.], global_batch_size=12).numpy()
    np.float32(0.5)
    """
    replicas = _count("compute_average_loss")
    losses = as_tensor(per_example_loss)
    if sample_weight is not None:
        weight = _cast(as_tensor(sample_weight), losses.dtype.np)
        if losses.ndim and weight.ndim < losses.ndim:
            weight = ops.reshape(weight, shape=(*weight.sizes, *[1] * (losses.ndim - weight.ndim)))
        losses = losses * weight
    if global_batch_size is None:
        if not losses.ndim:
            raise ValueError(
                "Invalid value passed for `per_example_loss`: compute_average_loss of a scalar, whose batch size is "
                "not known. Give `global_batch_size`."
            )
        global_batch_size = losses.sizes[0] * replicas
    size = as_tensor(global_batch_size)
    if not size.dtype.is_integer:
        raise TypeError(f"global_batch_size must be an integer, got {global_batch_size!r}.")
    if size.ndim or int(size) < 0:
        raise ValueError(f"global_batch_size must be scalar, and not negative; got {global_batch_size!r}.")
    if not int(size):
        return ops.zeros_like(_sum(losses))
    return _sum(losses) / _cast(size, losses.dtype.np)


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """Sum of a regularization loss, divided by the number of replicas that add theirs to it.

    Args:
        regularization_loss: A loss of any shape, which does not depend on examples.

    Raises:
        RuntimeError: For all replicas of a strategy together, outside of `strategy.run`.

    >>> tf.nn.scale_regularization_loss([0.5, 0.25]).numpy()
    np.float32(0.75)
    """
    replicas = _count("scale_regularization_loss")
    total = _sum(as_tensor(regularization_loss))
    return total if replicas == 1 else total / replicas


# ---- helpers


def _count(function: str) -> int:
    """How many replicas call a function that is for one of them."""
    if here().across:
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be called in replica "
            "context: in the function that strategy.run is given."
        )
    return count()


def _sum(x: Tensor) -> Tensor:
    return ops.reduce_sum(x, axis=tuple(range(x.ndim)), keepdims=False)


def _cast(x: Tensor, dtype: Any) -> Tensor:
    return x if x.dtype == dtype else ops.cast(x, dtype=dtype)


def _broadcast(x: Tensor, shape: tuple) -> Tensor:
    return x if tuple(x.sizes) == shape else ops.broadcast_to(x, shape=shape)


def _pair(logits: Any, labels: Any) -> list[Tensor]:
    """Both as tensors of one dtype, which the logits decide; their shapes must be the same."""
    if logits is None or labels is None:
        raise ValueError("Both `labels` and `logits` must be given.")
    logits, labels = convert_group([logits, labels])
    if tuple(logits.sizes) != tuple(labels.sizes):
        raise ValueError(
            f"logits and labels must have the same shape, got {tuple(logits.shape)} and {tuple(labels.shape)}. "
            "Reshape or broadcast one of them."
        )
    return [logits, labels]
