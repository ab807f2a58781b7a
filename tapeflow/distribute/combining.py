"""From a value of each replica to one: sums, means, joining, and what a variable's aggregation makes of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import user_line
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.policies import VariableAggregation
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.sameness import the_same
from tapeflow.ops.collectives import all_reduce

from .replicas import ReduceOp

_DOUBLE = np.dtype("float64")


def floating(x: Tensor) -> Tensor:
    """Whole numbers as float64, which their mean is."""
    return ops.cast(x, dtype=_DOUBLE) if x.dtype.is_integer else x


def reduced(op: ReduceOp, values: Sequence) -> Any:
    """The sum or mean of the values of replicas, which have one shape; rows of `tf.IndexedSlices` are joined."""
    if any(isinstance(v, IndexedSlices) for v in values):
        return joined_slices(op, values)
    mean = op is ReduceOp.MEAN
    tensors = [as_tensor(v.value() if isinstance(v, Variable) else v) for v in values]
    if mean:
        tensors = list(map(floating, tensors))
    params = {"count": len(tensors), "mean": mean}
    if len(tensors) == 1:
        return tensors[0]
    for t in tensors:
        if t.dtype.kind in "sb":
            return ops.add_n(*tensors)  # which says that they have no sum
    return all_reduce.primitive.across.rule(ops, tensors, [params] * len(tensors))[0]


def joined_slices(op: ReduceOp, values: Sequence) -> IndexedSlices:
    """The slices of all replicas, one after the other."""
    count = len(values)
    rows = ops.concat(*[v.values for v in values], axis=0)
    indices = ops.concat(*[as_tensor(v.indices) for v in values], axis=0)
    return IndexedSlices(rows / count if op is ReduceOp.MEAN else rows, indices, values[0].dense_shape)


def differing(name: str) -> ValueError:
    """Replicas assign different values, and nothing says what becomes of them."""
    return ValueError(
        f"Replicas assign different values to variable '{name}', which has one value for all of them, at "
        f"{user_line()}. Say what becomes of them: tf.Variable(..., aggregation=tf.VariableAggregation.MEAN), SUM or "
        "ONLY_FIRST_REPLICA; or give each replica a value of its own by "
        "synchronization=tf.VariableSynchronization.ON_READ."
    )


def combined(values: Sequence, aggregation: VariableAggregation, name: str) -> Any:
    """The one value that a variable gets of those that replicas assign."""
    if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
        return values[0]
    if aggregation is VariableAggregation.SUM:
        return reduced(ReduceOp.SUM, values)
    tensors = list(map(as_tensor, values))
    if the_same(tensors):  # their mean would be rounded
        return tensors[0]
    if aggregation is VariableAggregation.MEAN:
        return ops.cast(reduced(ReduceOp.MEAN, tensors), dtype=tensors[0].dtype.np)
    raise differing(name)


def combined_rows(given: Sequence[tuple], aggregation: VariableAggregation, name: str) -> tuple:
    """The same for (values, indices) of rows, and of elements."""
    values, indices = zip(*given)
    if aggregation in (VariableAggregation.SUM, VariableAggregation.MEAN):
        rank, depth = indices[0].ndim, values[0].ndim
        if depth < rank - 1 or not rank:  # one number for all rows, or one row
            return combined(values, aggregation, name), combined(indices, VariableAggregation.NONE, name)
        rows = ops.concat(*values, axis=0)
        if aggregation is VariableAggregation.MEAN:
            rows = ops.cast(rows / len(values), dtype=values[0].dtype.np)
        return rows, ops.concat(*indices, axis=0)
    return combined(values, aggregation, name), combined(indices, aggregation, name)
