"""The form of a sample, and makers of arrays."""

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np


@dataclass
class Sample:
    """Arguments for one primitive. `args` are arrays (float64 wherever a gradient is checked), `params` the static
    parameters.

    `reference(*args, **params)` is the same computed in another way: with NumPy or SciPy by another formula, or in
    plain Python. `holds(out, *args, **params)` asserts what is exactly true of the result (`out` is a list where there
    are several), where many results would be right, or an inverse says more than a second way. Every primitive has one
    of them in at least one sample. `order` is how many derivatives are compared with finite differences (0: none, for
    special points and integer results). `skip` names inputs whose derivative is not checked, each with a reason in a
    comment beside it.
    """

    args: tuple
    params: dict = field(default_factory=dict)
    reference: Callable | None = None
    holds: Callable | None = None
    order: int = 2
    skip: tuple[str, ...] = ()
    rtol: float = 1e-4


def of(*args, reference=None, holds=None, order=2, skip=(), rtol=1e-4, **params):
    return Sample(args, params, reference, holds, order, skip, rtol)


def _ordinary(sample):
    return all(np.isfinite(a).all() for a in map(np.asarray, sample.args) if a.dtype.kind in "fc")


def referred(samples, special=True, **references):
    """The samples, those of a name without a reference having this one; without `special`, only where all inputs are
    finite."""
    fill = lambda s, f: replace(s, reference=f) if not s.reference and (special or _ordinary(s)) else s
    return samples | {name: [fill(s, f) for s in samples[name]] for name, f in references.items()}


def completed(samples, names):
    """The samples, where those of each of the names that have no reference have that of the first one that has."""
    first = {name: next(s.reference for s in samples[name] if s.reference) for name in names.split()}
    return referred(samples, **first)


def held(samples, special=True, **properties):
    """The samples, with what holds for each of a name; without `special`, only where all inputs are finite."""
    fill = lambda s, f: replace(s, holds=f) if special or _ordinary(s) else s
    return samples | {name: [fill(s, f) for s in samples[name]] for name, f in properties.items()}


def each(function, at=(), dtype=None):
    """A reference that applies a function of Python's numbers to every element: NaN where it has no value, an infinity
    where it overflows. `at` has the values at single points."""
    at = dict(at)

    def value(*items):
        if items[0] in at:
            return at[items[0]]
        try:
            return function(*items)
        except ValueError:
            return math.nan
        except OverflowError:
            return items[0] if items[0] in (math.inf, -math.inf) else math.inf

    def reference(*args, **params):
        spread = np.broadcast_arrays(*args)
        found = [value(*items) for items in zip(*(a.ravel().tolist() for a in spread))]
        return np.array(found, dtype or (None if found else float)).reshape(spread[0].shape)

    return reference


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
