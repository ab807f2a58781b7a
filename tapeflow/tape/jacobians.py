"""Jacobians, row by row: one backward walk for each element of the target (of one example, for `batch_jacobian`)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variable import Variable


def check_one(value: Any, what: str, method: str) -> None:
    if not isinstance(value, (Tensor, Variable, IndexedSlices)):
        raise AttributeError(  # TensorFlow's type: it asks the object for its shape
            f"{method} takes one tensor as {what}, got {'None' if value is None else type(value).__name__}. "
            "Call it once for each tensor, or concatenate them."
        )


def check_batches(target: Any, source: Any) -> None:
    target_shape, source_shape = tuple(target.shape), tuple(source.shape)
    if len(target_shape) < 2 or len(source_shape) < 2:
        raise ValueError(
            f"batch_jacobian needs a target and a source of rank 2 or more, [batch, ...]; their shapes are {target_shape} and "
            f"{source_shape}."
        )
    if target_shape[0] != source_shape[0]:
        raise ValueError(
            f"batch_jacobian needs the same first dimension, the batch, in target and source; their shapes are {target_shape} "
            f"and {source_shape}."
        )


def rows(target: Any, batched: bool, walk: Callable[[Tensor], list]) -> list[list]:
    """For each source, the gradients of the target's elements one after the other."""
    shape, dtype = tuple(target.shape), target.dtype.np
    inner = shape[1:] if batched else shape
    found = []
    for k in range(int(np.prod(inner))):
        seed = np.zeros(shape, dtype)
        seed.reshape((shape[0], -1) if batched else (1, -1))[:, k] = 1
        found.append([_dense(g) for g in walk(EagerTensor(seed))])
    return [list(column) for column in zip(*found)]


def assembled(column: list, target: Any, source: Any, batched: bool, zeros: bool) -> Tensor | None:
    """The Jacobian from its rows: target.shape + source.shape, or [batch, *target.shape[1:], *source.shape[1:]]."""
    target_shape, source_shape = tuple(target.shape), tuple(source.shape)
    shape = target_shape + source_shape[1:] if batched else target_shape + source_shape
    if not column or all(g is None for g in column):
        connected = not column and target.dtype.is_inexact
        return EagerTensor(np.zeros(shape, source.dtype.np)) if zeros or connected else None
    empty = EagerTensor(np.zeros(source_shape, source.dtype.np))
    stacked = ops.stack(*[empty if g is None else g for g in column], axis=1 if batched else 0)
    return ops.reshape(stacked, shape=shape)


def of_dense(jacobian: Any, target: Any) -> Any:
    """From the Jacobian of the values of IndexedSlices to that of the tensor they stand for: rows of one index add up."""
    if jacobian is None or not isinstance(target, IndexedSlices):
        return jacobian
    return ops.unsorted_segment_sum(jacobian, target.indices, num_segments=target.shape[0])


def _dense(g: Any) -> Any:
    return g._dense() if isinstance(g, IndexedSlices) else g
