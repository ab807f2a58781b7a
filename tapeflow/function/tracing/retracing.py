"""The retracing warning: which argument changes, when a function is traced again and again. A trace costs as much as a
thousand calls."""

import logging
from collections import Counter, deque
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

_MANY = 5  # traces that are worth a warning,
_AMONG = 2 * _MANY  # if no more calls than these were made
_MOST_WARNINGS = 2  # for one function

_ADVICE = {
    "made": "Make it once, outside of the loop.",
    "value": "Pass a tensor instead of a Python value.",
    "shape": "Use reduce_retracing=True, or an input_signature with None for the sizes that change.",
    "dtype": "Cast it to one dtype.",
    "object": "Pass the same object each time.",
    "structure": "Pass the same containers, with the same keys, each time.",
}


class Retracing:
    """The last traces of one function: what their arguments were. Or the first traces of functions that are made of
    the same code, which have no arguments here."""

    def __init__(self) -> None:
        self.traces: deque[tuple[int, dict]] = deque(maxlen=_MANY)
        self.warnings = self.calls = 0

    def notice(self, function: str, call: int, arguments: dict[str, dict[str, Any]]) -> None:
        """The function was traced in its call number `call`. `arguments`: for each leaf by name, what is special about
        it."""
        self.traces.append((call, arguments))
        among = call - self.traces[0][0] + 1
        if len(self.traces) < _MANY or among > _AMONG or self.warnings >= _MOST_WARNINGS:
            return
        self.warnings += 1
        what, why = self._most_frequent_change()
        logging.getLogger("tapeflow").warning(
            "%d out of the last %d calls to %s triggered tf.function retracing, which is expensive: %s. %s",
            _MANY, max(among, _MANY), function, why, _ADVICE[what],
        )  # fmt: skip

    def _most_frequent_change(self) -> tuple[str, str]:
        found: Counter = Counter()
        texts = {}
        given = [arguments for _, arguments in self.traces]
        for before, after in pairwise(given):
            if before.keys() != after.keys():
                found["", "structure"] += 1
                texts["", "structure"] = "the structure of its arguments changes"
                continue
            for name in before:
                for what in before[name].keys() | after[name].keys():
                    old, new = before[name].get(what), after[name].get(what)
                    if old != new:
                        what = what if old is not None and new is not None else "object"
                        found[name, what] += 1
                        texts[name, what] = _change(name, what, old, new)
        if not found and not given[0]:
            return "made", "a tf.function is made of it again and again"
        if not found:  # the cache was full
            return "value", "there are more kinds of arguments than are remembered"
        [(most, _)] = found.most_common(1)
        return most[1], texts[most]


_of_code: WeakKeyDictionary[Any, Retracing] = WeakKeyDictionary()


def made_of(function: Callable) -> Retracing:
    """A program that makes a function in a loop makes it of the same code, and traces it each time."""
    code = getattr(function, "__code__", None)
    if (
        code is None or code.co_freevars or hasattr(function, "__self__")
    ):  # methods, and functions that a decorator has made, share their code
        return Retracing()
    return _of_code.setdefault(code, Retracing())


def _change(name: str, what: str, old: Any, new: Any) -> str:
    if what == "object":
        return f"argument `{name}` is another object each time"
    return f"the {what} of argument `{name}` changes ({_short(old)}, then {_short(new)})"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def opened_up(before: tuple, now: tuple, last: int | None) -> tuple:
    """A shape with None for sizes that were others before, up to the axis `last`."""
    return tuple([
        None if old != new and (last is None or axis <= last) else new
        for axis, (old, new) in enumerate(zip(before, now))
    ])  # fmt: skip
