"""Memory limits: asked before something large is made, since the system would not refuse it, but end the process
half-way.

Only what is as large as `LARGE` is worth the question, which takes some 50 µs. What is free is guessed from above:
memory that the system can reclaim counts as free, and so does swap.
"""

import contextlib
import math
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.core.errors import out_of_memory

LARGE = 1 << 28  # bytes


def check_fits(shape: Iterable, dtype: Any, what: str, instead: str = "") -> None:
    """Raises `tf.errors.ResourceExhaustedError` where an array of this shape and dtype cannot be made."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size >= LARGE and size > (free := free_bytes()):
        raise exhausted(shape, dtype, what, instead, free)


def check_rows_fit(rows: Iterable[tuple], count: int, what: str, instead: str = "") -> None:
    """The same for `count` rows of several arrays; `rows` has the shape and the dtype of one row of each."""
    check_all_fit([((count, *shape), dtype) for shape, dtype in rows], what, instead)


def check_all_fit(arrays: Iterable[tuple], what: str, instead: str = "") -> None:
    """The same for several arrays together, given by shape and dtype."""
    known = [(shape, np.dtype(dtype)) for shape, dtype in arrays if all(isinstance(d, int) for d in shape)]
    sizes = [math.prod(shape) * dtype.itemsize for shape, dtype in known]
    if sum(sizes) >= LARGE and sum(sizes) > (free := free_bytes()):
        shape, dtype = known[sizes.index(max(sizes))]
        raise exhausted(shape, dtype, what, instead, free, total=sum(sizes))


def exhausted(
    shape: Iterable, dtype: Any, what: str = "", instead: str = "", free: float | None = None, total: int | None = None
) -> Exception:
    """The error for an array that does not fit, in TensorFlow's words first."""
    free = free_bytes() if free is None else free
    shape, dtype = tuple(shape), np.dtype(dtype)
    text = f"OOM when allocating tensor with shape[{','.join(map(str, shape))}] and type {dtype.name}"
    total = math.prod(shape) * dtype.itemsize if total is None else total
    have = f"{what or 'it'} takes {in_words(total)}, and {in_words(free)} of memory are free"
    return out_of_memory(f"{text}: {have}.{' ' * bool(instead)}{instead}")


def of_memory_error(error: MemoryError) -> Exception:
    """NumPy's own error, which knows the shape; anybody else's does not."""
    if hasattr(error, "shape") and hasattr(error, "dtype"):
        return exhausted(error.shape, error.dtype)
    return out_of_memory(f"OOM when allocating memory: {in_words(free_bytes())} are free. {error}".rstrip())


def in_words(size: float) -> str:
    """`3.6 TiB`"""
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if size < 1024 or unit == "PiB":
            break
        size /= 1024
    return f"{size:.4g} {unit}"


# ---- what is free


def free_bytes() -> float:
    """Bytes that this process can still get, as far as the system says; infinity where it does not."""
    return max(0.0, min(_of_the_machine(), _of_the_group(), _of_the_process()))


def _read(file: str) -> str:
    return Path(file).read_text(encoding="ascii")


def _of_the_machine() -> float:
    with contextlib.suppress(OSError, ValueError, KeyError):
        lines = dict(line.split(":") for line in _read("/proc/meminfo").splitlines())
        return sum(int(lines[key].split()[0]) * 1024 for key in ("MemAvailable", "SwapFree"))
    if sys.platform != "win32":  # which refuses what does not fit by itself
        with contextlib.suppress(OSError, ValueError, AttributeError):  # not Linux: not more than there is
            return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return math.inf


# A container's limit, what it uses, and the line of its statistics that says how much of that are files: cgroups of
# version 2 and 1.
_GROUPS = [
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file "),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file ",
    ),
]  # fmt: skip


def _of_the_group() -> float:
    for most, used, statistics, files in _GROUPS:
        with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
            left = int(_read(most)) - int(_read(used))
            lines = _read(statistics).splitlines()
            return left + sum(int(line.split()[1]) for line in lines if line.startswith(files))
    return math.inf


def _of_the_process() -> float:
    """What `ulimit -v` leaves."""
    if sys.platform == "win32":
        return math.inf
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:
            return most - int(_read("/proc/self/statm").split()[0]) * resource.getpagesize()
    return math.inf
