"""Interrupts (Ctrl-C) kept out of code that must not be cut: they go to the main thread, so the code runs in another
one, to its end."""

import _imp
import contextvars
import sys
import threading
from _thread import start_new_thread
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def undisturbed(act: Callable[[], T]) -> T:
    """`act()`, in a thread of its own, which no signal reaches and which nobody knows to raise an exception in. What
    comes meanwhile is raised afterwards."""
    ended, results, errors = threading.Lock(), [], []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            results.append(context.run(act))
        except BaseException as error:
            errors.append(error)
        finally:
            over.append(True)
            ended.release()

    _give_back_import_lock()
    ended.acquire()
    begun: list = []
    over: list = []  # asked first: who is interrupted just when the lock was taken must not wait for it again
    interrupt = None
    while True:
        try:
            if not begun:
                begun.extend(
                    map(start_new_thread, (run,), ((),))
                )  # begun and known to have begun: no instruction in between
            if not over:
                ended.acquire()
            break
        except BaseException as error:
            if not begun:
                raise
            interrupt = error
    if interrupt is not None:
        errors.append(interrupt)
        interrupt = None  # or it would hold this frame, which holds it
    if errors:
        raise errors.pop()
    return results.pop()


def loaded(name: str) -> ModuleType:
    """The module, imported where Ctrl-C cannot leave its lock taken: a thread that imports it later would wait for
    ever."""
    module = sys.modules.get(name)
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        return module
    return undisturbed(lambda: import_module(name))


def _give_back_import_lock() -> None:
    """An `import` that Ctrl-C cut may have left Python's lock of all imports with this thread. It is not held while a
    module's code runs: so who comes here and has it has lost it."""
    try:
        while _imp.lock_held():
            _imp.release_lock()
    except RuntimeError:  # another thread's
        pass
