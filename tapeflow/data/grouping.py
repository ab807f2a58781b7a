"""`window`, `group_by_window` and their like: elements gathered into datasets."""

import math
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.dtypes import int64
from tapeflow.core.tensor import EagerTensor, Tensor

from . import element_specs
from .element_specs import Cell, DatasetSpec
from .elements import applied, element, leaves_of, packed_like
from .iterators import Element
from .pipeline import Pipeline, check_dataset, new, of_rows, positive, whole_number
from .rows import Rows

if TYPE_CHECKING:
    from .dataset import Dataset

A = TypeVar("A")
B = TypeVar("B")


class Grouping(Pipeline[Element]):
    """`window`, `group_by_window`, `bucket_by_sequence_length`."""

    @overload
    def window(
        self: "Grouping[Tensor]", size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False,
        name: str | None = None,
    ) -> "Dataset[Dataset[Tensor]]": ...  # fmt: skip
    @overload
    def window(
        self: "Grouping[tuple[A, B]]", size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False,
        name: str | None = None,
    ) -> "Dataset[tuple[Dataset[A], Dataset[B]]]": ...  # fmt: skip
    @overload
    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> "Dataset[Any]": ...
    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> "Dataset[Any]":
        """Datasets of `size` elements, `stride` apart; each begins `shift` after the one before it.

        Elements that are tuples or dicts give tuples or dicts of datasets.

        Args:
            size: How many elements a window has.
            shift: How many elements further the next window begins; `size` by default.
            stride: How far apart the elements of a window are: 2 takes every other one.
            drop_remainder: True leaves out the last windows, which have fewer elements.

        >>> [[x.numpy().item() for x in w] for w in tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        length = positive(size, "Window size must be greater than zero.")
        move = length if shift is None else positive(shift, "Window shift must be greater than zero.")
        step = positive(stride, "Window stride must be greater than zero.")
        drop, span = bool(drop_remainder), (length - 1) * step + 1
        spec = self._spec.then(lambda known: nest.map_structure(DatasetSpec, known))

        columns = None if self._rows is None else self._rows.columns()

        def make() -> Iterator:
            if columns is None:
                return map(_apart, _windows(self._make(), span, step, move, drop))
            windows = _windows(self._indices(), span, step, move, drop)  # type: ignore[misc]
            return (self._of_columns(columns, window) for window in windows)

        count = self._count
        if count is not None and count != math.inf:
            count = max(0, (count - span) // move + 1) if drop else math.ceil(count / move)
        return self._next(make, count, spec, "Window")

    def _of_columns(self, columns: list[Rows], numbers: list[int]) -> Any:
        """A dataset for each tensor of the rows with these numbers."""
        specs = nest.flatten(self.element_spec)
        parts = [of_rows(c, lambda: iter(numbers), len(numbers), Cell(s), "Window") for c, s in zip(columns, specs)]
        return packed_like(self._rows.structure, parts)  # type: ignore[union-attr]

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Tensor, Any], "Dataset[A]"],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> "Dataset[A]":
        """Elements with the same key, `window_size` at a time, given to `reduce_func(key, dataset)`; what it returns
        is read next.

        Args:
            key_func: A function of an element that returns a scalar int64 tensor, its key.
            reduce_func: A function of a key and a dataset of elements that returns a dataset.
            window_size: How many elements of one key are given to `reduce_func` at a time.
            window_size_func: A function of a key that returns that number, in place of `window_size`.

        Raises:
            ValueError: If neither `window_size` nor `window_size_func` is given, or both are.

        >>> parity, in_fours = lambda x: x % 2, lambda key, window: window.batch(4)
        >>> ds = tf.data.Dataset.range(8).group_by_window(parity, in_fours, window_size=4)
        >>> [x.numpy().tolist() for x in ds]
        [[0, 2, 4, 6], [1, 3, 5, 7]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Must pass either `window_size` or `window_size_func`, and not both.")
        size = None if window_size is None else positive(window_size, "Window size must be greater than zero.")

        def reduced(key: int, window: list) -> Iterator:
            made = applied(reduce_func, (EagerTensor(np.int64(key)), from_elements(window, self._spec)))
            return check_dataset(made, "group_by_window")._make()

        def make() -> Iterator:
            groups: dict[int, list] = {}
            sizes: dict[int, int] = {}
            for value in self._make():
                key = int(element(applied(key_func, value)).array)
                group = groups.setdefault(key, [])
                if key not in sizes:
                    most = size if window_size_func is None else applied(window_size_func, EagerTensor(np.int64(key)))
                    sizes[key] = positive(most, "Window size must be greater than zero.")
                group.append(value)
                if len(group) == sizes[key]:
                    yield from reduced(key, groups.pop(key))
            for key in sorted(groups):  # what is left comes by key, not by who was first
                yield from reduced(key, groups[key])

        def result_spec() -> Any:
            nothing = from_elements([], self._spec)
            call = lambda key: reduce_func(key, nothing)
            return element_specs.element_spec_of_results(call, TensorSpec([], int64), make)

        return self._next(make, None, Cell(find=result_spec), "GroupByWindow")

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> "Dataset[Any]":
        """Padded batches of elements of similar length: those between two boundaries are batched together.

        Args:
            element_length_func: A function of an element that returns its length, a scalar integer.
            bucket_boundaries: Increasing lengths: an element goes into the bucket below the first boundary that is
                larger than its length.
            bucket_batch_sizes: How many elements a batch of each bucket has; one number more than there are
                boundaries.
            padded_shapes: As for `padded_batch`.
            padding_values: As for `padded_batch`.
            pad_to_bucket_boundary: True fills up to one less than the boundary, not to the longest of the batch; every
                element must be shorter than the last boundary.
            no_padding: True stacks elements as they are; those of one bucket must have one shape then.
            drop_remainder: True leaves out last batches that are smaller.

        Raises:
            ValueError: If the number of batch sizes does not fit the boundaries.

        >>> ds = tf.data.Dataset.from_tensor_slices([1, 5, 2, 6]).map(lambda n: tf.ones([n]))
        >>> [x.shape.as_list() for x in ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [4], [2, 2])]
        [[2, 2], [2, 6]]
        """
        bounds, sizes = [int(b) for b in bucket_boundaries], [int(s) for s in bucket_batch_sizes]
        if len(sizes) != len(bounds) + 1:
            raise ValueError(
                f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but got {len(sizes)} and "
                f"{len(bounds)}."
            )

        def key_of(*parts: Any) -> int:
            length = whole_number(applied(element_length_func, parts if len(parts) > 1 else parts[0]))
            return int(np.searchsorted(bounds, length, side="right"))

        def batch(key: Any, window: "Dataset[Any]") -> "Dataset[Any]":
            bucket = whole_number(key)
            if no_padding:
                return window.batch(sizes[bucket], drop_remainder=drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                if bucket == len(bounds):
                    raise ValueError(
                        "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries), "
                        f"which is {bounds[-1]}."
                    )
                given = nest.map_structure(lambda s: s.shape, self.element_spec) if shapes is None else shapes
                shapes = _bounded(given, bounds[bucket] - 1)
            return window.padded_batch(sizes[bucket], shapes, padding_values, drop_remainder)

        return self.group_by_window(key_of, batch, window_size_func=lambda key: sizes[whole_number(key)])


def from_elements(elements: list, spec: Cell | None = None) -> "Dataset[Any]":
    """The dataset of elements that are there."""
    cell = spec or Cell(find=lambda: element_specs.spec_of(elements[0]))
    return new(lambda: iter(elements), len(elements), cell, "Variant")


def _apart(window: list) -> Any:
    """A dataset for each tensor of the elements."""
    columns = zip(*[leaves_of(e) for e in window])
    return packed_like(window[0], [from_elements(list(c)) for c in columns])


def _windows(elements: Iterator, span: int, step: int, move: int, drop: bool) -> Iterator[list]:
    buffer: deque = deque()
    ended = False
    while True:
        while len(buffer) < span and not ended:
            for value in elements:
                buffer.append(value)
                break
            else:
                ended = True
        if not buffer or drop and len(buffer) < span:
            return
        yield list(buffer)[::step]
        for _ in range(move):
            if buffer:
                buffer.popleft()
            elif next(elements, None) is None:
                return


def _bounded(shapes: Any, size: int) -> Any:
    """Shapes in which `size` stands for what is not known."""
    if isinstance(shapes, dict):
        return {key: _bounded(s, size) for key, s in shapes.items()}
    if type(shapes) is tuple and not all(n is None or isinstance(n, int) for n in shapes):
        return tuple(_bounded(s, size) for s in shapes)
    return [size if n is None or n == -1 else n for n in shapes]
