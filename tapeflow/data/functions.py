"""`map`, `filter`, `flat_map`, `interleave`, …: datasets whose elements a user's function makes or judges."""

import itertools
import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, overload

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core.dtypes import bool_, int64
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import EagerTensor, Tensor

from . import element_specs
from .arguments import check_takes_elements
from .element_specs import Cell
from .elements import Calls, applied, element, result
from .interleaving import interleaved
from .iterators import Element
from .pipeline import AUTOTUNE, Pipeline, check_dataset, positive, whole_number
from .threads import Parallel, ReadAhead, auto_workers

if TYPE_CHECKING:
    from .dataset import Dataset

_AHEAD = 4  # elements that AUTOTUNE reads ahead


R = TypeVar("R")
Parts = TypeVarTuple("Parts")


class Functions(Pipeline[Element]):
    """`map`, `filter`, `flat_map`, `interleave`, `scan`, `take_while`, `prefetch`, …"""

    @overload
    def map(
        self: "Functions[tuple[*Parts]]", map_func: Callable[[*Parts], R], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False, name: str | None = None,
    ) -> "Dataset[R]": ...  # fmt: skip
    @overload
    def map(
        self, map_func: Callable[[Element], R], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False, name: str | None = None,
    ) -> "Dataset[R]": ...  # fmt: skip
    @overload
    def map(
        self, map_func: Callable[..., R], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False, name: str | None = None,
    ) -> "Dataset[R]": ...  # fmt: skip
    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool | None = False,
        name: str | None = None,
    ) -> "Dataset[Any]":
        """`map_func` of every element; the parts of a tuple are its arguments.

        With `num_parallel_calls` that many threads call it, AUTOTUNE chooses how many; a function that takes no time
        is soon called without. `deterministic=False` gives elements in the order in which they are ready. Random
        numbers drawn in the function follow `tf.random.set_seed`, whichever thread draws them, and are others in every
        iteration.

        Args:
            map_func: A function of an element; a list of tensors that it returns counts as a tuple.
            num_parallel_calls: How many threads call it; None for none, `tf.data.AUTOTUNE` to have the number chosen.
            deterministic: False gives elements as they are ready; None leaves it to `tf.data.Options`, whose default
                is in order.
            synchronous: Taken and not used: without `num_parallel_calls` calls are made by the thread that reads.
            use_unbounded_threadpool: Taken and not used.

        >>> ds = tf.data.Dataset.from_tensor_slices(([1, 2], [10, 20]))
        >>> ds = ds.map(lambda x, y: {"sum": x + y}, num_parallel_calls=2)
        >>> [e["sum"].numpy().item() for e in ds]
        [11, 22]
        """
        if not callable(map_func):
            raise TypeError(f"`map_func` must be callable, got {map_func!r}.")
        check_takes_elements(map_func, self._spec.known)
        workers = None if num_parallel_calls is None else whole_number(num_parallel_calls)
        if workers is not None and workers != AUTOTUNE:
            positive(workers, "num_parallel_calls must be greater than zero.")
        calls = Calls(map_func)

        def make() -> Iterator:
            ordered = (self.options().deterministic if deterministic is None else deterministic) is not False
            if workers is None:
                return map(calls.begin(), itertools.count(), self._make())
            return Parallel(
                calls.begin(parallel=True), self._make(), auto_workers() if workers == AUTOTUNE else workers, ordered
            )

        peek = lambda: (applied(map_func, e) for e in self._make())
        spec = Cell(find=lambda: element_specs.mapped(map_func, self.element_spec, peek))
        return self._next(make, self._count, spec, "Map" if workers is None else "ParallelMap")

    @overload
    def filter(
        self: "Functions[tuple[*Parts]]", predicate: Callable[[*Parts], Any], name: str | None = None
    ) -> "Dataset[tuple[*Parts]]": ...
    @overload
    def filter(self, predicate: Callable[[Element], Any], name: str | None = None) -> "Dataset[Element]": ...
    @overload
    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> "Dataset[Element]": ...
    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> "Dataset[Any]":
        """The elements for which `predicate`, a function to a boolean, is true.

        Args:
            predicate: A function of an element that returns a scalar bool tensor.

        Raises:
            ValueError: If, while iterating, `predicate` returns something else.

        >>> list(tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0).as_numpy_iterator())
        [np.int64(0), np.int64(2), np.int64(4)]
        """
        check_takes_elements(predicate, self._spec.known)
        calls = Calls(predicate, _truth)

        def make() -> Iterator:
            call, places = calls.begin(), itertools.count()
            return filter(lambda e: call(next(places), e), self._make())

        return self._next(make, None, self._spec, "Filter")

    def take_while(
        self, predicate: Callable[[Element], Any] | Callable[..., Any], name: str | None = None
    ) -> "Dataset[Element]":
        """The elements before the first for which `predicate` is false.

        Args:
            predicate: A function of an element that returns a scalar bool tensor.

        >>> list(tf.data.Dataset.range(9).take_while(lambda x: x < 2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        check_takes_elements(predicate, self._spec.known)
        make = lambda: itertools.takewhile(lambda e: _truth(applied(predicate, e)), self._make())
        return self._next(make, None, self._spec, "TakeWhile")

    @overload
    def flat_map(
        self: "Functions[tuple[*Parts]]", map_func: Callable[[*Parts], "Dataset[R]"], name: str | None = None
    ) -> "Dataset[R]": ...
    @overload
    def flat_map(self, map_func: Callable[[Element], "Dataset[R]"], name: str | None = None) -> "Dataset[R]": ...
    @overload
    def flat_map(self, map_func: Callable[..., "Dataset[R]"], name: str | None = None) -> "Dataset[R]": ...
    def flat_map(self, map_func: Callable[..., "Dataset[R]"], name: str | None = None) -> "Dataset[R]":
        """The elements of the datasets that `map_func` makes of every element, one dataset after the other.

        Args:
            map_func: A function of an element that returns a dataset.

        >>> ds = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
        >>> list(ds.flat_map(tf.data.Dataset.from_tensor_slices).as_numpy_iterator())
        [np.int32(1), np.int32(2), np.int32(3), np.int32(4)]
        """
        check_takes_elements(map_func, self._spec.known)
        calls = Calls(map_func, lambda made: check_dataset(made, "flat_map")._make())
        make = lambda: itertools.chain.from_iterable(map(calls.begin(), itertools.count(), self._make()))
        return self._next(make, None, self._spec_of_parts(map_func, make), "FlatMap")

    @overload
    def interleave(
        self: "Functions[tuple[*Parts]]", map_func: Callable[[*Parts], "Dataset[R]"],
        cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> "Dataset[R]": ...  # fmt: skip
    @overload
    def interleave(
        self, map_func: Callable[[Element], "Dataset[R]"],
        cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> "Dataset[R]": ...  # fmt: skip
    @overload
    def interleave(
        self, map_func: Callable[..., "Dataset[R]"],
        cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> "Dataset[R]": ...  # fmt: skip
    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> "Dataset[Any]":
        """As `flat_map`, with `cycle_length` of the datasets read in turn, `block_length` elements at a time.

        With `num_parallel_calls` a thread for each of them reads ahead; the order is the same.

        Args:
            map_func: A function of an element that returns a dataset.
            cycle_length: How many datasets are open at a time; None and `tf.data.AUTOTUNE` take the number of
                processors.
            block_length: How many elements of one dataset come in a row; 1 by default.
            num_parallel_calls: Anything but None has a thread for each open dataset, however large the number.
            deterministic: Taken and not used: the order is always the same.

        >>> thrice = lambda x: tf.data.Dataset.from_tensors(x).repeat(3)
        >>> ds = tf.data.Dataset.range(2).interleave(thrice, cycle_length=2, block_length=2)
        >>> [x.numpy().item() for x in ds]
        [0, 0, 1, 1, 0, 1]
        """
        slots = None if cycle_length is None or whole_number(cycle_length) == AUTOTUNE else whole_number(cycle_length)
        if slots is not None:
            positive(slots, "cycle_length must be greater than zero.")
        block = 1 if block_length is None else positive(block_length, "block_length must be greater than zero.")
        if num_parallel_calls is not None and whole_number(num_parallel_calls) != AUTOTUNE:
            positive(num_parallel_calls, "num_parallel_calls must be greater than zero.")
        check_takes_elements(map_func, self._spec.known)
        calls = Calls(map_func, lambda made: check_dataset(made, "interleave")._make)

        def make() -> Iterator:
            makers = map(calls.begin(), itertools.count(), self._make())
            return interleaved(makers, slots, block, num_parallel_calls is not None)

        return self._next(make, None, self._spec_of_parts(map_func, make), "Interleave")

    def _spec_of_parts(self, map_func: Callable, make: Callable) -> Cell:
        return Cell(find=lambda: element_specs.element_spec_of_results(map_func, self.element_spec, make))

    def scan(
        self, initial_state: Any, scan_func: Callable[[Any, Element], tuple[Any, R]], name: str | None = None
    ) -> "Dataset[R]":
        """`scan_func(state, element)` gives the next state and an element of the new dataset.

        Args:
            initial_state: The first state: a tensor, or tuples and dicts of them.
            scan_func: A function of a state and an element that returns a pair: the next state, and an element.

        >>> total = tf.data.Dataset.range(1, 5).scan(np.int64(0), lambda s, x: (s + x, s + x))
        >>> [x.numpy().item() for x in total]
        [1, 3, 6, 10]
        """
        first = element(initial_state)

        def make() -> Iterator:
            state = first
            for value in self._make():
                pair = applied(scan_func, (state, value))
                if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                    raise TypeError(
                        f"`scan_func` must return a pair, the new state and an output element; it returned {pair!r}."
                    )
                state = element(pair[0])
                yield result(pair[1])

        output = lambda state, value: scan_func(state, value)[1]
        find = lambda: element_specs.mapped(output, (element_specs.spec_of(first), self.element_spec), make)
        return self._next(make, self._count, Cell(find=find), "Scan")

    def enumerate(self, start: Any = 0, name: str | None = None) -> "Dataset[tuple[Tensor, Element]]":
        """Pairs of a number, from `start`, and an element.

        Args:
            start: The number of the first element.

        >>> ds = tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=5)
        >>> [(i.numpy().item(), x.numpy()) for i, x in ds]
        [(5, b'a'), (6, b'b')]
        """
        first = whole_number(start)
        make = lambda: ((EagerTensor(np.int64(i)), e) for i, e in enumerate(self._make(), first))
        return self._next(
            make, self._count, self._spec.then(lambda known: (TensorSpec([], int64), known)), "Enumerate"
        )

    def apply(self, transformation_func: Callable[[Any], "Dataset[R]"]) -> "Dataset[R]":
        """`transformation_func` of the whole dataset.

        Args:
            transformation_func: A function of a dataset that returns a dataset.

        Raises:
            TypeError: If it returns something else.

        >>> len(tf.data.Dataset.range(10).apply(lambda ds: ds.take(3)))
        3
        """
        return check_dataset(transformation_func(self), "apply")

    def prefetch(self, buffer_size: Any, name: str | None = None) -> "Dataset[Element]":
        """The same elements, made by a thread that is at most `buffer_size` ahead. It ends with the iterator.

        Args:
            buffer_size: How many elements may wait; `tf.data.AUTOTUNE` takes four, 0 does nothing.

        >>> len(list(tf.data.Dataset.range(10).prefetch(tf.data.AUTOTUNE)))
        10
        """
        given = None if buffer_size is None else whole_number(buffer_size)
        if given is not None and given < AUTOTUNE:
            raise InvalidArgumentError(
                None, None, f"buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, got {given}."
            )
        size = _AHEAD if given in (None, AUTOTUNE) else given
        return self._next(
            (lambda: ReadAhead(self._make, size)) if size else self._make, self._count, self._spec, "Prefetch"
        )

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> "Dataset[Element]":
        """Without the elements that raise an error when they are made.

        Args:
            log_warning: True writes a warning to the log for every element that is left out.

        >>> ds = tf.data.Dataset.from_tensor_slices([1., 0., 4.])
        >>> ds = ds.map(lambda x: tf.debugging.check_numerics(1. / x, "bad"))
        >>> [x.numpy().item() for x in ds.ignore_errors()]
        [1.0, 0.25]
        """

        def make() -> Iterator:
            elements = self._make()
            while True:
                try:
                    value = next(elements)
                except StopIteration:
                    return
                except Exception as error:
                    if log_warning:
                        _warn(error)
                else:
                    yield value

        return self._next(make, None, self._spec, "IgnoreErrors")


def _warn(error: Exception) -> None:
    logging.getLogger("tapeflow").warning(
        "tf.data: an element was left out, its error: %s: %s", type(error).__name__, error
    )


def _truth(value: Any) -> bool:
    tensor = value if isinstance(value, EagerTensor) else element(value)
    if getattr(tensor, "dtype", None) is not bool_ or tensor.ndim:
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
            f"{element_specs.spec_of(tensor)}."
        )
    return bool(tensor.array)
