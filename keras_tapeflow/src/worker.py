"""The thread in which Keras' callbacks write history and progress while the next step runs.

Keras has the standard library's pool of threads do so, which is waited for by a Condition. An interrupt can break it:
about once in a thousand times `fit` ended with another error than KeyboardInterrupt, or never.
"""

from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from keras.src import callbacks


class Pending:
    """A call that is made by the thread: what Keras knows as a future."""

    __slots__ = ("_lock", "_over", "_error")

    def __init__(self) -> None:
        self._lock, self._over = allocate_lock(), False
        self._error: BaseException | None = None
        self._lock.acquire()

    def done(self) -> bool:
        return self._over

    def result(self) -> None:
        """Waits for it, and raises what it raised."""
        if not self._over:  # who is interrupted just after taking the lock finds it over next time
            self._lock.acquire()
        if self._error is not None:
            raise self._error

    def end(self, error: BaseException | None) -> None:
        self._error, self._over = error, True
        self._lock.release()


class Worker:
    """Makes calls one after the other, in a thread that begins with the first. In the place of an executor."""

    def __init__(self) -> None:
        self._calls: SimpleQueue = SimpleQueue()
        self._begun: list[int] = []

    def submit(self, act: Callable, *args: Any) -> Pending:
        if not self._begun:  # begun and known to have begun: an interrupt cannot come between
            self._begun.extend(map(start_new_thread, (_run,), ((self._calls,),)))
        pending = Pending()
        self._calls.put((act, args, pending))
        return pending

    def shutdown(self) -> None:
        """Lets the thread end, after the calls that it has."""
        self._calls.put(None)

    __del__ = shutdown


class CallbackList(callbacks.CallbackList):
    """Keras' own, with this thread for its pool."""

    def _on_begin(self) -> None:
        if self._executor is None:
            self._executor = Worker()
        super()._on_begin()


def _run(calls: SimpleQueue) -> None:
    while (call := calls.get()) is not None:
        act, args, pending = call
        try:
            act(*args)
        except BaseException as error:
            pending.end(error)
        else:
            pending.end(None)
        del call, act, args, pending  # the model, which nobody else may hold by now
