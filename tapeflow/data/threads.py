"""`prefetch` and parallel calls: elements made by other threads.

An iterator that is dropped ends its threads: they know only what they share with it, never the iterator itself. What a
thread raises is raised again where the element is asked for, with the frames of the function that failed. An error
takes the place of one element; the next call goes on after it.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from queue import SimpleQueue
from typing import Any

SLOW = 200e-6  # seconds: a call that takes less is not worth another thread: handing over costs about 30 microseconds


_ELSEWHERE = (
    "This iterator's threads are in the process that this one was forked from. Iterate over the dataset anew: "
    "iter(dataset) begins in this process."
)


def auto_workers() -> int:
    """How many threads AUTOTUNE stands for: the processors, and some more since many functions wait for files."""
    return min(16, (os.cpu_count() or 1) + 4)


class _Shared:
    """What a reading thread and its iterator both know."""

    __slots__ = ("ready", "changed", "size", "ended", "closed")

    def __init__(self, size: int) -> None:
        self.ready: deque = deque()  # of (element, None) and (None, error)
        self.changed = threading.Condition()
        self.size, self.ended, self.closed = size, False, False

    def put(self, entry: tuple) -> bool:
        """False when nobody wants it any more."""
        with self.changed:
            while len(self.ready) >= self.size and not self.closed:
                self.changed.wait()
            self.ready.append(entry)
            self.changed.notify_all()
            return not self.closed

    def end(self) -> None:
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()


def _fill(shared: _Shared, make: Callable[[], Iterator]) -> None:
    try:
        elements = make()
        while True:
            try:
                entry: tuple[Any, BaseException | None] = (next(elements), None)
            except StopIteration:
                return
            except BaseException as error:  # the consumer's to handle, whatever it is
                entry = (None, error)
            if not shared.put(entry):
                return
            del entry  # or an error would keep what its frames hold
    except BaseException as error:  # raised when the iteration began
        shared.put((None, error))
    finally:
        shared.end()


class ReadAhead:
    """The elements that `make()` iterates over, made by a thread that is at most `size` ahead."""

    _thread: threading.Thread | None = None

    def __init__(self, make: Callable[[], Iterator], size: int, now: bool = False) -> None:
        self._shared, self._make = _Shared(size), make
        if now:
            self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._thread = threading.Thread(
            target=_fill, args=(self._shared, self._make), name="tapeflow-prefetch", daemon=True
        )
        self._thread.start()

    def __iter__(self) -> "ReadAhead":
        return self

    def __next__(self) -> Any:
        if self._thread is None:
            self._start()
        shared = self._shared
        if self._process != os.getpid():
            raise RuntimeError(_ELSEWHERE)
        with shared.changed:
            while not shared.ready and not shared.ended:
                shared.changed.wait()
            if not shared.ready:
                raise StopIteration
            element, error = shared.ready.popleft()
            shared.changed.notify_all()
        if error is None:
            return element
        try:
            raise error
        finally:
            del error, element  # the traceback holds this frame

    def __del__(self, here: Callable = os.getpid) -> None:
        if self._thread is not None and self._process == here():  # locks of another process may be held for ever
            self._shared.close()


class _Pool:
    """Threads that make futures come true. Not the standard library's, which a program waits for before it ends, also
    after Ctrl-C."""

    def __init__(self, workers: int) -> None:
        self._tasks: SimpleQueue[tuple | None] = SimpleQueue()
        self._workers = workers
        for _ in range(workers):
            threading.Thread(target=_work, args=(self._tasks,), name="tapeflow-map", daemon=True).start()

    def submit(self, call: Callable, *args: Any) -> Future:
        future: Future = Future()
        self._tasks.put((future, call, args))
        return future

    def end(self) -> None:
        for _ in range(self._workers):
            self._tasks.put(None)


def _work(tasks: SimpleQueue) -> None:
    while (task := tasks.get()) is not None:
        future, call, args = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call(*args))
            except BaseException as error:  # the consumer's to handle, whatever it is
                future.set_exception(error)
        del task, future, call, args  # or a thread that waits would keep the last element


class Parallel:
    """`call(place, element)` of every element, by several threads. In order, unless `ordered` is False.

    The threads begin when calls have shown that they take long, at the third at the earliest: until then, and so for
    ever with a function that takes no time, calls are made right here.
    """

    _pool: _Pool | None = None

    def __init__(self, call: Callable, elements: Iterator, workers: int, ordered: bool) -> None:
        self._call, self._elements, self._ordered, self._workers = call, elements, ordered, workers
        self._window, self._place = (
            2 * workers,
            0,
        )  # twice as many under way, so that threads work while the consumer does
        self._pending: deque[Future] = deque()
        self._takes = float("inf")  # how long a call takes, on average of late
        self._ended = False

    def __iter__(self) -> "Parallel":
        return self

    def __next__(self) -> Any:
        if self._pool is None:
            if self._takes < SLOW or self._place < 2:
                return self._made_here()
            self._pool, self._process = _Pool(self._workers), os.getpid()
        elif self._process != os.getpid():
            raise RuntimeError(_ELSEWHERE)
        self._fill(self._pool)
        if not self._pending:
            self._pool.end()
            raise StopIteration
        if self._ordered:
            future = self._pending.popleft()
        else:
            done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
            future = next(f for f in self._pending if f in done)
            self._pending.remove(future)
        try:
            return future.result()
        finally:
            del future

    def _made_here(self) -> Any:
        element = next(self._elements)
        place, begun = self._place, time.perf_counter()
        self._place += 1
        made = self._call(place, element)
        took = time.perf_counter() - begun
        if place < 2:  # the first may have had to import or to read something
            self._takes = min(self._takes, took)
        else:  # a few calls that other programs have delayed do not count for much
            self._takes = 0.95 * self._takes + 0.05 * min(took, 4 * SLOW)
        return made

    def _fill(self, pool: _Pool) -> None:
        while not self._ended and len(self._pending) < self._window:
            try:
                element = next(self._elements)
            except StopIteration:
                self._ended = True
            except Exception as error:  # in its place, after what is under way
                failed: Future = Future()
                failed.set_exception(error)
                self._pending.append(failed)
                return
            else:
                self._pending.append(pool.submit(self._call, self._place, element))
                self._place += 1

    def __del__(self, here: Callable = os.getpid) -> None:
        if self._pool is not None and self._process == here():
            for future in self._pending:
                future.cancel()
            self._pool.end()
