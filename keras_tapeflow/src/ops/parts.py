"""`slice`, `slice_update`, `scatter`, `scatter_update`: parts of tensors at positions that may be computed."""

import builtins
from typing import Any

import tapeflow as tf
from tapeflow.core.tensor import Tensor


def _tensor(x: Any, dtype: Any = None) -> Tensor:
    from .core import dense_tensor as convert_to_tensor

    return convert_to_tensor(x, dtype)


def scatter(indices, values, shape):
    return tf.scatter_nd(_tensor(indices), _tensor(values), list(shape))


_SCATTERS = {
    None: tf.tensor_scatter_nd_update,
    "add": tf.tensor_scatter_nd_add,
    "max": tf.tensor_scatter_nd_max,
    "min": tf.tensor_scatter_nd_min,
}


def scatter_update(inputs, indices, updates, reduction=None):
    inputs, indices = _tensor(inputs), _tensor(indices)
    updates = _tensor(updates, inputs.dtype)
    if reduction == "mul":
        return inputs * _products(inputs, indices, updates)
    if reduction not in _SCATTERS:
        raise ValueError(f"Unsupported reduction: {reduction}")
    return _SCATTERS[reduction](inputs, indices, updates)


def _products(inputs: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """At each position the product of all updates there, 1 where there is none."""
    depth = indices.sizes[-1]
    leading, rest = tuple(inputs.sizes[:depth]), tuple(inputs.sizes[depth:])
    flat, count = indices[..., 0], leading[0]
    for k in range(1, depth):
        flat, count = flat * leading[k] + indices[..., k], count * leading[k]
    rows = tf.reshape(updates, [-1, *rest])
    found = tf.math.unsorted_segment_prod(rows, tf.reshape(flat, [-1]), count)
    return tf.reshape(found, inputs.sizes)


def slice(inputs, start_indices, shape):
    inputs = _tensor(inputs)
    starts = _starts(start_indices)
    if len(starts) != len(shape):
        raise ValueError(
            f"Length of `start_indices` must match length of `shape`. Received: start_indices={start_indices}, "
            f"shape={shape}"
        )
    if all(isinstance(s, int) for s in starts):
        return inputs[tuple(_range(s, n) for s, n in zip(starts, shape))]
    for axis, (start, size) in enumerate(zip(starts, shape)):
        inputs = tf.gather(inputs, start + tf.range(size), axis=axis)
    return inputs


def slice_update(inputs, start_indices, updates):
    inputs = _tensor(inputs)
    updates = _tensor(updates, inputs.dtype)
    axes = [s + tf.range(n) for s, n in zip(_starts(start_indices), updates.sizes)]
    if not axes:
        return updates
    indices = tf.stack(tf.meshgrid(*axes, indexing="ij"), axis=-1)
    return tf.tensor_scatter_nd_update(inputs, indices, updates)


def _starts(indices: Any) -> list:
    """Where slices begin: numbers where they are known."""
    if isinstance(indices, (list, tuple)):
        return [s if isinstance(s, int) else _start(_tensor(s)) for s in indices]
    return [_start(s) for s in tf.unstack(_tensor(indices))]


def _start(s: Tensor) -> Any:
    s = tf.cast(tf.reshape(s, []) if s.ndim else s, tf.int32)
    return int(s) if hasattr(s, "numpy") else s


def _range(start: int, size: int) -> Any:
    return builtins.slice(start, start + size)


def unstack(x, num=None, axis=0):
    return tf.unstack(_tensor(x), num=num, axis=axis)
