"""`x[...]`: NumPy's indexing on tensors and variables, differentiable.

Ints, slices, `...` and `tf.newaxis` are one primitive, `getitem`. Integer tensors, arrays and lists pick elements as
in NumPy, masks keep the elements where they are true. (TensorFlow raises for integer arrays and takes a list for a
tuple.)
"""

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import int64
from tapeflow.core.errors import ValueNeeded, invalid
from tapeflow.core.frames import current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.variables.variable import Variable
from tapeflow.function.control.conditions import has_no_value
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of

_ALL = (None, None, None)
_PLAIN = frozenset({int, type(None)})


def getitem(x: Tensor, key: Any) -> Tensor:
    if type(key) is int:
        return ops.getitem(x, index=(key,))
    index = []
    picks = False
    for k in key if type(key) is tuple else (key,):
        if type(k) is int or k is None or k is Ellipsis:
            index.append(k)
        elif type(k) is slice:
            start, stop, step = k.start, k.stop, k.step
            if not (type(start) in _PLAIN and type(stop) in _PLAIN and type(step) in _PLAIN):
                start, stop, step = map(_bound, (start, stop, step))
            index.append((start, stop, step))
        else:
            k = _single(k)
            picks = picks or type(k) is not int
            index.append(k)
    return _picked(x, index) if picks else ops.getitem(x, index=tuple(index))


def _bound(value: Any) -> int | None:
    if value is None or type(value) is int:
        return value
    known = value.as_sizes() if hasattr(value, "as_sizes") else None
    if known is not None and not known.ndim and type(known.item()) is Size:
        return known.item()
    try:
        return operator.index(value)
    except ValueNeeded:
        raise
    except TypeError:
        raise _bad_index(value) from None


def _single(key: Any) -> Any:
    """An int for whatever stands for one; otherwise an index array or a mask, as a tensor or a NumPy array."""
    if isinstance(key, (bool, np.bool_)):
        raise ValueError(
            f"A single {key} cannot index a tensor: a mask has at least one axis. Use tf.where or an `if`."
        )
    if isinstance(key, Variable):
        key = key.operand()
    elif isinstance(key, (list, tuple, range)):
        key = np.asarray(key) if len(key) else np.zeros(0, np.int32)
        if key.dtype.kind == "O":
            key = to_tensor(list(key))
    if not hasattr(key, "dtype"):
        return _bound(key)
    kind = key.dtype.kind
    if kind not in "iub":
        raise _bad_index(key)
    if key.ndim:
        return key
    if kind == "b":
        raise ValueError("A mask of rank 0 cannot index a tensor: a mask has at least one axis.")
    return key if type(key) is MappedTensor or has_no_value(key) else operator.index(key)


def _bad_index(key: Any) -> TypeError:
    return TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`), and integer or boolean tensors, arrays "
        f"and lists are valid indices, got {key!r}"
    )


# ---- index arrays and masks


def _picked(x: Tensor, key: list) -> Tensor:
    """NumPy's rules: slices first; then the index arrays (and ints) together, where they stood, or in front if
    apart."""
    if len(key) == 1 and key[0].dtype.kind == "b":
        return _masked(x, key[0])
    key = _expanded(x, key)
    basic, arrays, axes = [], [], []
    for k in key:
        if isinstance(k, (int, Tensor, np.ndarray)):
            axes.append(len(basic))
            arrays.append(k)
            basic.append(_ALL)
        else:
            basic.append(k)
    if any(b != _ALL for b in basic):
        x = ops.getitem(x, index=tuple(basic))
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    at = axes[0] if together else 0
    if not together:
        x = ops.transpose(x, perm=(*axes, *(i for i in range(len(x.sizes)) if i not in axes)))
    sizes = tuple(x.sizes[at : at + len(axes)])
    index = _flat_index(arrays, sizes)
    if len(axes) > 1:
        x = ops.reshape(x, shape=(*x.sizes[:at], math.prod(sizes), *x.sizes[at + len(axes) :]))
    return ops.take(x, index, axis=at)


def _masked(x: Tensor, mask: Any) -> Tensor:
    mask = to_tensor(mask)
    if tuple(mask.sizes) != tuple(x.sizes)[: len(mask.sizes)]:
        raise ValueError(
            f"Shapes {x.shape} and {mask.shape} are incompatible: a mask must have the shape of the first axes it "
            "indexes."
        )
    return ops.compress(x, mask)


def _expanded(x: Tensor, key: list) -> list:
    """Without `...`, one entry an axis, masks turned into index arrays."""
    is_mask = lambda k: isinstance(k, (Tensor, np.ndarray)) and k.dtype.kind == "b"
    used = sum(k.ndim if is_mask(k) else k is not None and k is not Ellipsis for k in key)
    rank = len(x.sizes)
    if used > rank:
        raise invalid(f"Too many indices: the tensor has shape {tuple(x.shape)}, and {used} axes are indexed.")
    if sum(k is Ellipsis for k in key) > 1:
        raise invalid("An index can have a single `...`.")
    rest = [_ALL] * (rank - used)
    spread = [e for k in key for e in (rest if k is Ellipsis else [k])]
    if Ellipsis not in [k for k in key if not isinstance(k, (Tensor, np.ndarray))]:
        spread += rest
    out: list = []
    axis = 0
    for k in spread:
        if is_mask(k):
            if tuple(sizes_of(k)) != tuple(x.sizes)[axis : axis + k.ndim]:
                raise ValueError(
                    f"A mask of shape {tuple(k.shape)} does not fit the axes from {axis} on of a tensor of shape "
                    f"{tuple(x.shape)}."
                )
            out += np.nonzero(k.array if isinstance(k, Tensor) else k)
            axis += k.ndim
        else:
            out.append(k)
            axis += k is not None
    return out


def _flat_index(arrays: list, sizes: tuple) -> Tensor:
    """One index into the flattened axes that the arrays index together; negative ones count from the end."""
    flat: Any = 0
    for k, size in zip(arrays, sizes):
        if isinstance(k, Tensor) and has_no_value(k):  # `take` looks at the bounds when it runs
            k = ops.cast(k, dtype=int64.np)
            flat = ops.where(ops.less(k, 0), k + size, k) + flat * size
            continue
        values = values_of(k) if isinstance(k, Tensor) else np.asarray(k)
        if values.size and not -size <= values.min() <= values.max() < size:
            bad = values[(values < -size) | (values >= size)].flat[0]
            raise invalid(f"Index {bad} is out of bounds for an axis of size {size}.")
        if type(k) is MappedTensor:
            k = ops.cast(k, dtype=int64.np)
            flat = ops.where(ops.less(k, 0), k + size, k) + flat * size
        else:
            values = values.astype(np.int64)
            flat = np.where(values < 0, values + size, values) + flat * size
    return to_tensor(flat)


# ---- installation


def _getitem_of_variable(self: Variable, key: Any) -> Tensor:
    part = getitem(self.operand(), key)
    part._origin = (self, key)  # so that v[i].assign(value) finds its way back
    return part


def _iter(self: Tensor) -> Iterator[Tensor]:
    if not len(self.sizes):
        raise TypeError("Cannot iterate over a scalar tensor.")
    if current().observers:
        return iter(ops.unstack(self, axis=0))  # one record for all rows, and one backward step
    return (ops.getitem(self, index=(i,)) for i in range(len(self)))


Tensor.__getitem__ = getitem
Tensor.__iter__ = _iter
Variable.__getitem__ = _getitem_of_variable
Variable.__iter__ = lambda self: _iter(self.operand())
