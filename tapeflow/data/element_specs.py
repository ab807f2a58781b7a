"""`Dataset.element_spec`: structure, dtypes and shapes of elements, inferred only when somebody asks."""

import itertools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from tapeflow.api.arrays.composite_specs import RaggedRowSpec, RaggedTensorSpec, SparseTensorSpec
from tapeflow.api.arrays.specs import TensorSpec, TypeSpec, type_spec_from_value
from tapeflow.api.control.function import function
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.core import nest
from tapeflow.core.frames import unobserved
from tapeflow.core.runtime.contexts import context_variable
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor, sizes_of

from .elements import result

# May elements be made to see what they are like? Not where somebody only prints a dataset.
may_peek: ContextVar[bool] = context_variable("tapeflow_may_peek", True)


class Cell:
    """A spec, or how to find it. Datasets with the same elements share one.

    `known` is None until the spec is found; `guessed` when sizes are those of the first elements, and others may
    differ."""

    __slots__ = ("known", "guessed", "_find")

    def __init__(self, known: Any = None, find: Callable[[], Any] | None = None) -> None:
        self.known, self.guessed, self._find = known, False, find

    def get(self) -> Any:
        if self._find is not None:
            found = self._find()
            self.guessed = isinstance(found, _Guess)
            self.known, self._find = found.spec if isinstance(found, _Guess) else found, None
        return self.known

    def then(self, change: Callable[[Any], Any]) -> "Cell":
        """The spec that `change` makes of this one; at once, if this one is known."""

        def find() -> Any:
            spec = change(self.get())
            return _Guess(spec) if self.guessed else spec

        return Cell(find=find) if self.known is None or self.guessed else Cell(change(self.known))


class _Guess:
    """A spec that was seen, not derived."""

    __slots__ = ("spec",)

    def __init__(self, spec: Any) -> None:
        self.spec = spec


class DatasetSpec(TypeSpec):
    """What is known of a dataset that is an element itself, as `window` makes them.

    Args:
        element_spec: What the elements of the dataset are: a spec, or tuples and dicts of them.
        dataset_shape: The shape of a tensor of datasets; () for one dataset.

    >>> tf.data.Dataset.range(4).window(2).element_spec
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ("_element_spec", "_dataset_shape")

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec, self._dataset_shape = element_spec, TensorShape(dataset_shape)

    element_spec = property(lambda self: self._element_spec, doc="The spec of its elements.")

    @classmethod
    def from_value(cls, value: Any) -> "DatasetSpec":
        """The spec of a dataset."""
        return cls(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the elements of a dataset, or of another `DatasetSpec`, could stand where these do.

        Args:
            spec_or_value: A dataset or a spec.
        """
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else getattr(spec_or_value, "_type_spec", None)
        return isinstance(other, DatasetSpec) and compatible(self._element_spec, other._element_spec)

    def _parts(self) -> tuple:
        return (
            tuple(nest.flatten(self._element_spec)),
            tuple(nest.paths(self._element_spec)),
            tuple(self._dataset_shape),
        )

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


def spec_of(element: Any) -> Any:
    """The spec of an element that is there."""
    return nest.map_structure(lambda leaf: None if leaf is None else type_spec_from_value(leaf), element)


def compatible(a: Any, b: Any) -> bool:
    """Can elements of both specs stand in one dataset?"""
    if not nest.alike(a, b):
        return False
    return all(x is y or x is not None and x.is_compatible_with(y) for x, y in zip(nest.flatten(a), nest.flatten(b)))


def common(a: Any, b: Any) -> Any:
    """The narrowest spec that covers both."""

    def covering(x: Any, y: Any) -> Any:
        if x != y and (
            x is None
            or y is None
            or not x.is_compatible_with(y)
            and getattr(x, "dtype", x) is not getattr(y, "dtype", y)
        ):
            raise TypeError(f"Incompatible dataset elements:\n  {a} vs.   {b}")
        return x if x == y or not isinstance(x, TensorSpec) else x.most_specific_compatible_type(y)

    return nest.map_together(covering, a, b)


def batched(spec: Any, size: int | None, ragged: bool = False) -> Any:
    """The spec of `size` elements stacked. With `ragged`, axes of unknown size become ragged ones."""

    def stacked(leaf: Any) -> Any:
        if leaf is None:
            return None
        if nest.is_composite(leaf):
            return leaf.__batch__(size)
        shape = TensorShape([size]).concatenate(leaf.shape)
        if ragged and shape.rank is not None and None in tuple(leaf.shape):
            deepest = max(k for k, n in enumerate(leaf.shape) if n is None)
            return RaggedTensorSpec(shape, leaf.dtype, deepest + 1)
        return TensorSpec(shape, leaf.dtype)

    return nest.map_structure(stacked, spec)


