"""The operations inside functions, branches and loops: a tape records a call as one operation, and the function's
graph has lines, scopes and shapes from its trace. They are looked up when somebody asks, so that they cost a call
nothing."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from tapeflow.core.frames import current
from tapeflow.core.record import Inside
from tapeflow.core.tensor import Tensor
from tapeflow.function.tracing.graph import Graph
from tapeflow.tape.recording import Recording

from .profile import Skeleton
from .provenance import Origin


def with_inner(recording: Recording) -> list[Recording]:
    """A tape, and those over the graphs of what it recorded, and of what is in them."""
    found = {recording: None}
    todo = [recording]
    while todo:
        for _, _, pullback, _ in todo.pop().records:
            for part in () if pullback.inside is None else pullback.inside():
                if not part.again and part.recording not in found:
                    found[part.recording] = None
                    todo.append(part.recording)
    return list(found)


def origins_of(graph: Graph, outer: str = "", part: str = "") -> dict[int, Origin]:
    """Where the symbols of a graph came from, by id. Of a part, that stands in its scopes in the place of the `outer`
    one."""
    found: dict[int, Origin] = {}
    for node in graph.nodes:
        symbols = [graph.symbols[p] for p in node.outputs]
        result = ", ".join(f"{y.dtype.name} {tuple(y.shape)}" for y in symbols)
        scope = node.scope
        if part:
            rest = scope.removeprefix(outer).strip("/") if f"{scope}/".startswith(f"{outer}/") or not outer else scope
            scope = "/".join(filter(None, [outer, part, rest]))
        origin = Origin(node.prim.name, (), node.place, scope, 0, 0.0, result)
        found.update(dict.fromkeys([y.serial for y in symbols], origin))
    return found


def origins_here() -> dict[int, Origin]:
    """Of what has been traced so far, where a function is being traced."""
    executor = current().executor
    return origins_of(executor) if isinstance(executor, Graph) else {}


class Opened:
    """Skeletons of a tape, and in the place of each call those of what is in it: with the origins of all, and which
    outputs of calls are `same` as what inside. What is in branches and loops comes before the operation that chooses
    or repeats, each of them once."""

    def __init__(self, skeletons: Iterable[Skeleton], origins: Mapping[int, Origin]) -> None:
        self._origins: dict[int, Origin] = {}
        self.origins: Mapping[int, Origin] = ChainMap(self._origins, cast(dict, origins))
        self.same: dict[int, int] = {}
        self.skeletons: list[Skeleton] = []
        self._flows: dict[tuple, Skeleton] = {}  # by what they are called, and read
        for skeleton in skeletons:
            self._add(skeleton)

    def _add(self, skeleton: Skeleton) -> None:
        parts = () if skeleton[4] is None else skeleton[4]()
        if not parts:
            self.skeletons.append(skeleton)
        elif not parts[0].name:
            self._call(skeleton, parts[0])
        elif not parts[0].again or not self._joined(skeleton):
            self._flow(skeleton, parts)

    def _call(self, call: Skeleton, inside: Inside) -> None:
        made, read, title, arrays, _ = call
        ids = dict(zip([x.serial for x in inside.inputs], _several(read)))
        held = dict(zip([y.serial for y in inside.outputs], arrays))  # each is one array
        found = self._within(inside, ids, origins_of(inside.graph), held)
        results = dict(zip(_several(made), inside.results))
        self.same.update({i: ids[y.serial] for i, y in results.items() if i and y.serial in ids})
        if not found or not self.same.keys() >= results.keys() - {0}:  # it is more than what is inside
            found.append((tuple(results.keys() - self.same.keys()), read, title, [], None))
        found[-1][3].extend(held.values())
        for skeleton in found:
            self._add(skeleton)

    def _flow(self, flow: Skeleton, parts: Iterable[Inside]) -> None:
        made, read, title, arrays, _ = flow
        origin = next((self.origins[i] for i in _several(made) if i in self.origins), None)
        ends: dict[int, None] = {}
        first = len(self.skeletons)
        for part in parts:
            ids = dict(zip([x.serial for x in part.inputs], _several(read)))
            scope = f"{title}/{part.name.removesuffix(f' of {title}').removeprefix('the ')}"
            origins = origins_of(part.graph, "" if origin is None else origin.scope, scope)
            for skeleton in self._within(part, ids, origins, {}):
                self._add(skeleton)
            ends.update(dict.fromkeys([ids[y.serial] for y in part.results if y.serial in ids]))
        used = {i for _, inputs, *_ in self.skeletons[first:] for i in _several(inputs)}
        ends.update(dict.fromkeys([i for i in _several(read) if i not in used]))
        self.skeletons.append((made, tuple(ends), title, arrays, None))
        self._flows[title, _several(read)] = self.skeletons[-1]

    def _joined(self, again: Skeleton) -> bool:
        """What a version that keeps a history holds is that of the one before it, which is there already."""
        before = self._flows.get((again[2], _several(again[1])))
        if before is not None:
            before[3].extend(again[3])
        return before is not None

    def _within(
        self, inside: Inside, ids: dict[int, int], origins: dict[int, Origin], held: dict[int, tuple[int, int]]
    ) -> list[Skeleton]:
        """What is in it, for the ids of its inputs. `ids` gets those of everything in it; what is kept goes out of
        `held`."""

        def known_as(serial: int) -> int:
            """The function may be called again: what is inside has ids that nothing else has, below 0."""
            if serial not in ids:
                ids[serial] = -1 - len(self._origins)
                self._origins[ids[serial]] = origins[serial]
            return ids[serial]

        found: list[Skeleton] = []
        for out, inputs, pullback, saved in inside.recording.records:
            read = [known_as(i) for i in _several(inputs) if i in ids or i in origins]  # not what a loop begins with
            outputs = tuple([known_as(i) for i in _several(out or tuple(saved.ids)) if i])
            needed = set(_serials(saved if out else saved.saved))
            kept = [held.pop(serial) for serial in list(held) if serial in needed]
            found.append((outputs, tuple(read), pullback.title, kept, pullback.inside))
        return found


def _several(ids: Any) -> tuple[int, ...]:
    return (ids,) if type(ids) is int else ids


def _serials(saved: Any) -> Iterator[int]:
    for value in saved if isinstance(saved, (tuple, list)) else ():
        if isinstance(value, Tensor):
            yield value.serial
        elif isinstance(value, (tuple, list)):
            yield from _serials(value)
