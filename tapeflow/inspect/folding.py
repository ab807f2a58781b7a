"""Grouping a tape's operations into boxes of a picture: by Keras layer and name scope, by line, by runs of operations.

The result is a tree. Whatever box is opened, no more than `MOST` are in it, so a picture of ten operations and one of
ten thousand are both readable.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from .profile import Entry

MOST = 60  # boxes in a view
_COMFORTABLE = 24  # where there are more, operations are folded by line if that helps
_MOST_SHARED = 8  # sources of a view that belong to none of its runs; more of them are folded


class Box:
    """An operation or a source (then it has an `entry` and no children), or several of them folded.

    `kind` is operation, source, layer, line, run or sources; `order` is when its first operation happened."""

    __slots__ = ("children", "count", "entry", "kind", "name", "order")

    def __init__(
        self, name: str, kind: str, children: "Sequence[Box]" = (), entry: Entry | None = None, count: int = 0
    ) -> None:
        self.name, self.kind, self.children, self.entry = name, kind, list(children), entry
        self.count = count  # which operation it is, from one on, sources left out
        self.order: int = entry.number if entry is not None else min([box.order for box in children], default=0)

    def leaves(self) -> "Iterator[Box]":
        todo = [self]
        while todo:
            box = todo.pop()
            if box.entry is not None:
                yield box
            todo.extend(reversed(box.children))


def by_layer(entries: list[Entry]) -> Box:
    """Layers and scopes as they are nested; what is in none of them stays in order, and is folded by line and by runs
    where it is too much."""
    users = _users(entries)
    root = Box("tape", "layer", _by_scope(_leaves(entries), 0, users))
    layers = [box for box in root.children if box.kind == "layer"]
    while len(layers) == 1 and len(root.children) + len(layers[0].children) <= MOST:  # a lone model is shown opened
        inside = layers[0]
        root.children = _ordered([*[box for box in root.children if box is not inside], *inside.children])
        layers = [box for box in inside.children if box.kind == "layer"]
    return root


def by_line(entries: list[Entry]) -> Box:
    """Everything that one line of the program did is one box, however often it ran."""
    users = _users(entries)
    groups: dict[str, list[Box]] = {}
    for leaf in _leaves(entries):
        groups.setdefault(leaf.entry.line or "no line known", []).append(leaf)  # type: ignore[union-attr]
    boxes = [Box(name, "line", _runs(group, users)) for name, group in groups.items()]
    return Box("tape", "line", _runs(boxes, users))


def _leaves(entries: list[Entry]) -> list[Box]:
    numbers = itertools.count(1)
    return [
        Box(e.watched, "source", entry=e)
        if e.is_source
        else Box(e.operation, "operation", entry=e, count=next(numbers))
        for e in entries
    ]


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
    """Boxes for what is in a scope `depth` names long: its inner scopes, and its own operations. A layer that is
    called several times is a box for each call, unless that is too much."""
    sources, operations = _split(leaves, lambda leaf: leaf.kind == "source")
    stretches = [
        (name, list(group)) for name, group in itertools.groupby(operations, key=lambda leaf: _scope_of(leaf, depth))
    ]
    if sum(1 if name else len(group) for name, group in stretches) > MOST:
        merged: dict[str, list[Box]] = {}
        for name, group in stretches:
            merged.setdefault(name, []).extend(group)
        stretches = list(merged.items())
    calls = Counter(name for name, _ in stretches)
    own = [leaf for name, group in stretches if not name or (calls[name] > 1 and len(group) == 1) for leaf in group]
    inner = [(name, group) for name, group in stretches if name and (calls[name] == 1 or len(group) > 1)]
    inside, outside = _split(sources, lambda leaf: bool(_scope_of(leaf, depth)))
    groups, shared = _with_sources([group for _, group in inner], inside, users)
    number = Counter[str]()
    layers = []
    for (name, _), group in zip(inner, groups):
        number[name] += 1
        layers.append(
            Box(f"{name} ({number[name]})" if number[name] > 1 else name, "layer", _by_scope(group, depth + 1, users))
        )
    own += outside
    if len(layers) + len(own) > _COMFORTABLE:
        own = _stretches(own, users)
    return _runs([*layers, *own, *_few(shared)], users)


def _scope_of(leaf: Box, depth: int) -> str:
    names = leaf.entry.scope.split("/")  # type: ignore[union-attr]
    return names[depth] if len(names) > depth else ""


def _line(leaf: Box) -> str | None:
    return leaf.entry.line  # type: ignore[union-attr]


def _stretches(leaves: list[Box], users: dict) -> list[Box]:
    """One box for what a line did before something else happened. Not where that would fold little (a loop of short
    lines), or all."""
    operations = [leaf for leaf in leaves if leaf.kind == "operation"]
    numbered = enumerate(operations)  # the difference to `count` grows where there was something else, in a layer
    together = lambda item: (item[1].count - item[0], item[1].entry.line)
    groups = itertools.groupby(numbered, key=together)
    stretches = [[leaf for _, leaf in group] for _, group in groups]
    if len(stretches) == 1 or 4 * len(stretches) > len(operations):
        return leaves
    full, shared = _with_sources(stretches, [leaf for leaf in leaves if leaf.kind == "source"], users)
    boxes = [
        group[0] if len(group) == 1 else Box(_line(group[-1]) or "no line known", "line", _runs(group, users))
        for group in full
    ]
    return [*boxes, *shared]


def _runs(boxes: list[Box], users: dict, most: int = MOST) -> list[Box]:
    """The boxes in order; where they are too many, runs of them, and runs of runs, all about equally long."""
    boxes = _ordered(boxes)
    if len(boxes) <= most:
        return boxes
    sources, others = _split(boxes, lambda box: box.kind == "source")
    if len(others) <= most - _MOST_SHARED:
        return _ordered([*others, *_few(sources)])
    levels = math.ceil(math.log(len(others)) / math.log(most))
    length = math.ceil(len(others) / math.ceil(len(others) ** (1 / levels)))
    chunks = [others[k : k + length] for k in range(0, len(others), length)]
    chunks, shared = _with_sources(chunks, sources, users)
    runs = [Box(_run_name(chunk), "run", _runs(chunk, users)) for chunk in chunks]
    return _ordered([*runs, *_few(shared)])


def _few(sources: list[Box]) -> list[Box]:
    return sources if len(sources) <= _MOST_SHARED else [Box(f"{len(sources)} sources", "sources", _chunked(sources))]


def _chunked(sources: list[Box]) -> list[Box]:
    if len(sources) <= MOST:
        return sources
    length = math.ceil(len(sources) / math.ceil(math.sqrt(len(sources))))
    length = max(length, math.ceil(len(sources) / MOST))
    parts = [sources[k : k + length] for k in range(0, len(sources), length)]
    return [Box(f"{part[0].name} … {part[-1].name}", "sources", _chunked(part)) for part in parts]


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
    operations = [leaf.count for box in chunk for leaf in box.leaves() if leaf.kind == "operation"]
    return (
        f"operations {min(operations):,} – {max(operations):,}"
        if operations
        else f"{chunk[0].name} … {chunk[-1].name}"
    )


def _split(boxes: list[Box], which: Callable[[Box], bool]) -> tuple[list[Box], list[Box]]:
    return [box for box in boxes if which(box)], [box for box in boxes if not which(box)]
