"""The pictures of a report as data: a tree of boxes, and for each box that can be opened where everything in it is
drawn.

A box is known by a number: operations by their own, folded boxes by -1, -2, … (the root is -1). Arrows in a view stand
for all tensors that go from one box to another. What is outside of the opened box and connected with it is drawn, too,
at the edge.
"""

from collections import Counter, defaultdict
from typing import Any

from .folding import Box
from .layout import place
from .profile import Entry

_MOST_ARROWS = 3  # of one neighbour or source; where there are more, all but one are drawn only when it is chosen
_MOST_BRANCHES = 12  # of one operation or folded box
_MOST_NEIGHBOURS = 6  # on each side
_NARROWEST, _WIDEST = 112, 270  # boxes, in pixels
_BOLD, _PLAIN = 7.9, 6.6  # letters of the first and second line of a box

_Edges = Counter[tuple[int, int]]


def tree(root: Box, entries: list[Entry]) -> list[dict[str, Any]]:
    """One item for each folded box, the root first."""
    boxes: list[Box] = []
    above: dict[int, int] = {}  # the box around each box
    todo = [root]
    numbers: dict[int, int] = {}
    while todo:
        box = todo.pop(0)
        numbers[id(box)] = -len(boxes) - 1
        boxes.append(box)
        todo.extend(child for child in box.children if child.entry is None)
    number = lambda box: box.entry.number if box.entry is not None else numbers[id(box)]
    for box in boxes:
        above.update({number(child): numbers[id(box)] for child in box.children})
    inside, incoming, outgoing = _edges(entries, above)
    views = []
    for k, box in enumerate(boxes):
        me = -k - 1
        children = [number(child) for child in box.children]
        order = {number(child): child.order for child in box.children}
        view = _view(children, order, inside[me], incoming[me], outgoing[me])
        views.append(
            {
                "name": box.name,
                "kind": box.kind,
                "parent": above.get(me, 0),
                "children": children,
                "width": _width(box.children),
                **view,
            }
        )
    return views


def _width(boxes: list[Box]) -> int:
    """Of all boxes of a view: what their labels need."""
    second = lambda box: box.entry.result if box.entry is not None else "1,234 ops · 123 MB · 123 ms"
    widest = max((max(_BOLD * len(box.name), _PLAIN * len(second(box))) for box in boxes), default=0)
    return round(min(max(widest + 22, _NARROWEST), _WIDEST))


def _edges(
    entries: list[Entry], above: dict[int, int]
) -> tuple[dict[int, _Edges], dict[int, _Edges], dict[int, _Edges]]:
    """For each opened box: arrows between its boxes, arrows that come in, arrows that go out; of those, the other end
    is a box that the path to the common surrounding begins with."""
    inside, incoming, outgoing = defaultdict(Counter), defaultdict(Counter), defaultdict(Counter)
    paths: dict[int, list[int]] = {}  # from each box outwards to the root

    def path(i: int) -> list[int]:
        if i not in paths:
            paths[i] = [i, *path(above[i])] if i in above else [i]
        return paths[i]

    for entry in entries:
        for source in entry.inputs:
            a, b = path(source), path(entry.number)
            shared = 1
            while shared < min(len(a), len(b)) and a[-shared - 1] == b[-shared - 1]:
                shared += 1
            start, end = a[-shared - 1], b[-shared - 1]
            inside[a[-shared]][start, end] += 1
            for k in range(1, len(b) - shared):
                incoming[b[k]][start, b[k - 1]] += 1
            for k in range(1, len(a) - shared):
                outgoing[a[k]][a[k - 1], end] += 1
    return inside, incoming, outgoing


def _view(
    children: list[int], order: dict[int, float], inside: _Edges, incoming: _Edges, outgoing: _Edges
) -> dict[str, Any]:
    """Places of the children and of neighbours; arrows as [from, to, how many tensors, 1 if quiet, points on the
    way]."""
    sizes_in, sizes_out = Counter(), Counter()
    for (outer, _), n in incoming.items():
        sizes_in[outer] += n
    for (_, outer), n in outgoing.items():
        sizes_out[outer] += n
    before = [outer for outer, _ in sizes_in.most_common(_MOST_NEIGHBOURS)]
    after = [outer for outer, _ in sizes_out.most_common(_MOST_NEIGHBOURS)]
    order = {**order, **_before_users(order, inside)}
    middle = sorted(children, key=lambda i: order[i])
    at = {("in", i): k for k, i in enumerate(before)}
    at |= {("here", i): k for k, i in enumerate(middle, len(at))}
    at |= {("out", i): k for k, i in enumerate(after, len(at))}
    arrows: _Edges = Counter()
    for (a, b), n in inside.items():
        arrows[at["here", a], at["here", b]] += n
    for (a, b), n in incoming.items():
        if ("in", a) in at:
            arrows[at["in", a], at["here", b]] += n
    for (a, b), n in outgoing.items():
        if ("out", b) in at:
            arrows[at["here", a], at["out", b]] += n
    quiet = _quiet(arrows, len(before), len(before) + len(middle))
    drawn = [(min(e), max(e)) for e in arrows if e not in quiet]
    picture = place(len(at), drawn, _single(drawn, range(len(before), len(before) + len(middle))))
    edges = []
    for (a, b), n in arrows.items():
        way = picture.ways.get((min(a, b), max(a, b)), []) if (a, b) not in quiet else []
        points = [c for p in (way if a < b else way[::-1]) for c in p]
        edges.append([a, b, n, int((a, b) in quiet), *([points] if points else [])])
    return {
        "boxes": [i for _, i in at],
        "outside": [len(before), len(after)],
        "unseen": [len(sizes_in) - len(before), len(sizes_out) - len(after)],
        "places": [c for p in picture.places for c in p],
        "arrows": edges,
    }


def _single(drawn: list[tuple[int, int]], here: range) -> list[int]:
    """The boxes that no drawn arrow joins with another, but for arrows of sources."""
    fed = {b for _, b in drawn}
    joined = {a for a, b in drawn if a in here and b in here} | {b for a, b in drawn if a in here and a in fed}
    return [k for k in here if k not in joined]


def _before_users(order: dict[int, float], inside: _Edges) -> dict[int, float]:
    """What nothing here leads to (a source) comes just before the first that uses it."""
    ends = {b for _, b in inside}
    found: dict[int, float] = {}
    for a, b in inside:
        if a not in ends:
            found[a] = min(found.get(a, order[a]), order[b] - 0.5)
    return found


def _quiet(arrows: _Edges, first: int, last: int) -> set[tuple[int, int]]:
    """A weight that every step reads, the line that begins every step: their arrows would cover the picture, all but
    one are quiet."""
    fed = {b for _, b in arrows}
    touching = defaultdict(list)
    for a, b in sorted(arrows):
        touching[a].append((a, b))
        if b >= last:
            touching[b].append((a, b))
    quiet: set[tuple[int, int]] = set()
    for end, ends in touching.items():
        if len(ends) > (_MOST_BRANCHES if end in fed and first <= end < last else _MOST_ARROWS):
            quiet.update(ends[1:] if end < last else ends[:-1])
    return quiet
