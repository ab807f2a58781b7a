"""Temporary files of atomic writes: how they are named, and which of them a killed program left; the next save there
deletes those.

A name ends in `.tmp-SYSTEM-PROCESS-STARTED-NUMBER`. Only two kinds are deleted, so that no file goes that somebody is
writing: those of a process of this very system (this boot, these process numbers) that is not there any more, and
those of other systems (a shared folder, another container, before a reboot) that have not changed for a day.
"""

import contextlib
import functools
import itertools
import os
import re
import shutil
import zlib

from tapeflow.core.runtime.files import WINDOWS

__all__ = ["identity", "is_abandoned", "sweep", "temporary"]

_DAY = 24 * 3600.0  # seconds
_NAME = re.compile(r"\.tmp-([0-9a-f]{8})-(\d+)-(\d+)-\d+$")
_EARLIER = re.compile(r"\.tmp-\d+-\d+-\d+$")  # of versions that did not say which system
_LONGEST = 160  # letters of a name that are kept: file systems allow 255 bytes
_serial = itertools.count()


def temporary(path: str) -> str:
    """A new name for a file or a folder that is to become `path`, in the same folder: a rename is atomic only inside
    one file system."""
    folder, name = os.path.split(path)
    system, process, started = identity()
    while len(name.encode(errors="surrogateescape")) > _LONGEST:
        name = name[:-1]
    return os.path.join(folder, f"{name}.tmp-{system}-{process}-{started}-{next(_serial)}")


def sweep(folder: str, now: float) -> None:
    """Deletes what was abandoned in a folder. `now` is by the clock of the file system: when something in it was just
    changed."""
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            if ".tmp-" not in entry.name:
                continue
            found = _NAME.search(entry.name)
            if found:
                gone = is_abandoned((found[1], int(found[2]), int(found[3])), entry.path, now)
            else:
                gone = _EARLIER.search(entry.name) is not None and _is_old(entry.path, now)
            if gone:
                remove(entry.path)


def remove(path: str) -> None:
    """A file, or a folder with everything in it, as far as possible."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.remove(path)


def identity() -> tuple[str, int, int]:
    """This process: the system that it runs on, its number there, and when it was started (numbers are used again)."""
    process = os.getpid()
    return _system(), process, _own_start(process)


def is_abandoned(writer: tuple[str, int, int], path: str, now: float) -> bool:
    """Will the process that made this file never finish it?"""
    system, process, started = writer
    if system != _system() or WINDOWS:  # where `os.kill` does not ask
        return _is_old(path, now)
    try:
        os.kill(process, 0)  # asks only
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False  # it is there, and somebody else's
    return started != (_started(process) or started)


@functools.cache
def _system() -> str:
    """Eight digits for this boot of this machine and, in containers, for those who see the same process numbers."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            known = [file.read(), os.readlink("/proc/self/ns/pid")]
    except OSError:  # not a Linux
        import platform

        known = [platform.node()]
    return f"{zlib.crc32(' '.join(known).encode()):08x}"


@functools.lru_cache(1)
def _own_start(process: int) -> int:
    return _started(process)


def _started(process: int) -> int:
    """In ticks since the boot; 0 where the system does not say."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _is_old(path: str, now: float) -> bool:
    """Has nothing in it changed for a day?"""
    try:
        times = [os.lstat(path).st_mtime]
        times += [os.lstat(os.path.join(at, name)).st_mtime for at, _, names in os.walk(path) for name in names]
    except OSError:
        return False
    return max(times) < now - _DAY
