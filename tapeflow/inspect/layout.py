"""Layered graph layout: where boxes and arrows of a picture go, computed by `fast-sugiyama`.

Why this one: it has no dependencies, a wheel of 0.3 MB, a licence like ours (igraph, which is faster, and grandalf are
GPL or EPL; rustworkx has no layered layout; pydot needs a Graphviz program), and it says where long edges go around
boxes. It is only ever asked for one view, some dozens of boxes.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

_WIDEST_ROW = 5  # boxes, where it can be helped
_UNIT = 100.0  # between neighbours, for the library


class Picture(NamedTuple):
    """In units of one box and the gap after it: places of boxes by number, and, of edges that go around others, the
    points on their way."""

    places: list[tuple[float, float]]
    ways: dict[tuple[int, int], list[tuple[float, float]]]


def library() -> Callable:
    try:
        from fast_sugiyama import from_edges
    except ImportError as error:
        raise ImportError(
            "tape.report needs the library fast-sugiyama to draw the recorded graph: pip install fast-sugiyama"
        ) from error
    return from_edges


def place(count: int, edges: list[tuple[int, int]], single: list[int]) -> Picture:
    """Boxes 0 … count-1, each edge from a lower number to a higher one. Those that are `single` (no edge leads to
    another of them) are put into rows, in order."""
    from_edges = library()
    edges = list(dict.fromkeys(edges))
    extra = list(zip(single, single[_WIDEST_ROW:]))  # not drawn: they only say what is above what
    picture, rows = _placed(from_edges, count, edges, extra)
    for _ in range(3):
        wide = [row for row in rows if len(row) > _WIDEST_ROW]
        # A box of a row goes below the one that is a few places before it. Rows come out shorter, unless arrows then
        # need the room.
        extra += [e for row in wide for e in zip(row, row[_WIDEST_ROW:])]
        other, rows = _placed(from_edges, count, edges, extra) if wide else (picture, rows)
        if _width(other) > 0.8 * _width(picture):
            break
        picture = other
    return picture


def _width(picture: Picture) -> float:
    return max(x for x, _ in picture.places) + 1


def _placed(from_edges: Callable, count: int, edges: list, extra: list) -> tuple[Picture, list[list[int]]]:
    """The picture, and of each row its boxes by number."""
    used = sorted({i for edge in (*edges, *extra) for i in edge})
    places: dict[int, tuple[float, float]] = {}
    ways: dict[tuple[int, int], list[tuple[float, float]]] = {}
    if used:
        numbers = {
            i: k for k, i in enumerate(used)
        }  # consecutive, so that the library's own points are known by higher numbers
        pairs = [(numbers[a], numbers[b]) for a, b in dict.fromkeys((*edges, *extra))]
        found = from_edges(
            pairs, vertex_spacing=_UNIT, dummy_vertices=True, dummy_size=_UNIT * 0.25, check_layout=False
        )
        found = found.dot_layout(spacing=_UNIT)
        top = max(y for positions, *_ in found for _, (_, y) in positions)
        for positions, _, _, pieces in found:
            at = {i: (x / _UNIT, (top - y) / _UNIT) for i, (x, y) in positions}
            places.update({used[i]: at[i] for i in at if i < len(used)})
            ways.update(_ways(pieces or [], at, used))
    rows: dict[float, list[int]] = {}
    for i, (_, y) in places.items():
        rows.setdefault(round(y, 3), []).append(i)
    below = max(rows, default=-1.0) + 1
    for k, i in enumerate([i for i in range(count) if i not in places]):  # what has no edges at all
        places[i] = (float(k % _WIDEST_ROW), below + k // _WIDEST_ROW)
    left = min((x for x, _ in places.values()), default=0.0)
    moved = lambda x, y: (round(x - left, 3), round(y, 3))
    picture = Picture(
        [moved(*places[i]) for i in range(count)], {e: [moved(*p) for p in way] for e, way in ways.items()}
    )
    return picture, [sorted(row) for row in rows.values()]


def _ways(pieces: list[tuple[int, int]], at: dict, used: list[int]) -> dict[tuple[int, int], list[Any]]:
    """The points of edges that the library has cut into pieces, from box to box."""
    after: dict[int, int] = {}
    count = len(used)
    incoming = Counter(b for _, b in pieces if b >= count)
    for a, b in pieces:
        if a >= count:
            after[a] = b
    ways = {}
    for a, b in pieces:
        if a < count <= b and incoming[b] == 1:
            points = []
            while b >= count and b in after:
                points.append(at[b])
                b = after[b]
            if b < count:
                ways[used[a], used[b]] = points
    return ways
