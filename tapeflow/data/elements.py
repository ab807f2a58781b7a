"""What flows through a pipeline: elements, which are tensors in tuples and dicts; how they are stacked, and what
functions make of them."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from typing import Any

import numpy as np

from tapeflow.api.ragged import stack as ragged_stack
from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import CompositeTensor, spec_of
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.frames import Frame, current, enter, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random import streams
from tapeflow.core.runtime.contexts import INHERITED
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

from .arguments import check_takes


class Opaque:
    """What may be an element, or a part of one, and is not made of tensors: a dataset, an optional."""


def element(value: Any) -> Any:
    """An element as datasets hold it: tensors in tuples and dicts, of which no tape knows. A list is one tensor."""
    kind = type(value)
    if kind is EagerTensor:
        return EagerTensor(value.array) if value.serial else value
    if kind is tuple:
        return tuple([element(v) for v in value])
    if isinstance(value, dict):
        return nest.rebuilt(value, [element(value[key]) for key in nest.sorted_keys(value)])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[element(v) for v in value])
    if value is None or isinstance(value, (CompositeTensor, Opaque)) and not isinstance(value, IndexedSlices):
        return value
    if hasattr(kind, "__tf_flatten__") or hasattr(kind, "__attrs_attrs__"):
        return nest.rebuilt(value, [element(v) for v in nest.children(value) or ()])
    tensor = as_tensor(value)
    # Elements are on the host, also those that were made on a device.
    return EagerTensor(tensor.array) if isinstance(tensor, EagerTensor) else ops.stop_gradient(tensor)


def result(value: Any) -> Any:
    """What a function returned as an element. A list of tensors is taken for a tuple: they need not have the same
    shape."""
    return element(tuple(value) if type(value) is list else value)


def applied(function: Callable, value: Any) -> Any:
    """`function` of an element, whose parts are its arguments when it is a plain tuple. No tape watches."""
    frame = current()
    if frame.audience:
        with entered(frame.silent()):
            return function(*value) if type(value) is tuple else function(value)
    return function(*value) if type(value) is tuple else function(value)


# ---- random numbers in functions


_MASK = 2**64 - 1


class _ElementStream(streams.Stream):
    """The random numbers drawn while one element is made. They depend on the dataset, the iteration and the element's
    place, and so neither on what other threads draw nor on which of them makes the element."""

    __slots__ = ("place", "counts")

    def __init__(self, seed: int, place: int) -> None:
        self.seed, self.place, self.counts = seed, place, {}

    def next_key(self, source: streams.Draw | streams.Site) -> np.ndarray:
        """Drawn from the dataset's seed and what tells this draw from others: the operation's seeds, and how many it
        made before."""
        own = source.seeds if type(source) is streams.Site else source.seed
        count = self.counts.get(own, 0)
        self.counts[own] = count + 1
        return streams.scrambled(
            np.array((self.seed ^ hash(own) & _MASK, (self.place << 24) + count & _MASK), np.uint64)
        )

    def seeds(self, own: int | None) -> tuple[int, int]:
        return tuple([int(w) >> 33 for w in self.next_key(streams.Draw(own))[1:]])

    def copy(self) -> "_ElementStream":
        twin = _ElementStream(self.seed, self.place)
        twin.counts = dict(self.counts)
        return twin


class Calls:
    """A user's function as a pipeline calls it: eagerly, and watched by nobody. `calls.begin()` gives, for one
    iteration, `call(place, element)`; with `parallel=True` one that several threads may call at a time."""

    def __init__(self, function: Callable, convert: Callable = result) -> None:
        self._function, self._convert = function, convert
        self._words = [int(w) for w in streams.next_key()]
        self._iterations = itertools.count()

    def begin(self, parallel: bool = False) -> Callable[[int, Any], Any]:
        words = np.random.SeedSequence(self._words, spawn_key=(next(self._iterations),)).generate_state(2, np.uint64)
        seed, function, convert = int(words[0]), self._function, self._convert
        stream = _ElementStream(seed, 0)
        context = copy_context()  # entering it costs a fifth of setting its variables for every element
        context.run(_prepare, stream)

        def made(value: Any) -> Any:
            try:
                found = function(*value) if type(value) is tuple else function(value)
            except TypeError:
                check_takes(function, value)
                raise
            return convert(found)

        def call(place: int, value: Any) -> Any:
            stream.place = place
            stream.counts.clear()
            if INHERITED:  # what was prepared counts in one thread, and this may be another
                context.run(_prepare, stream)
            return context.run(made, value)

        def call_alone(place: int, value: Any) -> Any:
            own = context.copy()
            own.run(_prepare, _ElementStream(seed, place))
            return own.run(made, value)

        return call_alone if parallel else call


def _prepare(stream: _ElementStream) -> None:
    """In a context of its own: eager, with nobody watching, and random numbers from the stream."""
    enter(Frame())
    streams.Replay(stream).__enter__()


# ---- many into one


def leaves_of(value: Any) -> list:
    """The tensors of an element; a list of its own for the frequent ones, which need no walk."""
    if type(value) is EagerTensor:
        return [value]
    if type(value) is tuple and all(type(v) is EagerTensor for v in value):
        return list(value)
    return nest.flatten(value)


def packed_like(structure: Any, leaves: list) -> Any:
    if type(structure) is EagerTensor:
        return leaves[0]
    if type(structure) is tuple and len(structure) == len(leaves) and all(type(v) is EagerTensor for v in structure):
        return tuple(leaves)
    return nest.pack_as(structure, leaves)


def stacked(elements: Sequence, ragged: frozenset[int] = frozenset()) -> Any:
    """Elements as one, with a new first axis. The leaves whose number is in `ragged` may have different lengths."""
    columns = zip(*[leaves_of(e) for e in elements], strict=True)
    return packed_like(elements[0], [_column(list(column), k, k in ragged) for k, column in enumerate(columns)])


def _column(parts: list, component: int, ragged: bool) -> Any:
    first = parts[0]
    if first is None:
        return None
    if ragged:
        return ragged_stack(parts)
    if isinstance(first, CompositeTensor):
        return spec_of(first).__stacked__(parts)
    if not isinstance(first, Tensor):
        raise TypeError(f"Component {component} of the elements is a {type(first).__name__}, which cannot be batched.")
    return EagerTensor(stacked_arrays([part.array for part in parts], component))


def stacked_arrays(arrays: list, component: int = 0) -> np.ndarray:
    first = arrays[0]
    for k, array in enumerate(arrays):
        if array.shape != first.shape:
            raise InvalidArgumentError(
                None, None,
                f"Cannot batch tensors with different shapes in component {component}. First element had shape "
                f"{list(first.shape)} and element {k} had shape {list(array.shape)}. Use padded_batch, which fills "
                "up, or ragged_batch.",
            )  # fmt: skip
        if array.dtype != first.dtype:
            raise InvalidArgumentError(
                None, None,
                f"Cannot batch tensors with different dtypes in component {component}. First element was "
                f"{first.dtype} and element {k} {array.dtype}.",
            )  # fmt: skip
    if first.ndim == 0:
        if first.dtype.kind == "O":
            return strings([array[()] for array in arrays])
        return np.array(arrays, first.dtype)
    return np.concatenate(arrays).reshape(len(arrays), *first.shape)  # half the time of np.stack


def strings(values: list[bytes]) -> np.ndarray:
    made = np.empty(len(values), object)
    made[:] = values
    return made


def string_scalar(value: bytes) -> EagerTensor:
    made = np.empty((), object)
    made[()] = value
    return EagerTensor(made)


def rows_of(value: Any) -> Iterator:
    """The rows of an element, each an element."""
    leaves = leaves_of(value)
    return (packed_like(value, [row(leaf, i) for leaf in leaves]) for i in range(rows_count(leaves)))


def rows_count(leaves: list) -> int:
    """How many rows all of them have."""
    found: int | None = None
    for leaf in leaves:
        if leaf is None:
            continue
        if isinstance(leaf, CompositeTensor):
            count = spec_of(leaf).__row_count__(leaf)
        elif sizes_of(leaf).rank == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1: a scalar has no rows.")
        else:
            count = sizes_of(leaf)[0]
        if found is not None and int(count) != found:
            sizes = [x.sizes[0] for x in leaves if hasattr(x, "sizes")]
            raise ValueError(
                f"Dimensions {found} and {int(count)} are not compatible: all tensors need the same number of rows, "
                f"these have {sizes}."
            )
        found = int(count)
    if found is None:
        raise ValueError("Invalid `element`. `element` should not be empty: there is no tensor to take rows of.")
    return found


def row(leaf: Any, i: int) -> Any:
    if type(leaf) is EagerTensor:
        part = leaf.array[i]
        return EagerTensor(part) if isinstance(part, (np.ndarray, np.generic)) else string_scalar(part)
    if leaf is None:
        return leaf
    return spec_of(leaf).__row__(leaf, i) if isinstance(leaf, CompositeTensor) else leaf[i]
