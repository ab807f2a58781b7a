"""Saves that are killed, or whose disk fails, at every step: a child is forked for each, and what it left is looked
at.

Steps are the calls by which Python changes files, and, for what a C library writes by itself, the size that a file may
reach: the system kills a program that exceeds it (SIGXFSZ), or refuses the write, at just that byte.

`python -m tests.faults NAME...` checks formats of `tests/saved_formats.py`; `python -m tests.faults --kills 40
NAME...` kills them at random times instead. It is a program of its own, since it forks: the process of the tests has
threads.
"""

import builtins
import errno
import functools
import io
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable

CALLS = ("open", "fsync", "replace", "rename", "remove", "unlink", "rmdir", "mkdir", "link")
KILL, RAISE = "kill", "raise"


def count_down(left: int, what: str) -> None:
    """After so many calls the next does not happen: the process ends there, or gets an error."""

    def counted(real: Callable, counts: Callable = lambda *args, **kwargs: True) -> Callable:
        @functools.wraps(real)
        def call(*args, **kwargs):
            nonlocal left
            if counts(*args, **kwargs):
                left -= 1
                if left == -1:
                    if what == KILL:
                        os._exit(9)  # as SIGKILL: no finally, no flush
                    raise OSError(errno.ENOSPC, "No space left on device")
            return real(*args, **kwargs)

        return call

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    builtins.open = io.open = counted(builtins.open, lambda file, mode="r", *args, **kwargs: set("wxa+") & set(mode))


def limit_size(size: int, what: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL if what == KILL else signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def in_a_child(save: Callable[[], None], prepare: Callable[[], None]) -> str:
    """Saves in another process: "done", "raised" or "killed"."""
    child = os.fork()
    if not child:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            prepare()
            save()
        except BaseException:
            os._exit(7)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "done", 7: "raised"}.get(status, "killed")


def check(
    folder: str, save: Callable[[int], None], read: Callable[[], int], sizes: tuple[int, ...] = (0, 1, 64, 1000)
) -> int:
    """`save(n)` writes state n below `folder`, and `read()` says which is there. After each fault it is the old one or
    the new one, whole, and the next save is good and leaves nothing else. Returns the number of faults."""
    save(0)
    save(1)
    clean, number, faults = files(folder), 1, 0

    def one(what: str, prepare: Callable[[], None]) -> str:
        nonlocal number, faults
        ended = in_a_child(lambda: save(number + 1), prepare)
        found = read()
        assert found == number + 1 or ended != "done" and found == number, f"{found} instead of {number} after {what}"
        if ended == "raised" and found == number:
            assert files(folder) == clean, f"left after {what}: {files(folder)}"
        number += 2
        save(number)
        assert read() == number
        assert files(folder) == clean, f"left by the save after {what}: {files(folder)}"
        faults += ended != "done"
        return ended

    for what in (KILL, RAISE):
        last = 0
        while one(f"{what} at call {last}", functools.partial(count_down, last, what)) != "done":
            last += 1
        for size in sizes:
            one(f"{what} at byte {size}", functools.partial(limit_size, size, what))
    return faults


def check_kills(folder: str, save: Callable[[int], None], read: Callable[[], int], kills: int) -> int:
    """The same with SIGKILL at random times, during saves one after the other."""
    save(0)
    save(1)
    clean, number = files(folder), 1
    for _ in range(kills):
        child = os.fork()
        if not child:
            while True:
                number += 1
                save(number)
        time.sleep(random.uniform(0.001, 0.06))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = read()
        assert found >= number
        number = found + 1
        save(number)
        assert read() == number
        assert files(folder) == clean
    return kills


def files(folder: str) -> list[str]:
    """Everything in a folder, by name; values of a saved model and checkpoints of a manager have another name each
    time."""
    found = []
    for at, _, names in os.walk(folder):
        names = [
            "numbered" if name.startswith(("values-", "ckpt-")) and ".tmp-" not in name else name for name in names
        ]
        found += [os.path.relpath(os.path.join(at, name), folder) for name in ("", *names)]
    return sorted(found)


def main(arguments: list[str]) -> None:
    from tests.saved_formats import FORMATS

    kills = int(arguments[1]) if arguments[0] == "--kills" else 0
    if not kills:
        os.fsync = lambda file: None  # that it is called counts, and the disk is slow
    for name in arguments[2:] if kills else arguments:
        folder = tempfile.mkdtemp()
        print(
            name,
            check_kills(folder, *FORMATS[name](folder), kills) if kills else check(folder, *FORMATS[name](folder)),
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
