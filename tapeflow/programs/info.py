"""`tapeflow info`: what computes here."""

import importlib.metadata
import platform

import numpy as np

from tapeflow.engines.native.library import library


def info(version: str) -> int:
    """Prints the versions, and which engines there are.

    >>> info("1.2.3")  # doctest: +ELLIPSIS
    tapeflow   1.2.3
    Python ...
    NumPy ...
    C library ...
    XLA ...
    0
    """
    rows = {
        "tapeflow": version,
        "Python": f"{platform.python_version()}, {platform.system()} {platform.machine()}",
        "NumPy": np.__version__,
        "C library": library.state,
        "XLA": _version("jax", "by jax {}", "not there: jax is not installed"),
    }
    for name, value in rows.items():
        print(f"{name:<10} {value}")
    return 0


def _version(package: str, there: str, missing: str) -> str:
    try:
        return there.format(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return missing
