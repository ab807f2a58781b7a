"""`strategy.reduce` and `strategy.gather`: of a value for each replica, of a variable, and of what is the same for
all."""

import math as numbers
from typing import Any

import numpy as np

from tapeflow.api import math
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.variables.variable import Variable
from tapeflow.ops.collectives import all_reduce

from .combining import floating, reduced
from .replicas import ReduceOp
from .values import NotAtOnce, OfReplica, PerReplica
from .variables import SyncOnReadVariable


def as_one(value: Any) -> Any:
    """What is the same for all replicas, as a tensor."""
    if hasattr(value, "dtype") and not isinstance(value, (Variable, np.ndarray, np.generic)):
        return value
    return to_tensor(value)


def _parts(value: Any) -> tuple | None:
    """The value of each replica; None for what is one value for all."""
    if isinstance(value, PerReplica):
        return value.values
    if not isinstance(value, SyncOnReadVariable):
        return None
    return tuple(value.distribute_strategy.values_of_all(value.values, Variable.value))


def reduced_value(strategy: Any, op: ReduceOp, value: Any, axis: Any) -> Any:
    if isinstance(value, OfReplica):
        if axis is not None:
            raise NotAtOnce("A merge_call reduces over an axis.")
        mean = op is ReduceOp.MEAN
        local = floating(value.local) if mean else value.local
        return all_reduce(local, count=strategy.num_replicas_in_sync, mean=mean)
    parts, count = _parts(value), strategy.num_replicas_in_sync
    if count == 1:
        parts = (parts[0] if parts else as_one(value),)
    elif parts is None and op is ReduceOp.SUM and axis is None:
        raise ValueError(
            f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {op}. It is one value "
            f"for all {count} replicas, and has no sum over them: give what strategy.run returns, or take MEAN."
        )
    elif parts is None:
        parts = (as_one(value),) * (1 if op is ReduceOp.MEAN else count)
    if axis is None:
        return parts[0] if len(parts) == 1 else reduced(op, parts)
    tensors = list(map(as_tensor, parts))
    _check_axes(tensors, axis)
    sums = reduced(ReduceOp.SUM, [math.reduce_sum(t, axis=axis) for t in tensors])
    if op is ReduceOp.SUM:
        return sums
    if count == 1:
        return math.reduce_mean(tensors[0], axis=axis)
    counts = [_count(t, axis) for t in tensors]  # replicas may have different numbers of rows
    return floating(sums) / ops.cast(to_tensor(sum(counts)), dtype=floating(sums).dtype.np)


def _count(tensor: Tensor, axis: Any) -> int:
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    return numbers.prod([sizes_of(tensor)[a] for a in axes])


def _check_axes(tensors: list, axis: Any) -> None:
    for a in axis if isinstance(axis, (list, tuple)) else [axis]:
        for t in tensors:
            if not -t.ndim <= a < t.ndim:
                raise ValueError(
                    f"Invalid reduction dimension {a} for input with {t.ndim} dimensions: a replica has a value of "
                    f"shape {tuple(t.shape)}."
                )


def gathered(value: Any, axis: int) -> Any:
    parts = _parts(value)
    if parts is None or len(parts) == 1:
        return as_one(value if parts is None else parts[0])
    return joined(list(map(as_tensor, parts)), axis)


def joined(tensors: list, axis: int) -> Any:
    """Tensors of replicas one after the other along an axis, which all must have."""
    return ops.concat(*tensors, axis=axis_of(tensors, axis))


def axis_of(tensors: list, axis: int) -> int:
    for t in tensors:
        if not -t.ndim <= axis < t.ndim:
            raise ValueError(
                f"Values of replicas cannot be joined along axis {axis}: one of them has shape {tuple(t.shape)}. Give "
                "scalars an axis by tf.reshape(x, [1])."
            )
    return axis % tensors[0].ndim
