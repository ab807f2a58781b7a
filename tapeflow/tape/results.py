"""From the sources that a program asks for to the records that lead there, and from what the walk found to what the
program gets."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.primitive import bare, recorded
from tapeflow.core.sizes import Size
from tapeflow.core.slices import SparseGradient, finished
from tapeflow.core.tensor import EagerTensor, Tensor, identify, sizes_of
from tapeflow.core.variables.variable import Variable

from . import seeds
from .accumulation import Sum, total
from .recording import Recording
from .walk import leading_to

# For type checkers. A gradient is a tensor. The `Any` is for IndexedSlices, of a variable that `tf.gather` read, and
# for None, of a source that the target does not depend on: programs that know better need not say so at every use.
Gradient: TypeAlias = Tensor | Any


def paths_to(sources: list, recording: Recording) -> tuple[list[list[int]], set[int], list]:
    """(ids of each source, all of them, the records that lead from them)."""
    ids, records = [source_ids(recording, source) for source in sources], recording.records
    every = set(ids[0]) if len(ids) == 1 else {i for group in ids for i in group}
    return ids, every, records if recording.watches_only(every) else leading_to(every, records)


def source_ids(recording: Recording, source: Any) -> list[int]:
    """Every id under which the source's gradient arrives: a variable has one for each of its reads."""
    if isinstance(source, Variable):
        return [source.serial, *recording.reads.get(source.serial, ())]
    return [source.serial or identify(source)]


def result(grads: dict[int, Any], ids: list[int], source: Any, plain: bool) -> Any:
    """What reached one source, as the caller gets it: a tensor, IndexedSlices, or None."""
    found = []
    for i in ids:
        if i in grads:
            found.append(grads[i])
    if not found:
        if not source.dtype.is_inexact:
            seeds.say_integer("source", source)
        return None
    g = found[0]
    if len(found) > 1 or type(g) is Sum:
        g = total(bare if plain else recorded, found)
    if type(g) is SparseGradient:
        return finished(g)
    if plain:
        wanted = source.dtype.np
        g = EagerTensor(g if g.dtype is wanted or g.dtype == wanted else g.astype(wanted))
    return g


def packed(sources: Any, found: list) -> Any:
    """The gradients in the structure of `sources`, composites as composites."""
    if isinstance(sources, (Tensor, Variable)):
        return found[0]
    leaves = nest.flatten(sources)
    if any(isinstance(leaf, CompositeTensor) for leaf in leaves):
        rest = iter(found)
        found = [_of_one(leaf, rest) for leaf in leaves]
    return nest.pack_as(sources, found)


def _of_one(leaf: Any, rest: Iterator) -> Any:
    """The gradient of a source; `rest` gives those of its parts."""
    if not isinstance(leaf, CompositeTensor):
        return next(rest)
    return leaf.__with_gradients__([_of_one(part, rest) for part in leaf.__gradient_parts__()])


def zeros_of(source: Any) -> Tensor:
    shape = tuple(sizes_of(source))
    if any(type(d) is Size for d in shape):
        return recorded.broadcast_to(EagerTensor(source.dtype.np.type(0)), shape=shape)
    return EagerTensor(np.zeros(shape, source.dtype.np))
