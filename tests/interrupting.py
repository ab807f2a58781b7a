"""Ctrl-C at every point of a piece of code: where Python looks whether a signal has come, an exception is raised, in
one run after the other.

Python looks when a function begins, after a call, and at the end of a loop's round; not between two other
instructions.
"""

import dis
import functools
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import tapeflow

_PACKAGES = tuple(
    os.path.join(os.path.dirname(os.path.dirname(tapeflow.__file__)), name, "")
    for name in ("tapeflow", "keras_tapeflow")
)
_LOOKS = ("RESUME", "CALL", "JUMP_BACKWARD", "POP_JUMP_BACKWARD")


class Interrupt(KeyboardInterrupt):
    """Raised at a point that was chosen."""


class _Points:
    """A trace function that counts the points in the library's own code, and raises at one of them."""

    def __init__(self, chosen: int) -> None:
        self.chosen, self.count, self.where = chosen, 0, ""
        self.before: dict[FrameType, int] = {}  # the instruction that a frame has executed last

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_PACKAGES):
            return None
        if event == "call":
            if _lets_go(frame):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self.before[frame] = -1
        elif event == "return":
            self.before.pop(frame, None)
        elif event == "opcode" and frame.f_lineno is not None:  # None: a generator that is being deleted
            names, handlers = _known(frame.f_code)
            before, now = self.before.get(frame, -1), frame.f_lasti
            self.before[frame] = now
            # What Python raises after a call belongs to the call; what is raised here, to the next instruction. At the
            # end of a `try` these are not the same.
            begins_exit = (
                frame.f_code.co_name == "__exit__" and names.get(before) == "RESUME"
            )  # where no code can help
            if names.get(before, "").startswith(_LOOKS) and handlers(before) == handlers(now) and not begins_exit:
                self._reached(frame)
        return self

    def _reached(self, frame: FrameType) -> None:
        self.count += 1
        if self.count == self.chosen:
            self.where = f"{frame.f_code.co_qualname}, line {frame.f_lineno} of {frame.f_code.co_filename}"
            raise Interrupt(self.where)


def _lets_go(frame: FrameType | None) -> bool:
    """Is an object being deleted? What is raised there Python only reports."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = (
            frame.f_back if frame.f_code.co_filename.startswith((*_PACKAGES, os.path.dirname(os.__file__))) else None
        )
    return frame is not None


@functools.cache
def _known(code: CodeType) -> tuple[dict[int, str], Callable[[int], Any]]:
    """(The names of the instructions by where they are; where an exception goes that one of them raises)."""
    made = dis.Bytecode(code)

    @functools.cache
    def handler(offset: int) -> Any:
        return next((e.target for e in made.exception_entries if e.start <= offset < e.end), None)

    return {i.offset: i.opname for i in made}, handler


def interrupted_everywhere(act: Callable[[], Any], every: int = 1, start: int = 1) -> Iterator[str]:
    """Runs `act()` again and again, each time until another point, and says where that was. Ends when `act()` came to
    its own end.

    `every`: takes that many points in one stride, so that a test costs less.
    """
    chosen = start
    while True:
        points, before = _Points(chosen), sys.gettrace()
        sys.settrace(points)
        try:
            act()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        if points.count < chosen:
            return
        yield points.where
        chosen += every
