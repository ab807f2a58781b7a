"""`from_tensors`, `from_tensor_slices`, `range`: datasets of what is in memory."""

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, int64
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.frames import has_an_effect
from tapeflow.core.random import philox, streams
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.symbols import SymbolicTensor

from .element_specs import Cell, spec_of, unbatched
from .elements import element, leaves_of, rows_count, rows_of
from .generators import from_generator
from .iterators import Element
from .pipeline import Pipeline, new, of_rows
from .rows import Rows

if TYPE_CHECKING:
    from .dataset import Dataset

_SMALL = 1 << 20  # ranges up to here are an array, of which batches are views


# What one tensor is made of; tuples and dicts are structures of several.
One: TypeAlias = Tensor | Variable | np.ndarray[Any, Any] | list[Any] | int | float | str | bytes
K = TypeVar("K")


class Sources(Pipeline[Element]):
    """`Dataset.from_tensors`, `from_tensor_slices`, `from_generator`, `range`, `counter`, `random`."""

    @overload
    @staticmethod
    def from_tensors(tensors: One, name: str | None = None) -> "Dataset[Tensor]": ...
    @overload
    @staticmethod
    def from_tensors(tensors: tuple[One, One], name: str | None = None) -> "Dataset[tuple[Tensor, Tensor]]": ...
    @overload
    @staticmethod
    def from_tensors(tensors: dict[K, Any], name: str | None = None) -> "Dataset[dict[K, Any]]": ...
    @overload
    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> "Dataset[Any]": ...
    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> "Dataset[Any]":
        """One element, the tensors as they are.

        Args:
            tensors: A tensor, or tuples and dicts of them; a list is one tensor.

        >>> next(iter(tf.data.Dataset.from_tensors([1, 2]))).numpy()
        array([1, 2], dtype=int32)
        """
        whole = element(tensors)
        return new(lambda: iter([_with_values(whole)]), 1, Cell(spec_of(whole)), "Tensor")

    @overload
    @staticmethod
    def from_tensor_slices(tensors: One, name: str | None = None) -> "Dataset[Tensor]": ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: tuple[One, One], name: str | None = None) -> "Dataset[tuple[Tensor, Tensor]]": ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: dict[K, Any], name: str | None = None) -> "Dataset[dict[K, Any]]": ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> "Dataset[Any]": ...
    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> "Dataset[Any]":
        """One element for each row of the tensors, which have as many.

        Args:
            tensors: A tensor, or tuples and dicts of them, all with the same first size; a list is one tensor.

        Raises:
            ValueError: If the tensors have different first sizes, or one is a scalar.

        >>> ds = tf.data.Dataset.from_tensor_slices({"x": [1, 2], "y": ["a", "b"]})
        >>> [(e["x"].numpy().item(), e["y"].numpy()) for e in ds]
        [(1, b'a'), (2, b'b')]
        """
        whole = element(tensors)
        leaves = leaves_of(whole)
        spec = unbatched(spec_of(whole))
        if all(type(leaf) is EagerTensor for leaf in leaves):
            count = rows_count(leaves)
            rows = Rows(whole, [leaf.array for leaf in leaves])
            return of_rows(rows, lambda: iter(range(count)), count, Cell(spec), "TensorSlice", whole=True)
        symbolic = any(isinstance(leaf, Tensor) and None in tuple(sizes_of(leaf))[:1] for leaf in leaves)
        return new(
            lambda: rows_of(_with_values(whole)), None if symbolic else rows_count(leaves), Cell(spec), "TensorSlice"
        )

    from_generator = staticmethod(from_generator)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> "Dataset[Tensor]":
        """The integers of a Python range, as int64 or `output_type`.

        Args:
            *args: As for Python's `range`: a stop; a start and a stop; or a start, a stop and a step.
            **kwargs: `output_type`, the dtype of the numbers, and `name`; nothing else.

        Raises:
            InvalidArgumentError: If the step is zero.

        >>> [x.numpy().item() for x in tf.data.Dataset.range(3, 9, 2)]
        [3, 5, 7]
        """
        dtype = as_dtype(kwargs.pop("output_type", int64))
        kwargs.pop("name", None)
        if kwargs:
            raise TypeError(
                f"Dataset.range takes no argument {', '.join(map(repr, kwargs))}; it takes output_type and name."
            )
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        bounds = [to_tensor(a, None if hasattr(a, "dtype") else int64) for a in args]
        symbols = [b for b in bounds if type(b) is not EagerTensor]
        spec = Cell(TensorSpec([], dtype))
        if symbols:
            return new(lambda: iter([_with_values(symbols)]), None, spec, "Range")
        if len(args) == 3 and not int(bounds[2]):
            raise InvalidArgumentError(None, None, "step must be a non-zero integer.")
        numbers = range(*[int(b) for b in bounds])
        if len(numbers) <= _SMALL:
            array = np.arange(numbers.start, numbers.stop, numbers.step).astype(dtype.np)
            return of_rows(
                Rows(EagerTensor(array), [array]),
                lambda: iter(range(len(numbers))),
                len(numbers),
                spec,
                "Range",
                whole=True,
            )
        return new(lambda: (EagerTensor(dtype.np.type(i)) for i in numbers), len(numbers), spec, "Range")

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> "Dataset[Tensor]":
        """Numbers from `start` on, without end.

        Args:
            start: The first number.
            step: What is added to get the next one; it may be negative.

        >>> [x.numpy().item() for x in tf.data.Dataset.counter(start=10, step=5).take(3)]
        [10, 15, 20]
        """
        kind = as_dtype(dtype).np.type
        make = lambda: (
            EagerTensor(kind(i)) for i in itertools.count(np.asarray(start).item(), np.asarray(step).item())
        )
        return new(make, math.inf, Cell(TensorSpec([], dtype)), "Counter")

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> "Dataset[Tensor]":
        """Random int64 numbers below 2**32, without end. The same in every iteration, unless
        `rerandomize_each_iteration`.

        Args:
            rerandomize_each_iteration: True gives other numbers in every iteration.

        >>> a, b = [list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator()) for _ in range(2)]
        >>> a == b
        True
        """
        seeds, rounds = seeds_of(seed), itertools.count()

        def make() -> Iterator:
            for number in stream(in_turn(seeds, next(rounds)) if rerandomize_each_iteration else seeds):
                yield EagerTensor(np.int64(number))

        return new(make, math.inf, Cell(TensorSpec([], int64)), "Random")


