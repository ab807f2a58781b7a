"""`tf.compat.v1.losses`: losses with weights for examples, and a reduction that by default is the mean over weights
that are not zero."""

from typing import Any

from tapeflow.api.arrays.casting import cast as _cast
from tapeflow.api.arrays.shaping import broadcast_to as _broadcast_to, expand_dims as _expand_dims, squeeze as _squeeze
from tapeflow.api.math.reductions import reduce_sum as _sum
from tapeflow.api.nn import losses as _losses
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32
from tapeflow.core.tensor import Tensor, sizes_of

from .fallback import found as _found, lookup as _lookup

__all__ = [
    "Reduction", "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_loss", "get_regularization_losses", "get_total_loss", "hinge_loss", "huber_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]  # fmt: skip


class Reduction:
    """What becomes of the losses of single elements.

    >>> tf.compat.v1.losses.Reduction.NONE
    'none'
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them.

        Returns:
            The five names.
        """
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def validate(cls, key: str) -> None:
        """ValueError for what is none of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}: it must be one of {', '.join(cls.all())}.")


_USUAL = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = "losses", reduction: str = _USUAL
) -> Tensor:
    """Losses times weights, reduced. Weights are one number, or have the rank of the losses, with 1 where they are the
    same for all.

    Raises:
        ValueError: If the weights do not fit, or there is no such reduction.

    >>> tf.compat.v1.losses.compute_weighted_loss([[1., 2.], [3., 4.]], weights=[[1.], [0.]]).numpy()
    np.float32(1.5)
    """
    Reduction.validate(reduction)
    losses = as_tensor(losses)
    dtype = losses.dtype
    weights, wide = _cast(as_tensor(weights), float32), _cast(losses, float32)
    shape = tuple(losses.sizes)
    if (
        weights.sizes.rank == len(shape) - 1
        and len(shape) > 1
        and tuple(weights.sizes) == shape[:-1]
        and shape[-1:] == (1,)
    ):
        weights = _expand_dims(weights, -1)
    fits = (
        not weights.sizes.rank
        or weights.sizes.rank == len(shape)
        and all(w in (1, n) for w, n in zip(weights.sizes, shape))
    )
    if not fits:
        raise ValueError(
            f"weights can not be broadcast to values: weights of shape {tuple(weights.shape)} for losses of shape "
            f"{shape}; give a scalar, or the same rank with 1 for axes that share a weight."
        )
    weighted = wide * weights
    if reduction == Reduction.NONE:
        return _cast(weighted, dtype)
    total = _sum(weighted)
    if reduction == Reduction.MEAN:
        total = _divided(total, _sum(_broadcast_to(weights, wide.sizes)))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        total = _divided(total, _cast(_found("size")(wide), float32))
    elif reduction == _USUAL:
        there = _found("not_equal")(_broadcast_to(weights, wide.sizes), 0.0)
        total = _divided(total, _sum(_cast(there, float32)))
    return _cast(total, dtype)


def _divided(total: Tensor, count: Tensor) -> Tensor:
    """Zero where there is nothing to count."""
    return _found("math.divide_no_nan")(total, count)


def _pair(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    """Both in float32, of one shape."""
    if labels is None or predictions is None:
        raise ValueError("labels and predictions must not be None.")
    predictions, labels = _cast(as_tensor(predictions), float32), _cast(as_tensor(labels), float32)
    if not predictions.sizes.is_compatible_with(labels.sizes):
        raise ValueError(
            f"Shapes {predictions.shape} and {labels.shape} are incompatible: labels must have the shape of "
            "predictions."
        )
    return labels, predictions


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = "losses",
    reduction: str = _USUAL,
) -> Tensor:  # fmt: skip
    """How far predictions are from labels.

    >>> tf.compat.v1.losses.absolute_difference([1., 2.], [1., 4.]).numpy()
    np.float32(1.0)
    """
    labels, predictions = _pair(labels, predictions)
    return compute_weighted_loss(abs(predictions - labels), weights, reduction=reduction)


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = "losses",
    reduction: str = _USUAL,
) -> Tensor:  # fmt: skip
    """The squares of the differences.

    >>> tf.compat.v1.losses.mean_squared_error([1., 2.], [1., 4.]).numpy()
    np.float32(2.0)
    """
    labels, predictions = _pair(labels, predictions)
    return compute_weighted_loss((predictions - labels) ** 2, weights, reduction=reduction)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0, scope: Any = None,
    loss_collection: Any = "losses", reduction: str = _USUAL,
) -> Tensor:  # fmt: skip
    """Half the squares of differences up to `delta`, and linear beyond.

    >>> tf.compat.v1.losses.huber_loss([1., 2.], [1.5, 4.], reduction=tf.compat.v1.losses.Reduction.NONE).numpy()
    array([0.125, 1.5  ], dtype=float32)
    """
    labels, predictions = _pair(labels, predictions)
    far = abs(predictions - labels)
    near = _found("minimum")(far, delta)
    return compute_weighted_loss(0.5 * near * near + delta * (far - near), weights, reduction=reduction)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7, scope: Any = None,
    loss_collection: Any = "losses", reduction: str = _USUAL,
) -> Tensor:  # fmt: skip
    """The cross-entropy of probabilities.

    >>> tf.compat.v1.losses.log_loss([1., 0.], [0.5, 0.5]).numpy().round(4)
    np.float32(0.6931)
    """
    labels, predictions = _pair(labels, predictions)
    log = _found("math.log")
    each = -labels * log(predictions + epsilon) - (1 - labels) * log(1 - predictions + epsilon)
    return compute_weighted_loss(each, weights, reduction=reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _USUAL,
) -> Tensor:
    """max(0, 1 - sign · logits), for labels 0 and 1.

    >>> tf.compat.v1.losses.hinge_loss([1., 0.], [0.5, 0.5]).numpy()
    np.float32(1.0)
    """
    labels, logits = _pair(labels, logits)
    return compute_weighted_loss(_found("nn.relu")(1 - (2 * labels - 1) * logits), weights, reduction=reduction)


def cosine_distance(
    labels: Any, predictions: Any, axis: Any = None, weights: Any = 1.0, scope: Any = None,
    loss_collection: Any = "losses", reduction: str = _USUAL, dim: Any = None,
) -> Tensor:  # fmt: skip
    """1 minus the product along `axis`, of what has been normalised to length 1.

    >>> tf.compat.v1.losses.cosine_distance([[1., 0.]], [[0., 1.]], axis=1).numpy()
    np.float32(1.0)
    """
    axis = _lookup(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    labels, predictions = _pair(labels, predictions)
    return compute_weighted_loss(1 - _sum(predictions * labels, axis, keepdims=True), weights, reduction=reduction)


def mean_pairwise_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = "losses"
) -> Tensor:
    """How much differences between the elements of one example differ from those in its labels, squared.

    >>> tf.compat.v1.losses.mean_pairwise_squared_error([[0., 1.]], [[0., 3.]]).numpy()
    np.float32(4.0)
    """
    labels, predictions = _pair(labels, predictions)
    axes, off = list(range(1, len(labels.sizes))), predictions - labels
    weights = _cast(as_tensor(weights), float32)
    there = _cast(_found("not_equal")(weights, 0.0), float32)
    if not weights.sizes.rank:  # as in TensorFlow, which counts the elements of all examples then
        count = there * float(off.sizes.num_elements())
    elif sizes_of(weights).rank != sizes_of(off).rank:
        raise ValueError(
            f"weights of shape {tuple(weights.shape)} do not fit: give a scalar, or the rank of the labels, "
            f"{off.shape.rank}."
        )
    else:
        weights, there = (_found("reshape")(t, [-1] + [1] * len(axes)) for t in (weights, there))
        count = there * float(sizes_of(off).num_elements() / sizes_of(off)[0])
    squares, total = _sum(off * off, axes, keepdims=True), _sum(off, axes, keepdims=True)
    each = 2 * _divided(squares, count - 1) - 2 * _divided(total * total, count * (count - 1))
    return _sum(each * weights)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: Any = None,
    loss_collection: Any = "losses", reduction: str = _USUAL,
) -> Tensor:  # fmt: skip
    """`tf.nn.sigmoid_cross_entropy_with_logits`, weighted and reduced.

    >>> tf.compat.v1.losses.sigmoid_cross_entropy([[1., 0.]], [[0., 0.]]).numpy().round(4)
    np.float32(0.6931)
    """
    logits = as_tensor(logits)
    labels = _cast(as_tensor(multi_class_labels), logits.dtype)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    each = _losses.sigmoid_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(each, weights, reduction=reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: Any = None,
    loss_collection: Any = "losses", reduction: str = _USUAL,
) -> Tensor:  # fmt: skip
    """`tf.nn.softmax_cross_entropy_with_logits`, weighted and reduced.

    >>> tf.compat.v1.losses.softmax_cross_entropy([[1., 0.]], [[0., 0.]]).numpy().round(4)
    np.float32(0.6931)
    """
    logits = as_tensor(logits)
    labels = _cast(as_tensor(onehot_labels), logits.dtype)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + label_smoothing / labels.sizes[1]
    each = _losses.softmax_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(each, weights, reduction=reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = _USUAL,
) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits`, weighted and reduced.

    >>> tf.compat.v1.losses.sparse_softmax_cross_entropy([1], [[0., 0.]]).numpy().round(4)
    np.float32(0.6931)
    """
    labels, logits = as_tensor(labels), as_tensor(logits)
    if labels.sizes.rank == logits.sizes.rank and labels.sizes[-1] == 1:
        labels = _squeeze(labels, [-1])
    weights = as_tensor(weights)
    if weights.sizes.rank == logits.sizes.rank and sizes_of(weights)[-1] == 1:
        weights = _squeeze(weights, [-1])
    return compute_weighted_loss(
        _losses.sparse_softmax_cross_entropy_with_logits(labels, logits), weights, reduction=reduction
    )


# ---- collections, which are a graph's


def add_loss(loss: Any, loss_collection: Any = "losses") -> None:
    """Nothing: there are no collections, since there is no graph that they belong to. Add losses up yourself.

    Args:
        loss: Taken and not used.

    >>> tf.compat.v1.losses.add_loss(tf.constant(1.))
    """


def get_losses(scope: Any = None, loss_collection: Any = "losses") -> list[Any]:
    """An empty list, as in TensorFlow when operations are eager.

    Returns:
        No losses.

    >>> tf.compat.v1.losses.get_losses()
    []
    """
    return []


def get_regularization_losses(scope: Any = None) -> list[Any]:
    """An empty list, as in TensorFlow when operations are eager.

    Returns:
        No losses.

    >>> tf.compat.v1.losses.get_regularization_losses()
    []
    """
    return []


def get_regularization_loss(scope: Any = None, name: str = "total_regularization_loss") -> Tensor:
    """Zero: the sum of no losses.

    >>> tf.compat.v1.losses.get_regularization_loss().numpy()
    np.float32(0.0)
    """
    return as_tensor(0.0)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: Any = None) -> Tensor:
    """ValueError: the sum of no losses. Add them up yourself.

    Raises:
        ValueError: If it is called.

    >>> tf.compat.v1.losses.get_total_loss()
    Traceback (most recent call last):
    ValueError: There are no collections of losses, since operations are eager: add the losses up yourself.
    """
    raise ValueError("There are no collections of losses, since operations are eager: add the losses up yourself.")
