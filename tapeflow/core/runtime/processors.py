"""How many processors the process may use, where a container may have fewer than the machine; threads to match.

OpenBLAS makes a thread for each processor of the process's affinity and does not look at the limits of control groups:
in a container with two of 64 processors, 64 threads take turns, and each product waits for all of them.
"""

import contextlib
import ctypes
import glob
import os
import sys

import numpy as np

_CGROUPS = "/sys/fs/cgroup"
_WORDS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_SETTERS = [f"{prefix}openblas_set_num_threads{end}" for prefix in ("scipy_", "") for end in ("64_", "")]


def processors() -> int:
    """How many the process may use: its affinity, the limit of its control group, and what the environment says to the
    libraries that multiply matrices."""
    said = [int(os.environ[name]) for name in _WORDS if os.environ.get(name, "").isdigit()]
    return max(1, min([_of_affinity(), _limit(), *said]))


def fit_blas() -> bool:
    """Has NumPy's OpenBLAS have no more threads than the control group has processors; False if there is no need, or
    somebody has decided already, or NumPy has another library."""
    limit = _limit()
    if limit >= _of_affinity() or any(name in os.environ for name in _WORDS):
        return False
    for path in glob.glob(os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs", "*openblas*")):
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(path)  # NumPy has it loaded
            for name in _SETTERS:
                if hasattr(library, name):
                    getattr(library, name)(limit)
                    return True
    return False


def _of_affinity() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _limit() -> int:
    """Of processor time, in whole processors; very many where there is none."""
    with contextlib.suppress(OSError, ValueError):
        quota, period = _read("cpu.max").split()
        return sys.maxsize if quota == "max" else max(1, -(-int(quota) // int(period)))
    with contextlib.suppress(OSError, ValueError):  # the first version of control groups
        share, each = int(_read("cpu", "cpu.cfs_quota_us")), int(_read("cpu", "cpu.cfs_period_us"))
        return sys.maxsize if share <= 0 else max(1, -(-share // each))
    return sys.maxsize


def _read(*names: str) -> str:
    with open(os.path.join(_CGROUPS, *names), encoding="ascii") as file:
        return file.read()
