"""Files that exist either as they were or as they are to be: a crash in the middle leaves the old ones alone."""

import contextlib
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

_serial = itertools.count()


def replace_file(path: str, write: Callable[[BinaryIO], Any]) -> None:
    """Lets `write` fill a new file, and puts it in the place of `path` once every byte of it is on the disk.

    The new file is made in the same folder, since only a rename inside one file system is atomic.
    """
    temporary = f"{path}.tmp-{os.getpid()}-{threading.get_ident()}-{next(_serial)}"
    try:
        with open(temporary, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
    _sync_folder(os.path.dirname(path) or ".")


def _sync_folder(folder: str) -> None:
    """Makes a rename last through a power cut, where the system can (Windows cannot open folders)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
