"""What core needs of operations (`core.contracts`): it knows none itself.

Changing a part of a variable inside a graph gives the whole new value, which is then assigned. Everything is rows of a
matrix in the end: a part is some rows of the variable's leading axes taken together, at indices that may be symbols.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.contracts import supplied
from tapeflow.core.errors import ValueNeeded, user_line
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.core.variables.parts import Elements, Part, Rows

_INT = np.dtype("int64")


def _added(sign: int) -> Callable:
    def change(x: Tensor, ids: Tensor, values: Tensor) -> Tensor:
        total = ops.unsorted_segment_sum(values, ids, num_segments=x.sizes[0])
        return ops.add(x, total) if sign > 0 else ops.sub(x, total)

    return change


# By the words of `core.variables.changes`, what happens to rows.
_CHANGES: dict[str, Callable] = {
    "set": lambda x, ids, values: ops.scatter_update(x, ids, values),
    "add": _added(1),
    "subtract": _added(-1),
    "multiply": lambda x, ids, values: ops.mul(x, ops.unsorted_segment_prod(values, ids, num_segments=sizes_of(x)[0])),
    "divide": lambda x, ids, values: ops.div(x, ops.unsorted_segment_prod(values, ids, num_segments=sizes_of(x)[0])),
    "max": lambda x, ids, values: ops.scatter_max(x, ids, values),
    "min": lambda x, ids, values: ops.scatter_min(x, ids, values),
}


def _changed(x: Tensor, word: str, part: Part | None, values: Tensor) -> Tensor:
    """The whole new value of a variable of which a part changes, or everything (None)."""
    if part is None:
        return _EVERYWHERE[word](x, values)
    if isinstance(part, Rows):
        indices = ops.reshape(part.indices, shape=(*sizes_of(part.indices), 1))
    elif isinstance(part, Elements):
        indices = part.indices
    else:
        indices, shape = _of_key(x, part.key)
        if math.prod(sizes_of(values)) == 1 and values.ndim > len(shape):
            values = ops.reshape(values, shape=())
        values = ops.broadcast_to(values, shape=shape)
    return _changed_at(x, word, indices, values)


_EVERYWHERE: dict[str, Callable] = {
    "add": lambda x, values: ops.add(x, values),
    "subtract": lambda x, values: ops.sub(x, values),
}


def _changed_at(x: Tensor, word: str, indices: Tensor, values: Tensor) -> Tensor:
    """`x` with `values` at the elements or parts that the last axis of `indices` names (as in `scatter_nd_update`)."""
    depth = sizes_of(indices)[-1]
    leading, rest = tuple(sizes_of(x))[:depth], tuple(sizes_of(x))[depth:]
    steps = np.array([math.prod(leading[k + 1 :]) for k in range(depth)], np.int64)
    ids = ops.reduce_sum(
        ops.mul(ops.cast(indices, dtype=_INT), EagerTensor(steps)), axis=(indices.ndim - 1,), keepdims=False
    )
    rows = ops.reshape(x, shape=(math.prod(leading), *rest))
    count = math.prod(sizes_of(ids))
    given = ops.reshape(ops.broadcast_to(values, shape=(*sizes_of(ids), *rest)), shape=(count, *rest))
    return ops.reshape(_CHANGES[word](rows, ops.reshape(ids, shape=(count,)), given), shape=tuple(sizes_of(x)))


def _of_key(x: Tensor, key: Any) -> tuple[Tensor, tuple]:
    """(Indices for `_changed_at` of the part that `x[key]` is; the shape of that part)."""
    keys = key if isinstance(key, tuple) else (key,)
    symbols = [k for k in keys if isinstance(k, Tensor) and not isinstance(k, EagerTensor)]
    if not symbols:
        plain = tuple([k.array if isinstance(k, EagerTensor) else k for k in keys])
        places = np.arange(math.prod(sizes_of(x))).reshape(tuple(sizes_of(x)))[plain]
        return EagerTensor(np.stack(np.unravel_index(places, tuple(sizes_of(x))), -1).astype(np.int64)), places.shape
    if any(isinstance(k, slice) or k is None or k is Ellipsis or getattr(k, "ndim", 0) for k in keys):
        raise ValueNeeded(f"A part of a variable is changed at slices and symbols together, at {user_line()}.")
    each = [ops.cast(k, dtype=_INT) if isinstance(k, Tensor) else EagerTensor(np.int64(k)) for k in keys]
    sizes = tuple(sizes_of(x))[: len(each)]
    each = [ops.where(ops.less(k, 0), ops.add(k, size), k) for k, size in zip(each, sizes)]
    return ops.stack(*each, axis=0), tuple(sizes_of(x))[len(each) :]


supplied.rows_summed = lambda ops, rows, indices, count: ops.unsorted_segment_sum(rows, indices, num_segments=count)
supplied.sizes_as_tensor = lambda sizes, dtype: ops.size_tensor(sizes=sizes, dtype=dtype)
supplied.changed = _changed
