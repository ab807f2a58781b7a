"""What every dataset is: how to make an iterator, how many elements there are, and what they are like."""

import math
from collections.abc import Callable, Iterable, Iterator as PythonIterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.frames import has_an_effect
from tapeflow.core.tensor import EagerTensor, Tensor

from .element_specs import Cell, DatasetSpec, may_peek
from .elements import Opaque
from .iterators import Element, Iterator
from .options import Options
from .rows import Rows

if TYPE_CHECKING:
    from .dataset import Dataset

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

Make = Callable[[], PythonIterator]


class Pipeline(Opaque, Iterable[Element]):
    """The part of `Dataset` that its methods build on."""

    _concrete: "type[Dataset[Any]]"  # set where it is defined

    def __init__(
        self,
        make: Make,
        count: float | None,
        spec: Cell,
        kind: str,
        options: Options | None = None,
        rows: Rows | None = None,
        indices: Make | None = None,
        whole: bool = False,
    ) -> None:
        """`count` is inf when it never ends and None when it is not known. Where elements are rows of arrays,
        `indices` makes iterators over their numbers; `whole` when these are simply 0, 1, 2, …"""
        self._make, self._count, self._spec, self._kind = make, count, spec, kind
        self._options, self._rows, self._indices, self._whole = options, rows, indices, whole

    # ---- new datasets from this one

    def _next(self, make: Make, count: float | None, spec: Cell, kind: str) -> "Dataset[Any]":
        return self._concrete(make, count, spec, kind, self._options)

    def _reordered(self, change: Callable[[Make], PythonIterator], count: float | None, kind: str) -> "Dataset[Any]":
        """The same elements, others of them or in another order: `change` gets a maker of iterators. It does not look
        at the elements, so that numbers of rows can stand for them."""
        return reordered(self, lambda: change(self._indices or self._make), count, kind)

    # ---- reading

    def __iter__(self) -> Iterator[Element]:
        has_an_effect("reading a dataset")  # a graph would keep the elements that it saw when it was traced
        return Iterator(self._make(), self._spec, self._make)

    def __len__(self) -> int:
        if self._count is None:
            raise TypeError("The dataset length is unknown.")
        if self._count == math.inf:
            raise TypeError("The dataset is infinite.")
        return int(self._count)

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of the elements.

        >>> tf.data.Dataset.from_tensor_slices(([[1., 2.]], ["a"])).batch(4).element_spec
        (TensorSpec(shape=(None, 2), dtype=tf.float32, name=None),
         TensorSpec(shape=(None,), dtype=tf.string, name=None))
        """
        return self._spec.get()

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def cardinality(self) -> Tensor:
        """The number of elements: -1 when it never ends, -2 when it is not known.

        Returns:
            A scalar int64 tensor. `len(dataset)` gives the number as an int, and raises TypeError where there is none.

        >>> tf.data.Dataset.range(10).batch(4).cardinality().numpy()
        np.int64(3)
        >>> tf.data.Dataset.range(10).repeat().cardinality().numpy()
        np.int64(-1)
        """
        count = (
            UNKNOWN_CARDINALITY
            if self._count is None
            else INFINITE_CARDINALITY
            if self._count == math.inf
            else self._count
        )
        return EagerTensor(np.int64(count))

    def options(self) -> Options:
        """What `with_options` has set, here and before."""
        return self._options or Options()

    def with_options(self, options: Options, name: str | None = None) -> "Dataset[Element]":
        """The same dataset with options; what they leave open is as before.

        Args:
            options: A `tf.data.Options`.
        """
        merged = self.options().merge(options)
        return self._concrete(
            self._make, self._count, self._spec, self._kind, merged, self._rows, self._indices, self._whole
        )

    def __repr__(self) -> str:
        token = may_peek.set(False)
        try:
            spec = repr(self.element_spec)
        except Exception:  # a function that fails on symbols is none of repr's business
            spec = "<known when it is read>"
        finally:
            may_peek.reset(token)
        return f"<_{self._kind}Dataset element_spec={spec}>"


DatasetSpec.value_type = Pipeline


def new(make: Make, count: float | None, spec: Cell, kind: str) -> "Dataset[Any]":
    return Pipeline._concrete(make, count, spec, kind)


def of_rows(
    rows: Rows, indices: Make, count: float | None, spec: Cell, kind: str, whole: bool = False, options: Any = None
) -> "Dataset[Any]":
    return Pipeline._concrete(lambda: map(rows.one, indices()), count, spec, kind, options, rows, indices, whole)


def reordered(source: Pipeline, change: Make, count: float | None, kind: str) -> "Dataset[Any]":
    """A dataset of elements of `source`; `change` iterates over numbers of its rows, if it has any, or over
    elements."""
    if source._rows is not None:
        return of_rows(source._rows, change, count, source._spec, kind, options=source._options)
    return source._next(change, count, source._spec, kind)


# ---- arguments


def positive(value: Any, message: str) -> int:
    """An integer, of Python or a tensor's, greater than zero."""
    number = whole_number(value)
    if number < 1:
        raise InvalidArgumentError(None, None, f"{message} Got {number}.")
    return number


def whole_number(value: Any) -> int:
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "is_floating", False):
        raise TypeError(f"Expected a whole number, got {value!r}.")
    return int(value)


def check_dataset(value: Any, where: str) -> Any:
    """What a user's function returned, which must be a dataset."""
    if not isinstance(value, Pipeline):
        raise TypeError(f"The function given to `{where}` must return a tf.data.Dataset, it returned {value!r}.")
    return value


def structure_of_datasets(structure: Any, where: str) -> list:
    """The datasets in tuples and dicts of them."""
    if isinstance(structure, list):
        raise TypeError(
            f"Invalid input to `{where}`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
            "Python `list` is not supported and you should use `tuple` instead."
        )
    parts = nest.flatten(structure)
    for part in parts:
        if not isinstance(part, Pipeline):
            raise TypeError(
                f"Invalid input to `{where}`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                f"objects but encountered object of type {type(part)}."
            )
    return parts
