"""Which operations of a tape are drawn as one box: by Keras layer and name scope, by line of the program, by runs of operations.

The result is a tree. Whatever box is opened, no more than `MOST` are in it, so a picture of ten operations and one of ten thousand are
both readable.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from .profile import Entry

MOST = 60  # boxes in a view
_MOST_SHARED = 8  # sources of a view that belong to none of its runs; more of them are folded


class Box:
    """An operation or a source (then it has an `entry` and no children), or several of them folded.

    `kind` is operation, source, layer, line, run or sources; `order` is when its first operation happened."""

    __slots__ = ("children", "entry", "kind", "name", "order")

    def __init__(self, name: str, kind: str, children: "Sequence[Box]" = (), entry: Entry | None = None) -> None:
        self.name, self.kind, self.children, self.entry = name, kind, list(children), entry
        self.order: int = entry.number if entry is not None else min([box.order for box in children], default=0)

    def leaves(self) -> "Iterator[Box]":
        todo = [self]
        while todo:
            box = todo.pop()
            if box.entry is not None:
                yield box
            todo.extend(reversed(box.children))


def by_layer(entries: list[Entry]) -> Box:
    """Layers and scopes as they are nested; what is in none of them stays in order, and is folded by line and by runs where it is too much."""
    users = _users(entries)
    root = Box("tape", "layer", _by_scope([_leaf(e) for e in entries], 0, users))
    layers = [box for box in root.children if box.kind == "layer"]
    while len(layers) == 1 and len(root.children) + len(layers[0].children) <= MOST:  # a lone model is shown opened
        inside = layers[0]
        for box in inside.children:
            box.name = f"{inside.name}/{box.name}" if box.kind == "layer" else box.name
        root.children = _ordered([*[box for box in root.children if box is not inside], *inside.children])
        layers = [box for box in inside.children if box.kind == "layer"]
    return root


def by_line(entries: list[Entry]) -> Box:
    """Everything that one line of the program did is one box, however often it ran."""
    users = _users(entries)
    leaves = [_leaf(e) for e in entries]
    groups: dict[str, list[Box]] = {}
    for leaf in leaves:
        groups.setdefault(leaf.entry.line or "no line known", []).append(leaf)  # type: ignore[union-attr]
    boxes = [Box(name, "line", _runs(group, users)) for name, group in groups.items()]
    return Box("tape", "line", _runs(boxes, users))


def _leaf(entry: Entry) -> Box:
    return Box(entry.watched if entry.is_source else entry.operation, "source" if entry.is_source else "operation", entry=entry)


def _users(entries: list[Entry]) -> dict[int, set[int]]:
    """Of each source, the numbers of the operations that read it."""
    users: dict[int, set[int]] = {e.number: set() for e in entries if e.is_source}
    for entry in entries:
        for i in entry.inputs:
            if i in users:
                users[i].add(entry.number)
    return users


def _ordered(boxes: list[Box]) -> list[Box]:
    return sorted(boxes, key=lambda box: box.order)


def _by_scope(leaves: list[Box], depth: int, users: dict) -> list[Box]:
    """Boxes for what is in a scope `depth` names long: its inner scopes, and its own operations."""
    inner: dict[str, list[Box]] = {}
    own = []
    for leaf in leaves:
        names = leaf.entry.scope.split("/") if leaf.entry.scope else []  # type: ignore[union-attr]
        if len(names) > depth:
            inner.setdefault(names[depth], []).append(leaf)
        else:
            own.append(leaf)
    layers = [Box(name, "layer", _by_scope(members, depth + 1, users)) for name, members in inner.items()]
    if len(layers) + len(own) > MOST:
        own = _stretches(own, users)
    return _runs([*layers, *own], users)


def _stretches(leaves: list[Box], users: dict) -> list[Box]:
    """One box for what a line did before another line did something. Not where that would fold little (a loop of short lines), or all."""
    operations = [leaf for leaf in leaves if leaf.kind == "operation"]
    stretches = [list(group) for _, group in groupby(operations, key=lambda leaf: leaf.entry.line)]  # type: ignore[union-attr]
    if len(stretches) == 1 or 4 * len(stretches) > len(operations):
        return leaves
    groups, shared = _with_sources(stretches, [leaf for leaf in leaves if leaf.kind == "source"], users)
    boxes = [
        group[0] if len(group) == 1 else Box(group[-1].entry.line or "no line known", "line", _runs(group, users))  # type: ignore[union-attr]
        for group in groups
    ]
    return [*boxes, *shared]


def _runs(boxes: list[Box], users: dict, most: int = MOST) -> list[Box]:
    """The boxes in order; where they are too many, runs of them, and runs of runs, all about equally long."""
    boxes = _ordered(boxes)
    if len(boxes) <= most:
        return boxes
    sources, others = _split(boxes, lambda box: box.kind == "source")
    if len(others) <= most - _MOST_SHARED:
        return _ordered([*others, Box(f"{len(sources)} sources", "sources", _chunked(sources, users))])
    levels = math.ceil(math.log(len(others)) / math.log(most))
    length = math.ceil(len(others) / math.ceil(len(others) ** (1 / levels)))
    chunks = [others[k : k + length] for k in range(0, len(others), length)]
    chunks, shared = _with_sources(chunks, sources, users)
    runs = [Box(_run_name(chunk), "run", _runs(chunk, users)) for chunk in chunks]
    if len(shared) > _MOST_SHARED:
        shared = [Box(f"{len(shared)} sources", "sources", _chunked(shared, users))]
    return _ordered([*runs, *shared])


def _chunked(sources: list[Box], users: dict) -> list[Box]:
    if len(sources) <= MOST:
        return sources
    length = math.ceil(len(sources) / math.ceil(math.sqrt(len(sources))))
    length = max(length, math.ceil(len(sources) / MOST))
    parts = [sources[k : k + length] for k in range(0, len(sources), length)]
    return [Box(f"{part[0].name} … {part[-1].name}", "sources", _chunked(part, users)) for part in parts]


def _with_sources(groups: list[list[Box]], sources: list[Box], users: dict) -> tuple[list[list[Box]], list[Box]]:
    """Sources go to the group that uses them; those that several groups use stay outside."""
    group_of = {leaf.order: k for k, group in enumerate(groups) for box in group for leaf in box.leaves()}
    shared = []
    full = [list(group) for group in groups]
    for source in sources:
        at = {group_of.get(number, -1) for number in users.get(source.order, ())}
        if len(at) == 1 and (k := at.pop()) >= 0:
            full[k].append(source)
        else:
            shared.append(source)
    return [_ordered(group) for group in full], shared


def _run_name(chunk: list[Box]) -> str:
    named = [box.name for box in chunk if box.kind in ("layer", "line")]
    if len(named) * 2 > len(chunk):
        return f"{named[0]} … {named[-1]}"
    operations = [leaf.order for box in chunk for leaf in box.leaves() if leaf.kind == "operation"]
    return f"{min(operations):,} – {max(operations):,}" if operations else f"{chunk[0].name} … {chunk[-1].name}"


def _split(boxes: list[Box], which: Callable[[Box], bool]) -> tuple[list[Box], list[Box]]:
    return [box for box in boxes if which(box)], [box for box in boxes if not which(box)]
