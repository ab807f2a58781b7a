"""A tape's records as data: one entry for each, with its operation, line, size, times and gradient. Summary and report
show it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.record import Pullback
from tapeflow.core.slices import SparseGradient
from tapeflow.core.tensor import Tensor
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


def of_records(records: list, provenance: Any = None, names: dict[int, str] | None = None) -> list[Entry]:
    """`names`: of tensors that were watched, and of reads of variables, by id."""
    origins = {} if provenance is None else provenance.origins
    entries: list[Entry] = []
    numbers: dict[int, int] = {}
    seen: set[int] = set()
    for out, ids, pullback, saved in records:
        outs = [out] if out else [i for i in saved.ids if i]
        inputs = []
        for i in (ids,) if type(ids) is int else ids:
            if i not in numbers:
                numbers[i] = len(entries)
                entries.append(_source(len(entries), i, origins.get(i), (names or {}).get(i, "source")))
            inputs.append(numbers[i])
        origin = origins.get(outs[0] if outs else 0)
        arrays = {key: nbytes for key, nbytes in arrays_of(saved if out else saved.saved) if key not in seen}
        seen.update(arrays)
        kept = sum(arrays.values())
        number = len(entries)
        tensor, result, seconds = (
            outs[0] if outs else 0,
            origin.result if origin else "",
            origin.seconds if origin else 0.0,
        )
        operation = _operation(pullback, origin)
        entries.append(Entry(number, tensor, operation, tuple(inputs), result, kept, *_place(origin), seconds))
        numbers.update(dict.fromkeys(outs, number))
    return entries


def _source(number: int, tensor: int, origin: Any, name: str) -> Entry:
    return Entry(number, tensor, "source", (), origin.result if origin else "", 0, *_place(origin), 0.0, name)


def _place(origin: Any) -> tuple[str, str, str]:
    """The line, its text, the scope."""
    if origin is None:
        return "", "", ""
    import linecache

    text = "" if origin.place is None else linecache.getline(*origin.place).strip()
    return origin.line, text, origin.scope


def _operation(pullback: Pullback, origin: Any) -> str:
    """By the provenance; else by what the record itself says."""
    return pullback.title if origin is None else origin.operation


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
