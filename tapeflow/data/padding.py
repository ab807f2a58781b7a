"""Padding: elements of different shapes filled up to one shape."""

from typing import Any

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.convert import to_tensor
from tapeflow.core.errors import DataLossError
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor

from .element_specs import Cell
from .elements import leaves_of, packed_like


class Padding:
    """What `padded_shapes` and `padding_values` ask for; `join` makes a batch of elements."""

    def __init__(self, shapes: Any, values: Any, spec: Cell) -> None:
        self._shapes, self._values = shapes, values
        if shapes is None and spec.known is not None:
            for k, leaf in enumerate(nest.flatten(spec.known)):
                if leaf.shape.rank is None:
                    raise ValueError(
                        f"You must provide `padded_shapes` argument because component {k} has unknown rank."
                    )
        if spec.known is not None:  # or the first batch will tell
            self._fills([leaf.dtype for leaf in nest.flatten(spec.known)], spec.known)

    def join(self, group: list) -> Any:
        first = group[0]
        leaves = leaves_of(first)
        shapes, fills = self._targets(first), self._fills([leaf.dtype for leaf in leaves], first)
        columns = zip(*[leaves_of(e) for e in group], strict=True)
        return packed_like(first, [_padded([x.array for x in c], s, v) for c, s, v in zip(columns, shapes, fills)])

    def spec(self, element_spec: Any, size: int | None) -> Any:
        leaves = nest.flatten(element_spec)
        shapes = self._targets(element_spec)
        parts = [
            TensorSpec(
                TensorShape([size]).concatenate(leaf.shape if shape is None else TensorShape(shape)), leaf.dtype
            )
            for leaf, shape in zip(leaves, shapes)
        ]
        return nest.pack_as(element_spec, parts)

    def _targets(self, like: Any) -> list:
        """For each tensor of an element the shape to fill it up to: None, or sizes of which some are None."""
        if self._shapes is None:
            return [None] * len(nest.flatten(like))
        return [_sizes(shape) for shape in _parts(self._shapes, like, "padded_shapes")]

    def _fills(self, dtypes: list, like: Any) -> list:
        """For each tensor of an element what to fill it up with."""
        if self._values is None or not nest.is_nested(self._values):
            given = [self._values] * len(dtypes)
        else:
            given = _parts(self._values, like, "padding_values")
        return [_fill(value, dtype) for value, dtype in zip(given, dtypes)]


def _parts(given: Any, like: Any, what: str) -> list:
    """What stands in `given` where `like` has a tensor."""
    if isinstance(like, dict):
        if not isinstance(given, dict) or set(given) != set(like):
            raise ValueError(f"`{what}` must have the keys of the elements, {sorted(like)}, got {given!r}.")
        return [part for key in nest.sorted_keys(like) for part in _parts(given[key], like[key], what)]
    if isinstance(like, tuple) and not isinstance(like, TensorShape):
        if not isinstance(given, (list, tuple)) or len(given) != len(like):
            raise ValueError(f"`{what}` must have as many parts as the elements, {len(like)}, got {given!r}.")
        return [part for inner, shape in zip(like, given) for part in _parts(shape, inner, what)]
    return [given]


def _sizes(shape: Any) -> list[int | None]:
    if isinstance(shape, Tensor):
        shape = shape.numpy().tolist()
    return [None if n is None else int(n) for n in TensorShape([None if n == -1 else n for n in shape])]


def _fill(value: Any, dtype: Any) -> Any:
    if value is None:
        return b"" if dtype.kind == "s" else dtype.np.type(0)
    try:
        fill = to_tensor(value, None if hasattr(value, "dtype") else dtype)
    except (TypeError, ValueError):
        fill = to_tensor(value)
    if fill.dtype is not dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {fill.dtype.name} does not match type "
            f"{dtype.name} of the corresponding input component."
        )
    if fill.ndim:
        raise ValueError(f"Invalid `padding_values`. `padding_values` values must be scalars, but got {fill.shape}.")
    return fill.numpy()


def _padded(arrays: list, shape: list | None, fill: Any) -> EagerTensor:
    rank = arrays[0].ndim
    if any(a.ndim != rank for a in arrays) or shape is not None and len(shape) != rank:
        ranks = sorted({a.ndim for a in arrays})
        raise ValueError(
            f"Cannot pad elements of rank {ranks} to {'one shape' if shape is None else tuple(shape)}: ranks must be "
            "the same."
        )
    largest = [max(a.shape[k] for a in arrays) for k in range(rank)]
    sizes = largest if shape is None else [most if n is None else n for n, most in zip(shape, largest)]
    if any(n < most for n, most in zip(sizes, largest)):
        raise DataLossError(
            None,
            None,
            f"Attempted to pad to a smaller size than the input element: padded_shapes is {sizes}, an element is "
            f"{largest}.",
        )
    out = np.empty((len(arrays), *sizes), arrays[0].dtype)
    out.fill(fill)
    for k, array in enumerate(arrays):
        place: Any = (k, *[slice(n) for n in array.shape])
        out[place] = array[()] if array.ndim == 0 else array
    return EagerTensor(out)
