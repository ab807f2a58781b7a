"""Isotonic regression: the nearest sequence that only falls, or only rises."""

import numpy as np

from tapeflow.api.arguments import one_axis
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike


def isotonic_regression(inputs: TensorLike, decreasing: bool = True, axis: int = -1) -> tuple[Tensor, Tensor]:
    """The sequences along `axis` that never rise (never fall, unless `decreasing`) and are nearest to the inputs, and
    for each element the number of the level it is on. Every level is the mean of its elements, and so is its gradient.

    Args:
        decreasing: The result never rises; otherwise it never falls.

    Returns:
        The nearest sequences, and for each element the number of its level.

    >>> fit, level = tf.nn.isotonic_regression([3., 1., 2., 0.])
    >>> fit.numpy(), level.numpy()
    (array([3. , 1.5, 1.5, 0. ], dtype=float32), array([0, 1, 1, 2], dtype=int32))
    """
    x = as_tensor(inputs)
    if x.dtype.is_integer:
        x = ops.cast(x, dtype="float64" if x.dtype.size > 2 else "float32")
    axis = one_axis(axis, x.ndim)
    perm = (*range(axis), *range(axis + 1, x.ndim), axis)
    back = tuple(int(i) for i in np.argsort(perm))
    rows = ops.transpose(x, perm=perm)
    level = ops.isotonic_levels(rows if decreasing else -rows)
    shape, length = tuple(rows.sizes), rows.sizes[-1]
    first = EagerTensor(np.arange(int(np.prod(shape[:-1])), dtype=np.int32).reshape(*shape[:-1], 1) * length)
    ids, count = level + first, int(np.prod(shape))
    sizes = ops.unsorted_segment_sum(ops.zeros_like(rows) + 1, ids, num_segments=count)
    means = ops.divide_no_nan(ops.unsorted_segment_sum(rows, ids, num_segments=count), sizes)
    return ops.transpose(ops.take(means, ids, axis=0), perm=back), ops.transpose(level, perm=back)
