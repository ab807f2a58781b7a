"""Lists and dicts that branches and loop bodies change: tracing runs a body once, so the change would not be the
program's.

While one is traced, lists, dicts and sets that were there before may not be changed, and no exception may be raised:
`tf.function` then runs the function as plain Python, where it means what it says. Lists that are made inside, and only
serve the inside, may be changed.
"""

from collections import OrderedDict, defaultdict, deque
from contextvars import ContextVar
from types import BuiltinMethodType
from typing import Any

from tapeflow.core.errors import ValueNeeded, user_line
from tapeflow.core.runtime.contexts import context_variable

_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict)
_CHANGE = frozenset(
    """append extend insert pop remove clear sort reverse add discard update setdefault popitem appendleft extendleft
    popleft rotate difference_update intersection_update symmetric_difference_update __setitem__ __delitem__
    __iadd__""".split()
)
_inside: ContextVar[dict[int, Any] | None] = context_variable("tapeflow_region", None)


class region:
    """`with region():` traces a branch or the body of a loop."""

    def __enter__(self) -> None:
        self.token = _inside.set({})

    def __exit__(self, *_: Any) -> None:
        own = _inside.get()
        _inside.reset(self.token)
        around = _inside.get()
        if own and around is not None:  # what was made in a branch was made in the loop around it
            around.update(own)


def made(container: Any) -> Any:
    """A list that the code makes here, and may change from here on."""
    own = _inside.get()
    if own is not None and type(container) in _CONTAINERS:
        own[id(container)] = container
    return container


def changed(container: Any) -> None:
    """The code is about to change it."""
    own = _inside.get()
    if own is not None and type(container) in _CONTAINERS and id(container) not in own:
        raise ValueNeeded(
            f"A {type(container).__name__} is changed in a branch or loop that depends on a tensor, at {user_line()}: "
            "as a graph this code runs once, when it is traced. Use a tf.TensorArray, or tf.stack what the loop "
            "computes."
        )


def check_method(method: BuiltinMethodType) -> None:
    """`values.append` is about to be called."""
    if method.__name__ in _CHANGE:
        changed(method.__self__)


def raises() -> None:
    """The code is about to raise an exception."""
    if _inside.get() is not None:
        raise ValueNeeded(
            f"An exception is raised in a branch or loop that depends on a tensor, at {user_line()}. "
            "tf.debugging.Assert can be part of a graph."
        )