def unbatched(spec: Any) -> Any:
    """The spec of a row."""

    def row(leaf: Any) -> Any:
        if leaf is None:
            return None
        if nest.is_composite(leaf):
            return leaf.__unbatch__()
        shape = TensorShape(None) if leaf.shape.rank is None else TensorShape(list(leaf.shape)[1:])
        return TensorSpec(shape, leaf.dtype)

    return nest.map_structure(row, spec)


def ragged_places(spec: Any) -> frozenset[int]:
    """Which leaves have to be batched as ragged tensors though they are plain ones."""
    return frozenset(k for k, leaf in enumerate(nest.flatten(spec)) if isinstance(leaf, RaggedRowSpec))


# ---- what functions make of specs


def mapped(call: Callable, spec: Any, peek: Callable[[], Iterator]) -> Any:
    """The spec of `call(element)` for elements of a spec: by tracing it or, where it cannot be traced, from the first
    elements."""
    traced = _traced(call, spec)
    return _seen(map(result, peek())) if traced is None else traced


def element_spec_of_results(call: Callable, spec: Any, peek: Callable[[], Iterator]) -> Any:
    """The spec of the elements of the dataset that `call(element)` is."""
    found = []

    def noted(*parts: Any) -> tuple:
        found.append(call(*parts).element_spec)
        return ()

    return _seen(peek()) if _traced(noted, spec) is None or not found else found[0]


def _seen(elements: Iterator) -> _Guess:
    """What the first two elements have in common."""
    specs = [spec_of(e) for e in itertools.islice(elements, 2)] if may_peek.get() else []
    if not specs:
        raise TypeError(
            "What this dataset's elements are is not known: its function needs values, so that it cannot be traced, "
            "and there is no element."
        )
    return _Guess(common(specs[0], specs[-1]))


def of_any_size(spec: Any) -> Any:
    """The spec with sizes forgotten, ranks and dtypes kept."""

    def rank_only(leaf: Any) -> Any:
        return (
            TensorSpec([None] * leaf.shape.rank, leaf.dtype)
            if isinstance(leaf, TensorSpec) and leaf.shape.rank
            else leaf
        )

    return nest.map_structure(rank_only, spec)


def _traced(call: Callable, spec: Any) -> Any:
    """The spec of what `call` returns for symbols; None when it cannot be traced."""
    leaves = nest.flatten(spec)
    places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, (TensorSpec, RaggedTensorSpec, SparseTensorSpec))]
    symbols = [
        TensorSpec(s.shape, s.dtype) if isinstance(s, RaggedRowSpec) else s for s in (leaves[k] for k in places)
    ]
    if any(k not in places and not isinstance(leaf, (DatasetSpec, type(None))) for k, leaf in enumerate(leaves)):
        return None
    seen: list = []

    def converted(*tensors: Any) -> list:
        parts = [_stand_in(leaf) if isinstance(leaf, DatasetSpec) else None for leaf in leaves]
        for k, tensor in zip(places, tensors):
            parts[k] = tensor
        value = nest.pack_as(spec, parts)
        made = result(call(*value) if type(value) is tuple else call(value))
        seen[:] = [nest.map_structure(_symbol_spec, made)]
        return [leaf for leaf in nest.flatten(made) if isinstance(leaf, Tensor)]

    with unobserved():
        try:
            if function(converted).get_concrete_function(*symbols).structured_outputs is None:
                return None
        except Exception:  # whatever the function does not like about symbols: values will tell
            return None
    return seen[0]


def _stand_in(spec: DatasetSpec) -> Any:
    """A dataset of which only the spec counts."""
    dataset: Any = DatasetSpec.value_type
    return dataset._concrete(lambda: iter(()), None, Cell(spec.element_spec), "Variant")


def _symbol_spec(leaf: Any) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, Tensor):
        sizes = (
            None if leaf.sizes.rank is None else [n if type(n) is int else None for n in leaf.sizes]
        )  # others are symbols
        return TensorSpec(sizes, leaf.dtype)
    if isinstance(leaf, RaggedTensor):
        return RaggedTensorSpec(sizes_of(leaf), leaf.dtype, leaf.ragged_rank)
    return (
        SparseTensorSpec(sizes_of(leaf), leaf.dtype) if isinstance(leaf, SparseTensor) else type_spec_from_value(leaf)
    )
