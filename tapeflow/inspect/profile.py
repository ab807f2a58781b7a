"""A tape's records as data: one entry for each, with its operation, line, size, times and gradient. Summary and report
show it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tapeflow.core.record import Inside
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.tape.memory import bytes_of

_BINS = 24


class Entry(NamedTuple):
    """One record. `inputs` are the numbers of other entries; sources (what was watched or read) are entries, too,
    without inputs."""

    number: int
    tensor: int  # the id of its output, the first of several
    operation: str
    inputs: tuple[int, ...]
    result: str  # `float32 (3, 4)`, or "" where nobody was there to see
    kept: int  # bytes that the tape keeps alive for it
    line: str
    source: str  # the text of that line
    scope: str  # of Keras layers and tf.name_scope, as "model/dense"
    forward: float  # seconds
    watched: str = ""  # the name of a source

    @property
    def is_source(self) -> bool:
        return bool(self.watched)


# What is left of a record where its tensors are gone: id or ids of the outputs (0 for one without a gradient) and of
# the inputs, the title, identity and size of each array it kept, and of a call, what says what is in it. (A plain
# tuple: `keeping` makes one of each record, in notebooks.)
Skeleton: TypeAlias = tuple[
    int | tuple[int, ...], int | tuple[int, ...], str, list[tuple[int, int]], Callable[[], tuple[Inside, ...]] | None
]


def skeletons(records: list) -> list[Skeleton]:
    found: list[Skeleton] = []
    for out, inputs, pullback, saved in records:
        arrays: list[tuple[int, int]] = []
        for value in saved if out else saved.saved:
            if type(value) is EagerTensor and (array := value.array).base is None:  # nearly all of them
                arrays.append((id(array), array.nbytes))
            else:
                arrays.extend(arrays_of((value,)))
        found.append((out or tuple(saved.ids), inputs, pullback.title, arrays, pullback.inside))
    return found


def of_records(records: list, provenance: Any = None) -> list[Entry]:
    return of_skeletons(skeletons(records), {} if provenance is None else provenance.origins, {})


def of_skeletons(found: Iterable[Skeleton], origins: Mapping[int, Any], same: Mapping[int, int]) -> list[Entry]:
    """`origins`: where tensors came from, as far as somebody knows. `same`: other ids of some."""
    entries: list[Entry] = []
    numbers: dict[int, int] = {}
    seen: set[int] = set()
    for made, read, title, arrays, _ in found:
        outputs = tuple([i for i in (made if isinstance(made, tuple) else (made,)) if i])
        inputs = tuple([same.get(i, i) for i in (read if isinstance(read, tuple) else (read,))])
        for i in inputs:
            if i not in numbers:
                numbers[i] = len(entries)
                entries.append(_source(len(entries), i, origins.get(i)))
        tensor, number = outputs[0] if outputs else 0, len(entries)
        origin = origins.get(tensor)
        new = {key: nbytes for key, nbytes in arrays if key not in seen}
        seen.update(new)
        entries.append(
            Entry(
                number, tensor, title if origin is None else origin.operation,
                tuple([numbers[i] for i in inputs]), origin.result if origin else "", sum(new.values()),
                *_place(origin), origin.seconds if origin else 0.0,
            )
        )  # fmt: skip
        numbers.update(dict.fromkeys(outputs, number))
    return entries


def _source(number: int, tensor: int, origin: Any) -> Entry:
    return Entry(number, tensor, "source", (), origin.result if origin else "", 0, *_place(origin), 0.0, "source")


def _place(origin: Any) -> tuple[str, str, str]:
    """The line, its text, the scope."""
    if origin is None:
        return "", "", ""
    import linecache

    text = "" if origin.place is None else linecache.getline(*origin.place).strip()
    return origin.line, text, origin.scope


def arrays_of(saved: Any) -> Iterable[tuple[int, int]]:
    """(identity of the memory, bytes) of every array that a record keeps; views count as what they are views of."""
    for value in saved if isinstance(saved, (tuple, list)) else ():
        if isinstance(value, Tensor):
            held = getattr(value, "held", None)
            array = held if held is not None else getattr(value, "array", None)
            if array is not None and hasattr(array, "nbytes"):
                base = array
                while isinstance(getattr(base, "base", None), np.ndarray):
                    base = base.base
                yield id(base), base.nbytes
            elif not hasattr(value, "array"):  # of a graph: what a run will keep
                yield id(value), bytes_of(value)
        elif isinstance(value, (tuple, list)):
            yield from arrays_of(value)


def statistics(g: Any) -> tuple[float, tuple[list[int], float, float] | None]:
    """The norm of a gradient, and how its entries are distributed: (counts, from, to)."""
    parts = [_numbers(part) for part in (g if type(g) is tuple else (g,)) if part is not None]
    numbers = parts[0].ravel() if len(parts) == 1 else np.concatenate([p.ravel() for p in parts] or [np.zeros(0)])
    if not numbers.size:
        return 0.0, None
    with np.errstate(over="ignore"):
        norm = float(np.sqrt(np.sum(np.square(numbers, dtype=np.float64))))
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return norm, None
    low, high = float(finite.min()), float(finite.max())
    # Not np.histogram: it refuses ranges that are very narrow for their size.
    span = high - low
    shares = (finite.astype(np.float64) - low) / span if 0 < span < np.inf else np.full(finite.size, 0.5)
    counts = np.bincount(np.minimum((shares * _BINS).astype(np.intp), _BINS - 1), minlength=_BINS)
    return norm, (counts.tolist(), low, high)


def _numbers(g: Any) -> np.ndarray:
    values = g.values if isinstance(g, SparseGradient) else g
    array = np.asarray(getattr(values, "array", values))
    return array.astype(np.float64, copy=False) if array.dtype.kind != "c" else np.abs(array)
