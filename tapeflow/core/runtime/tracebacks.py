"""What people see of a traceback: it ends at their line. Frames of ours, and NumPy's error that one of ours explains,
are left out while an error is shown, by Python itself or by IPython; the error keeps them, for a debugger.

Nothing is done where errors are raised or caught, so nothing of it costs time before there is one to show.
"""

import contextlib
import functools
import sys
import traceback
from collections.abc import Callable, Container, Iterator
from types import FrameType, TracebackType
from typing import Any

from tapeflow.names.mistakes import hint

from . import settings

_OURS = ("tapeflow", "keras_tapeflow", "malt")
_BELOW_US = frozenset([*_OURS, "numpy", "scipy", "optree", "ml_dtypes", "jax", "jaxlib"]) | sys.stdlib_module_names
"""Packages whose frames are left out where it is one of ours that called them."""


def install() -> None:
    """From now on errors are shown without what is ours."""
    if getattr(sys.excepthook, "shows", None) is None:
        sys.excepthook = hook(sys.excepthook)
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = None if get_ipython is None else get_ipython()
    painter = getattr(shell, "InteractiveTB", None)
    if painter is not None and getattr(painter.structured_traceback, "shows", None) is None:
        painter.structured_traceback = painted(painter.structured_traceback)


def hook(before: Callable) -> Callable:
    """A `sys.excepthook` that shows by the one before."""

    def show(kind: type, error: BaseException, tb: TracebackType | None) -> None:
        with shortened(error):
            before(kind, error, error.__traceback__)

    show.shows = before  # type: ignore[attr-defined]
    return show


def painted(before: Callable) -> Callable:
    """The same for what IPython makes its tracebacks with."""

    @functools.wraps(before)
    def structured(kind: Any = None, error: Any = None, tb: Any = None, *args: Any, **options: Any) -> Any:
        if not isinstance(error, BaseException) or tb is not error.__traceback__:
            return before(kind, error, tb, *args, **options)
        with shortened(error):
            return before(kind, error, error.__traceback__, *args, **options)

    structured.shows = before  # type: ignore[attr-defined]
    return structured


@contextlib.contextmanager
def shortened(error: BaseException) -> Iterator[None]:
    """Inside, the error and those that led to it have only frames and causes that are not ours, and a note where there
    is something to add; then it is as it was."""
    changed: list[tuple] = []
    hinted: list[tuple[BaseException, list[str]]] = []
    if settings.traceback_filtering:
        todo, seen = [error], {id(error)}
        while todo:
            one = todo.pop()
            cause, context, tb = one.__cause__, one.__context__, one.__traceback__
            changed.append((one, cause, context, one.__suppress_context__, tb))
            if tb is not None and _is_ours(_last(tb)) and _only_below_us(cause or context):
                one.__cause__ = one.__context__ = None  # its text is in ours
            one.__traceback__ = users_part(tb)
            notes = list(getattr(one, "__notes__", ()))
            if (said := hint(one)) and said not in notes:
                one.add_note(said)
                hinted.append((one, notes))
            for other in (one.__cause__, one.__context__, *getattr(one, "exceptions", ())):
                if other is not None and id(other) not in seen:
                    seen.add(id(other))
                    todo.append(other)
    try:
        yield
    finally:
        for one, cause, context, suppressed, tb in changed:
            one.__cause__, one.__context__, one.__traceback__ = cause, context, tb
            one.__suppress_context__ = suppressed
        for one, notes in hinted:
            one.__notes__ = notes


def users_part(tb: TracebackType | None) -> TracebackType | None:
    """The traceback without our frames; the whole one where there are no others."""
    kept: list[TracebackType] = []
    below_us = False
    for entry in _entries(tb):
        below_us = _is_ours(entry.tb_frame) or below_us and _is_of(entry.tb_frame, _BELOW_US)
        if not below_us:
            kept.append(entry)
    found: TracebackType | None = None
    for entry in reversed(kept):
        found = TracebackType(found, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return found or tb


def _entries(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _last(tb: TracebackType) -> FrameType:
    return [frame for frame, _ in traceback.walk_tb(tb)][-1]


def _only_below_us(error: BaseException | None) -> bool:
    """Is it an error that NumPy has raised to us, of which users know nothing?"""
    if error is None or error.__traceback__ is None:
        return False
    frames = [entry.tb_frame for entry in _entries(error.__traceback__)]
    return _is_ours(frames[0]) and all(_is_of(frame, _BELOW_US) for frame in frames)


def _is_ours(frame: FrameType) -> bool:
    return _is_of(frame, _OURS)


def _is_of(frame: FrameType, packages: Container[str]) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in packages