Seeds = tuple[int, int]


def seeds_of(seed: Any) -> Seeds:
    """The two seeds of a dataset that draws; `tf.random.set_seed` counts with and without a seed."""
    if isinstance(seed, (tuple, list)):
        seed = int(seed[0]) ^ (int(seed[1]) << 32)
    return streams.dataset_seeds(None if seed is None else int(seed))


def in_turn(seeds: Seeds, turn: int) -> Seeds:
    """Seeds for the iteration number `turn`: two words of the stream that the seeds start."""
    found = philox.blocks(philox.advanced(_key(seeds), turn // 2), 1)[0].tolist()
    return (found[0], found[1]) if turn % 2 == 0 else (found[2], found[3])


def stream(seeds: Seeds) -> Iterator[int]:
    """Words of 32 bits without end."""
    key, read, count = _key(seeds), 0, 4
    while True:
        yield from philox.blocks(philox.advanced(key, read), count).reshape(-1).tolist()
        read, count = read + count, min(4 * count, 1024)


def _key(seeds: Seeds) -> np.ndarray:
    return np.array((0, seeds[1], seeds[0]), np.uint64)


def generator(seeds: Seeds, turn: int) -> np.random.Generator:
    """NumPy's generator for the iteration number `turn`, where a word at a time will not do."""
    return np.random.default_rng(np.random.SeedSequence(seeds, spawn_key=(turn,)))


def _with_values(whole: Any) -> Any:
    """The tensors a dataset was made of. In a graph they have no values to read yet."""
    if any(leaf is not None and isinstance(leaf, SymbolicTensor) for leaf in nest.flatten(whole)):
        has_an_effect("reading a dataset of tensors that have no value yet")
    return whole
