"""The operations inside functions: a tape records a call as one operation, and the function's graph has lines, scopes
and shapes from its trace. They are looked up when somebody asks, so that they cost a call nothing."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from tapeflow.core.frames import current
from tapeflow.core.record import Inside
from tapeflow.core.tensor import Tensor
from tapeflow.function.tracing.graph import Graph

from .profile import Skeleton
from .provenance import Origin


def origins_of(graph: Graph) -> dict[int, Origin]:
    """Where the symbols of a graph came from, by id."""
    found: dict[int, Origin] = {}
    for node in graph.nodes:
        symbols = [graph.symbols[p] for p in node.outputs]
        result = ", ".join(f"{y.dtype.name} {tuple(y.shape)}" for y in symbols)
        origin = Origin(node.prim.name, (), node.place, node.scope, 0, 0.0, result)
        found.update(dict.fromkeys([y.serial for y in symbols], origin))
    return found


def origins_here() -> dict[int, Origin]:
    """Of what has been traced so far, where a function is being traced."""
    executor = current().executor
    return origins_of(executor) if isinstance(executor, Graph) else {}


class Opened:
    """Skeletons of a tape, and in the place of each call those of what is in it: with the origins of all, and which
    outputs of calls are `same` as what inside."""

    def __init__(self, skeletons: Iterable[Skeleton], origins: Mapping[int, Origin]) -> None:
        self._origins: dict[int, Origin] = {}
        self.origins: Mapping[int, Origin] = ChainMap(self._origins, cast(dict, origins))
        self.same: dict[int, int] = {}
        self.skeletons: list[Skeleton] = []
        for skeleton in skeletons:
            if skeleton[4] is None:
                self.skeletons.append(skeleton)
            else:
                self._go_in(skeleton, skeleton[4]())

    def _go_in(self, call: Skeleton, inside: Inside) -> None:
        made, read, title, arrays, _ = call
        origins = origins_of(inside.graph)
        ids = dict(zip([x.serial for x in inside.inputs], _several(read)))
        held = dict(zip([y.serial for y in inside.outputs], arrays))  # each is one array

        def known_as(serial: int) -> int:
            """The function may be called again: what is inside has ids that nothing else has, below 0."""
            if serial not in ids:
                ids[serial] = -1 - len(self._origins)
                self._origins[ids[serial]] = origins[serial]
            return ids[serial]

        found: list[Skeleton] = []
        for out, inputs, pullback, saved in inside.recording.records:
            outputs = tuple([known_as(i) for i in _several(out or tuple(saved.ids)) if i])
            needed = set(_serials(saved if out else saved.saved))
            kept = [held.pop(serial) for serial in list(held) if serial in needed]
            found.append((outputs, tuple([known_as(i) for i in _several(inputs)]), pullback.title, kept, None))
        results = dict(zip(_several(made), inside.results))
        self.same.update({i: ids[y.serial] for i, y in results.items() if i and y.serial in ids})
        if not found or not self.same.keys() >= results.keys() - {0}:  # it is more than what is inside
            found.append((tuple(results.keys() - self.same.keys()), read, title, [], None))
        found[-1][3].extend(held.values())
        self.skeletons.extend(found)


def _several(ids: Any) -> tuple[int, ...]:
    return (ids,) if type(ids) is int else ids


def _serials(saved: Any) -> Iterator[int]:
    for value in saved if isinstance(saved, (tuple, list)) else ():
        if isinstance(value, Tensor):
            yield value.serial
        elif isinstance(value, (tuple, list)):
            yield from _serials(value)
