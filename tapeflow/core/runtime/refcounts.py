"""Is an object held by anybody else? Where nobody does, its memory may be changed, or given away.

There are two ways to know. What can be made again is let go of, and a weak reference tells whether it went: exact, on
any Python, and the one to prefer (`function.tracing.graph.Graph.finalize`). What cannot be spared is counted, here and
nowhere else.

A count is only as good as the reference that asking makes is known. In a function's own variables it is not:
interpreters count those or do not (Python 3.14 lends them to calls), and a debugger holds them once more. So the
object is never a variable here: it goes from `getattr` to `getrefcount` directly. Whoever gets "held" by mistake makes
a copy; "not held" by mistake would change somebody's numbers. So "held" is the answer in all doubt: where threads run
freely counts are late, and where asking twice gives two answers there is no telling.
"""

import sys
from typing import Any

_WARM = 200  # questions after which an interpreter has specialised the code that asks


def held_elsewhere(owner: Any, name: str, known: int = 1) -> bool:
    """Is what an attribute holds held by more than the `known` holders, of whom `owner` is one? True when in doubt."""
    return _count(owner, name) - _by_asking > known


def _count(owner: Any, name: str) -> float:
    return sys.getrefcount(getattr(owner, name))


class _Owner:
    def __init__(self) -> None:
        self.held = object()


def _calibrated() -> float:
    """How many references asking makes, by asking about what one owner holds: cold, and when the code is warm."""
    if "free-threading" in sys.version or not hasattr(sys, "getrefcount"):
        return -float("inf")
    found = {_count(_Owner(), "held") for _ in range(_WARM)}
    return found.pop() - 1 if len(found) == 1 else -float("inf")


_by_asking = _calibrated()
