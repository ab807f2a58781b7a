"""Deferred restoration: objects that still wait for values of a checkpoint, and the moments at which there may be
news.

A value is given as soon as its object is there. News comes from three sides: an attribute is set on an object that
waits (`tf.Module`, `tf.train.Checkpoint` and Keras' layers tell), a variable that was made after the restore is read
or changed for the first time, and somebody asks for the restore's status or saves. Nothing of this costs anything
while nobody waits.
"""

import contextlib
import threading
import weakref
from typing import Any, Protocol

from tapeflow.core.runtime.locks import Lock

from . import variable as variables

__all__ = ["attribute_set", "forget", "restore_waiting", "stop", "wait", "waiting"]


class _Restore(Protocol):
    def proceed(self) -> None: ...


# By identity of the object that lacks something. The newest restore counts: it replaces an older one that waits for
# the same object.
waiting: dict[int, tuple[weakref.ref, _Restore]] = {}
_lock = Lock()
_busy = threading.local()


def wait(owner: Any, restore: _Restore) -> None:
    """From now on `restore` is told when `owner` may have got a part that it lacks. The owner's life ends it."""
    number = id(owner)

    def gone(_: Any) -> None:
        waiting.pop(number, None)
        _listen()

    with contextlib.suppress(TypeError):  # an object without weak references is asked with all others
        waiting[number] = weakref.ref(owner, gone), restore
    _listen()


def forget(owner: Any, restore: _Restore) -> None:
    """`owner` lacks nothing any more."""
    found = waiting.get(id(owner))
    if found is not None and found[1] is restore:
        del waiting[id(owner)]
        _listen()


def stop(restore: _Restore) -> None:
    """Nobody waits for this one any more."""
    for number in [number for number, (_, other) in list(waiting.items()) if other is restore]:
        waiting.pop(number, None)
    _listen()


def restore_waiting(*restores: _Restore) -> None:
    """Gives what can be given: of these restores, or of all that wait."""
    if getattr(_busy, "now", False):
        return
    with _lock:
        _busy.now = True
        try:
            for restore in restores or list({id(restore): restore for _, restore in list(waiting.values())}.values()):
                restore.proceed()
        finally:
            _busy.now = False


def attribute_set(owner: Any) -> None:
    """An attribute of `owner`, which waits, has been set: see `waiting`."""
    found = waiting.get(id(owner))
    if found is not None and found[0]() is owner:
        restore_waiting(found[1])


def _listen() -> None:
    variables.newborn[0] = _Newborn if waiting else variables.ResourceVariable


def _restored_at_first_use(name: str) -> property:
    """An attribute of a newborn variable whose first use is the moment to look for its value."""

    def grown(self: Any) -> dict:
        if "_latest" in self.__dict__:  # the last thing that is set when one is made
            self.__class__ = self.__dict__.pop("_grown", variables.ResourceVariable)
            restore_waiting()
        return self.__dict__

    return property(lambda self: grown(self)[name], lambda self, value: grown(self).__setitem__(name, value))


class _Newborn(variables.ResourceVariable):
    """A variable that nobody has read or changed yet, made while restores wait. By its first use it is somewhere in
    its owner, so that its value can be found; it is an ordinary variable from then on. The lock comes before every
    change."""

    _value = _restored_at_first_use("_value")
    _lock = _restored_at_first_use("_lock")
