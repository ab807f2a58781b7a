"""The form of a sample, and makers of arrays."""

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Sample:
    """Arguments for one primitive. `args` are arrays (float64 wherever a gradient is checked), `params` the static
    parameters.

    `reference(*args, **params)` is the same computed with NumPy (or SciPy) in another way, None where the kernel is
    one NumPy call. `order` is how many derivatives are compared with finite differences (0: none, for special points
    and integer results). `skip` names inputs whose derivative is not checked, each with a reason in a comment beside
    it.
    """

    args: tuple
    params: dict = field(default_factory=dict)
    reference: Any = None
    order: int = 2
    skip: tuple[str, ...] = ()
    rtol: float = 1e-4


def of(*args, reference=None, order=2, skip=(), rtol=1e-4, **params):
    return Sample(args, params, reference, order, skip, rtol)


def normal(*shape, seed="", scale=1.0, shift=0.0):
    """Random numbers, the same every time for one shape and seed."""
    rng = np.random.default_rng(zlib.crc32(f"{shape}{seed}".encode()))
    return shift + scale * rng.normal(size=shape)


def positive(*shape, seed=""):
    return np.abs(normal(*shape, seed=seed)) + 0.5


def between(low, high, *shape, seed=""):
    rng = np.random.default_rng(zlib.crc32(f"{low}{high}{shape}{seed}".encode()))
    return rng.uniform(low, high, size=shape)


def complex_normal(*shape, seed=""):
    return normal(*shape, seed=seed + "re") + 1j * normal(*shape, seed=seed + "im")


# Where functions break: a special sample is checked for its value and shape only (order=0).
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, np.pi, -np.pi, 1e-30, 1000.0, -1000.0, np.inf, -np.inf, np.nan])
EMPTY = np.zeros((0, 3))
SCALAR = np.float64(0.7)
