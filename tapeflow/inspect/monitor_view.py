"""A gradient monitor's table, as text, and on a terminal, where it is redrawn below what the program prints."""

import io
import math
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tapeflow.core.runtime.terminals import is_terminal

_LEVELS = {True: "▁▂▃▄▅▆▇█", False: "_.-~=+*#"}  # of a norm's history: in a terminal that can show them, and in others
_HISTORY = 12
_SHORTEST_NAME, _LONGEST_NAME = 12, 48
_PAUSE = 0.2  # seconds between two drawings that no measurement asks for
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_BELOW = "\x1b[J"  # clears from the cursor to the end of the screen


class Row(NamedTuple):
    """What the table says of one variable."""

    name: str
    gradient: float
    weight: float
    update: float
    dead: float
    norms: Sequence[float]
    note: str


# The columns in their order: title, width, what they show, and which go first where there is no room.
_COLUMNS: list[tuple[str, int, Callable[[Row, bool], str], int]] = [
    ("gradient", 8, lambda r, _: _number(r.gradient), 0),
    ("weight", 8, lambda r, _: _number(r.weight), 2),
    ("update", 8, lambda r, _: _number(r.update), 4),
    ("dead", 5, lambda r, _: "-" if math.isnan(r.dead) else f"{r.dead:.0%}", 3),
    ("history", _HISTORY, lambda r, fancy: sparkline(r.norms, fancy).ljust(_HISTORY), 1),
]


def table(rows: list[Row], width: int, most: int, fancy: bool = True) -> list[str]:
    """The lines of a table that is no wider than `width`, of the `most` interesting rows."""
    shown = interesting(rows, most)
    notes = max((len(r.note) + 2 for r in shown), default=0)
    longest = max([_SHORTEST_NAME, *[min(len(r.name), _LONGEST_NAME) for r in shown]])
    columns = list(_COLUMNS)
    taken = lambda: sum(size + 1 for _, size, _, _ in columns) + notes
    for go in (1, 2, 3, 4):  # the least important first
        if taken() + min(longest, 20) > width:
            columns = [c for c in columns if c[3] != go]
    room = max(min(longest, width - taken()), 4)
    lines = [" ".join(["variable".ljust(room), *[title.rjust(size) for title, size, _, _ in columns]])]
    for r in shown:
        cells = [
            _shortened(r.name, room, fancy).ljust(room),
            *[show(r, fancy).rjust(size) for _, size, show, _ in columns],
        ]
        lines.append(" ".join(cells) + (f"  {r.note}" if r.note else ""))
    if len(rows) > len(shown):
        lines.append(f"{'…' if fancy else '...'} and {len(rows) - len(shown)} more")
    return [line.rstrip()[:width] for line in lines]


def interesting(rows: list[Row], most: int) -> list[Row]:
    """Those with notes, then the largest and the smallest gradients in turn; in the order of the model."""
    if len(rows) <= most:
        return rows
    by_size = sorted(
        range(len(rows)), key=lambda k: rows[k].gradient if rows[k].gradient == rows[k].gradient else math.inf
    )
    from_both_ends = [k for pair in zip(reversed(by_size), by_size) for k in pair]
    ranked = dict.fromkeys([*[k for k, r in enumerate(rows) if r.note], *from_both_ends])
    return [rows[k] for k in sorted(list(ranked)[:most])]


def sparkline(values: Iterable[float], fancy: bool = True) -> str:
    """The last values as bars, by their logarithms; `!` for what is not finite.

    >>> from tapeflow.inspect.monitor_view import sparkline
    >>> sparkline([1e-3, 1e-2, 1e-1, 1., float("nan")])
    '▁▃▆█!'
    """
    levels, values = _LEVELS[fancy], list(values)[-_HISTORY:]
    logs = [math.log10(v) if 0 < v < math.inf else None for v in values]
    known = [x for x in logs if x is not None]
    low, span = (min(known), max(known) - min(known)) if known else (0.0, 0.0)
    last = len(levels) - 1

    def bar(value: float, x: float | None) -> str:
        if x is None:
            return levels[0] if value == 0 else "!"
        return levels[round((x - low) / span * last) if span > 0.2 else last // 2]

    return "".join(map(bar, values, logs))


def _number(x: float) -> str:
    return "-" if math.isnan(x) else f"{x:.2e}"


def _shortened(name: str, room: int, fancy: bool) -> str:
    """The end of a long name says most."""
    dots = "…" if fancy else "..."
    return name if len(name) <= room else dots + name[len(name) - room + len(dots) :]


# ---- where it is shown


def can_show(stream: Any, text: str = _LEVELS[True] + "…") -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def size_of(stream: Any) -> tuple[int, int]:
    """Columns and lines."""
    try:
        return tuple(os.get_terminal_size(stream.fileno()))  # type: ignore[return-value]
    except (AttributeError, ValueError, OSError, io.UnsupportedOperation):
        return tuple(shutil.get_terminal_size())  # type: ignore[return-value]


class Printed:
    """One block after the other, for files and pipes."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def open(self) -> None:
        pass

    def draw(self, lines: list[str]) -> None:
        self.stream.write("\n".join(lines) + "\n\n")
        self.stream.flush()

    def close(self) -> None:
        pass


class Screen:
    """Lines that stay below the cursor of a terminal. The cursor is always where the program left it, so that a
    progress bar above goes on; when the program begins a new line, the block makes room."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.lines: list[str] = []
        self.shown = False
        self.column = 0
        self.drawn = 0.0
        self.before: dict[str, Any] = {}

    def open(self) -> None:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if is_terminal(stream):
                self.before[name] = stream
                setattr(sys, name, _Through(stream, self))

    def close(self) -> None:
        """The block becomes ordinary text."""
        for name, stream in self.before.items():
            if isinstance(now := getattr(sys, name), _Through) and now.screen is self:
                setattr(sys, name, stream)
        self.before = {}
        if self.lines:
            new_line = "\n" if self.column else ""
            self.stream.write((_BELOW if self.shown else "") + new_line + "\n".join(self.lines) + "\n")
            self.stream.flush()
        self.lines, self.shown = [], False

    def draw(self, lines: list[str]) -> None:
        self.lines, self.shown, self.drawn = lines, True, time.monotonic()
        back = f"\x1b[{len(lines)}A\r" + (f"\x1b[{self.column}C" if self.column else "")
        self.stream.write(_BELOW + "".join("\n" + line for line in lines) + back)
        self.stream.flush()

    def makes_room(self, text: str) -> None:
        """The program is about to print."""
        if self.shown and "\n" in text:
            self.stream.write(_BELOW)
            self.stream.flush()
            self.shown = False

    def moved(self, text: str) -> None:
        """It has."""
        plain = _ESCAPES.sub("", text)
        rest = re.split(r"[\r\n]", plain)
        self.column = max((0 if len(rest) > 1 else self.column) + len(rest[-1]) - 2 * rest[-1].count("\b"), 0)
        if self.lines and not self.shown and "\n" in text and time.monotonic() - self.drawn > _PAUSE:
            self.draw(self.lines)


class _Through:
    """`sys.stdout` or `sys.stderr`, which tells a screen what the program prints."""

    def __init__(self, stream: Any, screen: Screen) -> None:
        self.stream, self.screen = stream, screen

    def write(self, text: str) -> Any:
        self.screen.makes_room(text)
        written = self.stream.write(text)
        self.screen.moved(text)
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
