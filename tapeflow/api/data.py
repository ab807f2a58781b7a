"""`tf.data`: pipelines of elements, read by iteration. A dataset ends the path of gradients."""

import itertools
import math as _math
from collections.abc import Callable, Iterable
from collections.abc import Iterator as _PythonIterator
from typing import Any

import numpy as np

from tapeflow.core import streams
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import Composite
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, int64
from tapeflow.core.errors import InvalidArgumentError, OutOfRangeError
from tapeflow.core.frames import has_an_effect, unobserved
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor

from . import nest

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "Iterator"]

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def _element(value: Any) -> Any:
    """An element as datasets hold it: tensors in tuples and dicts, of which no tape knows. A list is one tensor."""
    if isinstance(value, tuple):
        parts = [_element(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return type(value)((key, _element(v)) for key, v in value.items())
    if isinstance(value, (Composite, Dataset)) or value is None:
        return value
    return ops.stop_gradient(as_tensor(value))


def _applied(function: Callable, element: Any) -> Any:
    """`function` of an element, whose parts are its arguments when it is a plain tuple."""
    with unobserved():
        return function(*element) if type(element) is tuple else function(element)


class Iterator:
    """What `iter(dataset)` gives.

    >>> it = iter(tf.data.Dataset.range(2))
    >>> it.get_next().numpy(), next(it).numpy(), it.get_next_as_optional() is None
    (np.int64(0), np.int64(1), True)
    """

    def __init__(self, elements: _PythonIterator) -> None:
        self._elements = elements

    def __iter__(self) -> "Iterator":
        return self

    def __next__(self) -> Any:
        has_an_effect("reading a dataset")  # a graph would give the element that it saw when it was traced, again and again
        return next(self._elements)

    def get_next(self) -> Any:
        """The next element; raises OutOfRangeError at the end."""
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence: the dataset has no more elements.") from None

    def get_next_as_optional(self) -> Any:
        """The next element, or None at the end."""
        return next(self, None)


class Dataset(Iterable):
    """A sequence of elements, made anew by every iteration. Each method gives a new dataset.

    An element is a tensor, or a tuple or dict of them.

    >>> ds = tf.data.Dataset.range(7).map(lambda x: x * x).batch(3)
    >>> [batch.numpy().tolist() for batch in ds]
    [[0, 1, 4], [9, 16, 25], [36]]
    """

    def __init__(self, make: Callable[[], _PythonIterator], count: float | None) -> None:
        self._make, self._count = make, count  # count: inf when it never ends, None when it is not known

    def __iter__(self) -> Iterator:
        has_an_effect("reading a dataset")  # a graph would keep the elements that it saw when it was traced
        return Iterator(self._make())

    def __len__(self) -> int:
        if self._count is None:
            raise TypeError("The dataset length is unknown.")
        if self._count == _math.inf:
            raise TypeError("The dataset is infinite.")
        return int(self._count)

    def __bool__(self) -> bool:
        return True

    def cardinality(self) -> Tensor:
        """The number of elements: -1 when it never ends, -2 when it is not known."""
        count = UNKNOWN_CARDINALITY if self._count is None else INFINITE_CARDINALITY if self._count == _math.inf else self._count
        return EagerTensor(np.int64(count))

    def __repr__(self) -> str:
        return f"<Dataset: cardinality {int(self.cardinality()._array)}>"

    # ---- making

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> "Dataset":
        """One element, the tensors as they are.

        >>> next(iter(tf.data.Dataset.from_tensors([1, 2]))).numpy()
        array([1, 2], dtype=int32)
        """
        element = _element(tensors)
        return Dataset(lambda: iter([element]), 1)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> "Dataset":
        """One element for each row of the tensors, which have as many.

        >>> ds = tf.data.Dataset.from_tensor_slices({"x": [1, 2], "y": ["a", "b"]})
        >>> [(e["x"].numpy().item(), e["y"].numpy()) for e in ds]
        [(1, b'a'), (2, b'b')]
        """
        whole = _element(tensors)
        leaves = nest.flatten(whole)
        if not leaves:
            raise ValueError("from_tensor_slices needs at least one tensor.")
        if any(not leaf.ndim for leaf in leaves):
            raise ValueError("Unbatching a tensor is only supported for rank >= 1: a scalar has no rows.")
        counts = {leaf.shape[0] for leaf in leaves}
        if len(counts) > 1:
            raise ValueError(f"All tensors must have the same number of rows, got {[leaf.shape[0] for leaf in leaves]}.")
        row = lambda i: nest.pack_sequence_as(whole, [leaf[i] for leaf in leaves])
        return Dataset(lambda: map(row, range(leaves[0].shape[0])), counts.pop())

    @staticmethod
    def from_generator(
        generator: Callable,
        output_types: Any = None,
        output_shapes: Any = None,
        args: Any = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> "Dataset":
        """The elements that `generator(*args)` yields, of the dtypes given by a signature.

        >>> ds = tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.float32))
        >>> [x.numpy().item() for x in ds]
        [1.0, 2.0]
        """
        if not callable(generator):
            raise TypeError(f"generator must be a function that returns an iterable, got {generator!r}.")
        signature = output_types if output_signature is None else output_signature
        if signature is None:
            raise TypeError("Give output_signature, the structure of dtypes or specs of the elements.")
        wanted = [as_dtype(getattr(s, "dtype", s)) for s in nest.flatten(signature)]
        given = [np.asarray(as_tensor(a)) for a in args or ()]

        def make() -> _PythonIterator:
            for element in generator(*given):
                parts = [element] if len(wanted) == 1 and not nest.is_nested(signature) else list(_flat_upto(signature, element))
                yield nest.pack_sequence_as(signature, [_element(_typed(p, d)) for p, d in zip(parts, wanted, strict=True)])

        return Dataset(make, None)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> "Dataset":
        """The integers of a Python range, as int64 or `output_type`.

        >>> [x.numpy().item() for x in tf.data.Dataset.range(3, 9, 2)]
        [3, 5, 7]
        """
        numbers = range(*[int(a) for a in args])
        dtype = as_dtype(kwargs.get("output_type", int64)).np
        return Dataset(lambda: (EagerTensor(dtype.type(i)) for i in numbers), len(numbers))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> "Dataset":
        """Elements made of one element of each dataset, as long as all have some.

        >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
        >>> [(x.numpy().item(), y.numpy().item()) for x, y in tf.data.Dataset.zip(a, b)]
        [(0, 5), (1, 6)]
        """
        structure = datasets if datasets is not None else args if len(args) != 1 else args[0]
        parts = nest.flatten(structure)
        if any(not isinstance(p, Dataset) for p in parts):
            raise TypeError(f"zip takes datasets, got {structure!r}.")
        counts = [p._count for p in parts]
        make = lambda: (nest.pack_sequence_as(structure, list(row)) for row in zip(*[p._make() for p in parts]))
        return Dataset(make, None if None in counts else min(counts))

    # ---- elements into elements

    def map(
        self,
        map_func: Callable,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> "Dataset":
        """`map_func` of every element; the parts of a tuple are its arguments."""
        return Dataset(lambda: (_element(_applied(map_func, e)) for e in self._make()), self._count)

    def filter(self, predicate: Callable, name: str | None = None) -> "Dataset":
        """The elements for which `predicate` is true."""
        return Dataset(lambda: (e for e in self._make() if bool(_applied(predicate, e))), None)

    def flat_map(self, map_func: Callable, name: str | None = None) -> "Dataset":
        """The elements of the datasets that `map_func` makes of every element, one after the other."""
        return Dataset(lambda: itertools.chain.from_iterable(_applied(map_func, e)._make() for e in self._make()), None)

    def enumerate(self, start: int = 0, name: str | None = None) -> "Dataset":
        """Pairs of a number, from `start`, and an element."""
        return Dataset(lambda: ((EagerTensor(np.int64(i)), e) for i, e in enumerate(self._make(), start)), self._count)

    def apply(self, transformation_func: Callable) -> "Dataset":
        """`transformation_func` of the whole dataset."""
        return transformation_func(self)

    # ---- which elements, how often, in which order

    def take(self, count: Any, name: str | None = None) -> "Dataset":
        """The first `count` elements; all when it is -1."""
        count = int(count)
        if count < 0:
            return self
        return Dataset(lambda: itertools.islice(self._make(), count), None if self._count is None else min(self._count, count))

    def skip(self, count: Any, name: str | None = None) -> "Dataset":
        """Without the first `count` elements; nothing when it is -1."""
        count = int(count)
        left = 0 if count < 0 else None if self._count is None else max(self._count - count, 0)
        return Dataset(lambda: itertools.islice(self._make(), count, None) if count >= 0 else iter(()), left)

    def repeat(self, count: Any = None, name: str | None = None) -> "Dataset":
        """The elements `count` times over; for ever by default."""
        times = _math.inf if count is None or int(count) < 0 else int(count)

        def make() -> _PythonIterator:
            for _ in itertools.count() if times == _math.inf else range(times):
                empty = True
                for element in self._make():
                    empty = False
                    yield element
                if empty:
                    return

        return Dataset(make, 0 if self._count == 0 or times == 0 else None if self._count is None else self._count * times)

    def concatenate(self, dataset: "Dataset", name: str | None = None) -> "Dataset":
        """These elements, then those of the other dataset."""
        counts = (self._count, dataset._count)
        return Dataset(lambda: itertools.chain(self._make(), dataset._make()), None if None in counts else sum(counts))

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True, name: str | None = None
    ) -> "Dataset":
        """Elements in random order, each drawn from the next `buffer_size`; every iteration has another order, unless told not to."""
        size = int(buffer_size)
        if size < 1:
            raise InvalidArgumentError(None, None, f"buffer_size must be greater than zero, got {size}.")
        key = streams.next_key() if seed is None else streams.fixed_key(int(seed))  # either way tf.random.set_seed counts
        first = [int(w) for w in key]
        rounds = itertools.count()

        def make() -> _PythonIterator:
            turn = next(rounds) if reshuffle_each_iteration is not False else 0
            rng = np.random.default_rng(np.random.SeedSequence(first, spawn_key=(turn,)))
            buffer: list = []
            for element in self._make():
                if len(buffer) < size:
                    buffer.append(element)
                    continue
                i = int(rng.integers(size))
                chosen, buffer[i] = buffer[i], element
                yield chosen
            for i in rng.permutation(len(buffer)):
                yield buffer[i]

        return Dataset(make, self._count)

    # ---- batches

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> "Dataset":
        """Every `batch_size` elements stacked to one; the last batch may be smaller, or is dropped."""
        size = int(batch_size)
        if size < 1:
            raise InvalidArgumentError(None, None, f"Batch size must be greater than zero, got {size}.")

        def make() -> _PythonIterator:
            elements = self._make()
            while rows := list(itertools.islice(elements, size)):
                if len(rows) == size or not drop_remainder:
                    columns = zip(*[nest.flatten(r) for r in rows])
                    with unobserved():
                        yield nest.pack_sequence_as(rows[0], [ops.stack(*c, axis=0) for c in columns])

        whole = None if self._count is None else self._count / size
        rounded = whole if whole is None or whole == _math.inf else _math.floor(whole) if drop_remainder else _math.ceil(whole)
        return Dataset(make, rounded)

    def unbatch(self, name: str | None = None) -> "Dataset":
        """The rows of every element as elements."""
        return Dataset(lambda: itertools.chain.from_iterable(Dataset.from_tensor_slices(e)._make() for e in self._make()), None)

    # ---- reading ahead, which a single thread need not

    def prefetch(self, buffer_size: Any, name: str | None = None) -> "Dataset":
        """The same dataset: elements are made when they are asked for."""
        return self

    def cache(self, filename: str = "", name: str | None = None) -> "Dataset":
        """The same elements, made only once and kept in memory."""
        kept: list = []

        def make() -> _PythonIterator:
            if kept:
                yield from kept[0]
                return
            seen = []
            for element in self._make():
                seen.append(element)
                yield element
            kept.append(seen)

        return Dataset(make, self._count)

    # ---- out of it

    def reduce(self, initial_state: Any, reduce_func: Callable, name: str | None = None) -> Any:
        """The last state of `reduce_func(state, element)`.

        >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x).numpy()
        np.int64(10)
        """
        state = _element(initial_state)
        for element in self._make():
            with unobserved():
                state = _element(reduce_func(state, element))
        return state

    def as_numpy_iterator(self) -> _PythonIterator:
        """The elements as NumPy arrays."""
        return (nest.map_structure(lambda leaf: leaf.numpy(), e) for e in self._make())

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; raises InvalidArgumentError unless there is exactly one."""
        found = list(itertools.islice(self._make(), 2))
        if len(found) != 1:
            raise InvalidArgumentError(None, None, f"The dataset had {'no' if not found else 'more than one'} element.")
        return found[0]


def _flat_upto(signature: Any, element: Any) -> _PythonIterator:
    """The parts of `element` that stand where `signature` has leaves."""
    if isinstance(signature, dict):
        for key in sorted(signature):
            yield from _flat_upto(signature[key], element[key])
    elif isinstance(signature, (list, tuple)):
        for inner, part in zip(signature, element, strict=True):
            yield from _flat_upto(inner, part)
    else:
        yield element


def _typed(value: Any, dtype: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    array = np.asarray(value)
    return to_tensor(array if array.dtype.kind in "SUO" else array.astype(dtype.np), dtype)
