"""Memory allocation: keeps freed memory for the next array.

Eager programs make and drop arrays of the same sizes at every step. The C library gives large ones back to the system
each time, and touching fresh pages costs more than the arithmetic: `tf.where` of a million floats with its gradient
takes 12 ms instead of 4. So, on Linux with glibc, blocks up to 32 MiB come from the heap, and up to 256 MiB of free
heap stay with the process. The environment variable TAPEFLOW_KEEP_FREED_MEMORY=0 leaves the allocator alone.
"""

import contextlib
import os
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # mallopt's numbers for them
_KEPT, _FROM_THE_HEAP = 256 << 20, 32 << 20


def keep_freed_memory() -> bool:
    """Ask the C library for it; False where that is not possible or not wanted."""
    if not sys.platform.startswith("linux") or os.environ.get("TAPEFLOW_KEEP_FREED_MEMORY") == "0":
        return False
    if {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"} & os.environ.keys():
        return False  # somebody has decided already
    import ctypes  # NumPy has it loaded

    with contextlib.suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        return bool(mallopt(_MMAP_THRESHOLD, _FROM_THE_HEAP)) and bool(mallopt(_TRIM_THRESHOLD, _KEPT))
    return False
