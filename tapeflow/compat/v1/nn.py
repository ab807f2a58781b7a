"""`tf.compat.v1.nn`: functions whose arguments had other names, or another order; all others are those of `tf.nn`."""

from typing import Any

from tapeflow.api import nn as _nn
from tapeflow.api.linalg.products import matmul as _matmul
from tapeflow.api.nn.normalization import (
    fused_batch_norm as fused_batch_norm,
)
from tapeflow.core.tensor import Tensor

from .fallback import falling_back_to as _falling_back_to, lookup as _lookup

__all__ = [
    "avg_pool",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "crelu",
    "depthwise_conv2d",
    "dropout",
    "embedding_lookup",
    "fused_batch_norm",
    "in_top_k",
    "log_softmax",
    "max_pool",
    "moments",
    "relu_layer",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "weighted_moments",
    "xw_plus_b",
]  # fmt: skip

__getattr__ = _falling_back_to("nn")


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """`tf.nn.dropout`, by the probability to keep an element, or by `rate`, the probability to drop it.

    >>> tf.compat.v1.nn.dropout(tf.ones([2]), keep_prob=1.).numpy()
    array([1., 1.], dtype=float32)
    """
    rate = _lookup(rate, None if keep_prob is None else 1 - keep_prob, "rate", "keep_prob")
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    return _nn.dropout(x, rate, noise_shape, seed)


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """`tf.nn.softmax`, with `dim` as another name of `axis`.

    >>> tf.compat.v1.nn.softmax([[0.], [0.]], dim=0).numpy().tolist()
    [[0.5], [0.5]]
    """
    return _nn.softmax(logits, _lookup(axis, dim, "axis", "dim"))


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """`tf.nn.log_softmax`, with `dim` as another name of `axis`.

    >>> tf.compat.v1.nn.log_softmax([[0.], [0.]], dim=1).numpy().tolist()
    [[0.0], [0.0]]
    """
    return _nn.log_softmax(logits, _lookup(axis, dim, "axis", "dim"))


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits`, with `dim` as another name of `axis`.

    >>> tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2([[1., 0.]], [[0., 0.]]).numpy().round(4).tolist()
    [0.6930999755859375]
    """
    axis = _lookup(axis, dim, "axis", "dim")
    return _nn.softmax_cross_entropy_with_logits(labels, logits, -1 if axis is None else axis)


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: int = -1, name: str | None = None, axis: Any = None
) -> Tensor:
    """The same; no gradient goes to the labels.

    >>> tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=[[1., 0.]], logits=[[0., 0.]]).shape
    TensorShape([1])
    """
    _both(labels, logits, "softmax_cross_entropy_with_logits")
    from tapeflow.api.arrays.properties import stop_gradient

    return _nn.softmax_cross_entropy_with_logits(stop_gradient(labels), logits, dim if axis is None else axis)


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits`; its arguments go by name.

    >>> tf.compat.v1.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=[[0., 0.]]).shape
    TensorShape([1])
    """
    _both(labels, logits, "sparse_softmax_cross_entropy_with_logits")
    return _nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def _both(labels: Any, logits: Any, name: str) -> None:
    if labels is None or logits is None:
        raise ValueError(f"Both `labels` and `logits` must be provided to {name}.")


# ---- statistics


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """`tf.nn.moments`, with `keep_dims` as another name of `keepdims`.

    Returns:
        The mean and the variance.

    >>> [float(m) for m in tf.compat.v1.nn.moments(tf.constant([1., 3.]), [0])]
    [2.0, 1.0]
    """
    return _nn.moments(x, axes, shift, bool(_lookup(keepdims, keep_dims, "keepdims", "keep_dims")))


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """`tf.nn.weighted_moments`, with `keep_dims` as another name of `keepdims`.

    Returns:
        The mean and the variance.

    >>> [float(m) for m in tf.compat.v1.nn.weighted_moments(tf.constant([1., 3.]), [0], tf.constant([1., 0.]))]
    [1.0, 0.0]
    """
    return _nn.weighted_moments(
        x, axes, frequency_weights, bool(_lookup(keepdims, keep_dims, "keepdims", "keep_dims"))
    )


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """`tf.nn.in_top_k`, with predictions first.

    Args:
        predictions: Scores, (rows, classes).

    >>> tf.compat.v1.nn.in_top_k([[0.1, 0.9]], [1], 1).numpy().tolist()
    [True]
    """
    return _nn.in_top_k(targets, predictions, k)


# ---- layers


def embedding_lookup(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None, validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:  # fmt: skip
    """`tf.nn.embedding_lookup`, of one table.

    >>> tf.compat.v1.nn.embedding_lookup(tf.constant([[1.], [2.]]), [1]).numpy().tolist()
    [[2.0]]
    """
    return _nn.embedding_lookup(params, ids, max_norm)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """x · weights + biases.

    >>> tf.compat.v1.nn.xw_plus_b([[1., 2.]], [[1.], [1.]], [0.5]).numpy().tolist()
    [[3.5]]
    """
    return _nn.bias_add(_matmul(x, weights), biases)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """relu(x · weights + biases).

    >>> tf.compat.v1.nn.relu_layer([[1., 2.]], [[-1.], [-1.]], [0.5]).numpy().tolist()
    [[0.0]]
    """
    return _nn.relu(xw_plus_b(x, weights, biases))


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """`tf.nn.crelu`; the second argument is the name.

    >>> tf.compat.v1.nn.crelu([1., -2.], "both").numpy().tolist()
    [1.0, 0.0, 0.0, 2.0]
    """
    return _nn.crelu(features, axis)


def space_to_depth(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """`tf.nn.space_to_depth`; the third argument is the name.

    >>> tf.compat.v1.nn.space_to_depth(tf.zeros([1, 4, 4, 1]), 2, "blocks").shape
    TensorShape([1, 2, 2, 4])
    """
    return _nn.space_to_depth(input, block_size, data_format)


def conv2d(
    input: Any, filter: Any = None, strides: Any = None, padding: Any = None, use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC", dilations: Any = (1, 1, 1, 1), name: str | None = None, filters: Any = None,
) -> Tensor:  # fmt: skip
    """`tf.nn.conv2d`, with `filter` as another name of `filters`.

    >>> kernel = tf.ones([2, 2, 1, 3])
    >>> tf.compat.v1.nn.conv2d(tf.ones([1, 4, 4, 1]), filter=kernel, strides=[1, 1, 1, 1], padding="SAME").shape
    TensorShape([1, 4, 4, 3])
    """
    return _nn.conv2d(
        input, _lookup(filters, filter, "filters", "filter"), strides, padding, data_format, list(dilations)
    )


def conv1d(
    value: Any = None, filters: Any = None, stride: Any = None, padding: Any = None, use_cudnn_on_gpu: Any = None,
    data_format: str | None = None, name: str | None = None, input: Any = None, dilations: Any = None,
) -> Tensor:  # fmt: skip
    """`tf.nn.conv1d`, with `value` as another name of `input`.

    >>> tf.compat.v1.nn.conv1d(value=tf.ones([1, 4, 1]), filters=tf.ones([2, 1, 3]), stride=1, padding="SAME").shape
    TensorShape([1, 4, 3])
    """
    given = _lookup(input, value, "input", "value")
    return _nn.conv1d(given, filters, stride, padding, data_format or "NWC", dilations)


def conv2d_transpose(
    value: Any = None, filter: Any = None, output_shape: Any = None, strides: Any = None, padding: Any = "SAME",
    data_format: str = "NHWC", name: str | None = None, input: Any = None, filters: Any = None, dilations: Any = None,
) -> Tensor:  # fmt: skip
    """`tf.nn.conv2d_transpose`, with `value` and `filter` as other names of `input` and `filters`.

    >>> image, kernel = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 3, 1])
    >>> tf.compat.v1.nn.conv2d_transpose(image, kernel, [1, 4, 4, 3], [1, 2, 2, 1]).shape
    TensorShape([1, 4, 4, 3])
    """
    given, kernel = _lookup(input, value, "input", "value"), _lookup(filters, filter, "filters", "filter")
    return _nn.conv2d_transpose(given, kernel, output_shape, strides, padding, data_format, dilations)


def depthwise_conv2d(
    input: Any, filter: Any, strides: Any, padding: Any, rate: Any = None, name: str | None = None,
    data_format: str | None = None, dilations: Any = None,
) -> Tensor:  # fmt: skip
    """`tf.nn.depthwise_conv2d`, with `rate` as another name of `dilations`.

    >>> image, kernel = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.compat.v1.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], "SAME", rate=[1, 1]).shape
    TensorShape([1, 4, 4, 2])
    """
    return _nn.depthwise_conv2d(
        input, filter, strides, padding, data_format, _lookup(dilations, rate, "dilations", "rate")
    )


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """`tf.nn.max_pool2d`, with `value` as another name of `input`.

    >>> tf.compat.v1.nn.max_pool(tf.ones([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return _nn.max_pool2d(_lookup(input, value, "input", "value"), ksize, strides, padding, data_format)


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """`tf.nn.avg_pool2d`, with `value` as another name of `input`.

    >>> tf.compat.v1.nn.avg_pool(tf.ones([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return _nn.avg_pool2d(_lookup(input, value, "input", "value"), ksize, strides, padding, data_format)
