"""Files that are open while they are replaced: POSIX allows it, and Windows does not.

There a file that any program has open, a virus scanner say, can neither be replaced nor deleted, and a file that is
mapped into memory not even by who maps it. So names are changed with some patience, and files are read where they
would be mapped.
"""

import mmap
import os
import time
from collections.abc import Callable
from typing import Any, BinaryIO

__all__ = ["WINDOWS", "held", "patiently", "replace"]

WINDOWS = os.name == "nt"
_WAITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # seconds


def replace(source: str, target: str) -> None:
    """`os.replace`: the file `source` takes the place of `target`."""
    patiently(os.replace, source, target)


def patiently(change: Callable, *names: str) -> Any:
    """`change(*names)`, on Windows again and again for two seconds while another program has the file open."""
    for wait in _WAITS if WINDOWS else ():
        try:
            return change(*names)
        except PermissionError:
            time.sleep(wait)
    return change(*names)


def held(file: BinaryIO) -> memoryview:
    """The bytes of an open file, which stay when it is closed, replaced or deleted. ValueError if there are none."""
    if WINDOWS:
        if not (data := file.read()):
            raise ValueError("cannot hold an empty file")
        return memoryview(data)
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
