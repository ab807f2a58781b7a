"""Counts: bincount, confusion matrix, histograms."""

from typing import Any

import numpy as np

from tapeflow.api.arguments import whole
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group, to_tensor
from tapeflow.core.dtypes import as_dtype, int32, int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import larger, smaller
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.core.tensor_like import DTypeLike, TensorLike
from tapeflow.function.tracing.effects import at_every_run
from tapeflow.vectorize.values import largest, one_size, values_of


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each of 0, 1, 2, … occurs in `arr`, or the sum of the `weights` of its occurrences.

    The result is as long as the largest number asks for, between `minlength` and `maxlength`; numbers beyond do not
    count. With `axis=-1` each row is counted on its own. `binary_output` says only whether a number occurs.

    Args:
        arr: Non-negative integers. Of other dtypes, what `tf.cast` to int32 makes of them.
        weights: What each occurrence counts, of the shape of `arr`; None: 1.
        minlength: The least length of the result.
        maxlength: The greatest length of the result; larger numbers do not count.
        dtype: That of the counts; with weights it is theirs.
        axis: None counts all of `arr`, -1 each row of a matrix.
        binary_output: 1 for numbers that occur, 0 for the others.

    Returns:
        A vector of counts, or a row of them for each row of `arr`.

    Raises:
        ValueError: If `axis` is not None, 0 or -1, or both `weights` and `binary_output` are given.
        InvalidArgumentError: If a number is negative, or the shape of `weights` is not that of `arr`.

    >>> tf.math.bincount([1, 3, 1]).numpy()
    array([0, 2, 0, 1], dtype=int32)
    >>> tf.math.bincount([1, 3, 1], weights=[.5, 2., 1.], minlength=5).numpy()
    array([0. , 1.5, 0. , 2. , 0. ], dtype=float32)
    """
    arr = as_tensor(arr)
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if not arr.dtype.is_integer:
        arr = ops.cast(arr, dtype=int32.np)
    _check_counted(arr)
    if weights is not None:
        if binary_output:
            raise ValueError(
                "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one."
            )
        weights = as_tensor(weights)
        if weights.sizes != arr.sizes:
            raise invalid(
                f"arr and weights must have the same shape, got {tuple(arr.shape)} and {tuple(weights.shape)}."
            )
    least, most = np.int64(0 if minlength is None else minlength), maxlength
    sizes = largest(arr) + 1
    if isinstance(sizes, Tensor):
        size = larger(one_size(sizes, "The number of bins"), int(least))
        size = size if most is None else smaller(size, int(most))
    else:
        sizes = np.maximum(sizes, least)
        size = one_size(sizes if most is None else np.minimum(sizes, np.int64(most)), "The number of bins")
    if axis == -1 and arr.ndim > 1:
        if arr.ndim != 2:
            raise invalid(f"bincount along axis -1 takes vectors and matrices, got shape {tuple(arr.shape)}.")
        rows = arr.sizes[0]
        counted = _counts(_row_by_row(arr, size), weights, rows * size, dtype, binary_output)
        return ops.reshape(counted, shape=(rows, size))
    return _counts(arr, weights, size, dtype, binary_output)


@at_every_run(checks=True)
def _check_counted(numbers: Tensor) -> None:
    values = values_of(numbers)
    if values.size and values.min() < 0:
        raise invalid(f"Input arr must be non-negative! It has {values.min()}.")


def _row_by_row(numbers: Tensor, size: int) -> Tensor:
    """The numbers of row r moved on by r * size; what counts nowhere past the end of all rows."""
    rows = numbers.sizes[0]
    moved = ops.cast(numbers, dtype=int64.np) + EagerTensor(size * np.arange(rows)[:, None])
    return ops.where(ops.less(numbers, size), moved, rows * size)


def _counts(numbers: Tensor, weights: Tensor | None, size: int, dtype: Any, binary: bool) -> Tensor:
    if weights is not None:
        ids = ops.where(ops.less(numbers, size), ops.cast(numbers, dtype=int64.np), -1)
        return ops.unsorted_segment_sum(weights, ids, num_segments=size)
    counts = ops.bincount(numbers, size=size)
    if binary:
        counts = ops.greater(counts, 0)
    return ops.cast(counts, dtype=as_dtype(dtype).np)


@at_every_run(checks=True)
def _check_classes(labels: Tensor, predictions: Tensor, classes: Tensor) -> None:
    values, count = [values_of(p) for p in (labels, predictions)], int(values_of(classes).max())
    if any((v < 0).any() for v in values):
        raise invalid("`labels` and `predictions` must not contain negative values.")
    if any((v >= count).any() for v in values):
        highest = max(v.max(initial=-1) for v in values)
        raise invalid(f"A label or prediction is {highest}, but num_classes={count} allows 0 to {count - 1}.")


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """How often each label (row) was predicted as each class (column), or the sum of the `weights` of those cases.

    Args:
        labels: The true class of each case: a vector of non-negative integers.
        predictions: The predicted class of each case.
        num_classes: How many rows and columns there are; None: one more than the largest class given.
        weights: What each case counts; None: 1.
        dtype: That of the counts.

    Raises:
        InvalidArgumentError: If a class is negative or not below `num_classes`, or the shapes differ.

    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)
    """
    labels, predictions = as_tensor(labels), as_tensor(predictions)
    if labels.ndim - predictions.ndim == 1 and labels.sizes[-1] == 1:
        labels = ops.reshape(labels, shape=tuple(labels.sizes[:-1]))
    if predictions.ndim - labels.ndim == 1 and sizes_of(predictions)[-1] == 1:
        predictions = ops.reshape(predictions, shape=tuple(sizes_of(predictions)[:-1]))
    if tuple(labels.sizes) != tuple(predictions.sizes):
        raise invalid(
            f"labels and predictions must have the same shape, got {tuple(labels.shape)} and "
            f"{tuple(predictions.shape)}."
        )
    dtype = as_dtype(dtype)
    size = labels.sizes.num_elements()
    pair = [ops.reshape(ops.cast(t, dtype=int64.np), shape=(size,)) for t in (labels, predictions)]
    highest = np.maximum(*map(largest, pair))
    classes = one_size(highest + 1, "The number of classes") if num_classes is None else whole(num_classes, "classes")
    _check_classes(*pair, to_tensor(classes, int64))
    ids = pair[0] * classes + pair[1]
    if weights is None:
        flat = ops.cast(ops.bincount(ids, size=classes * classes), dtype=dtype.np)
    else:
        weights = as_tensor(weights)
        if tuple(weights.sizes) != tuple(predictions.sizes):
            raise invalid(
                f"weights must have the shape of predictions, {tuple(predictions.shape)}, got {tuple(weights.shape)}."
            )
        weights = ops.reshape(ops.cast(weights, dtype=dtype.np), shape=(size,))
        flat = ops.unsorted_segment_sum(weights, ids, num_segments=classes * classes)
    return ops.reshape(flat, shape=(classes, classes))


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """For each value the number of its bin, of `nbins` equal ones over `value_range`. Values outside fall in the first
    or last.

    Args:
        value_range: The lower end of the first bin and the upper end of the last.
        nbins: How many bins there are.

    Raises:
        InvalidArgumentError: If the range is empty, or `nbins` is not positive.

    >>> tf.histogram_fixed_width_bins([-1., 0.3, 0.9, 7.], [0., 1.], nbins=4).numpy()
    array([0, 1, 3, 3], dtype=int32)
    """
    values, bounds = convert_group([values, value_range])
    if tuple(bounds.sizes) != (2,):
        raise invalid(f"value_range should be a vector of 2 elements, got shape {tuple(bounds.shape)}.")
    if int(nbins) <= 0:
        raise invalid(f"nbins should be a positive number, got {int(nbins)}.")
    low, high = ops.unstack(bounds, axis=0)
    _check_range(bounds)
    bins = ops.histogram_bins(values, low, high, size=int(nbins))
    return bins if as_dtype(dtype) is int32 else ops.cast(bins, dtype=as_dtype(dtype).np)


@at_every_run(checks=True)
def _check_range(bounds: Tensor) -> None:
    values = values_of(bounds)
    if not (values[..., 0] < values[..., 1]).all():
        raise invalid(f"value_range should satisfy value_range[0] < value_range[1], but got {values.tolist()}.")


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """How many values fall in each of `nbins` equal bins over `value_range`; those outside count in the first or last.

    Args:
        value_range: The lower end of the first bin and the upper end of the last.
        nbins: How many bins there are.

    Raises:
        InvalidArgumentError: If the range is empty, or `nbins` is not positive.

    >>> tf.histogram_fixed_width([-1., 0.3, 0.9, 7.], [0., 1.], nbins=4).numpy()
    array([1, 1, 0, 2], dtype=int32)
    """
    bins = histogram_fixed_width_bins(values, value_range, nbins)
    return ops.cast(ops.bincount(bins, size=int(nbins)), dtype=as_dtype(dtype).np)
