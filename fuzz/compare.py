"""When two outcomes of one call agree."""

from dataclasses import dataclass

import numpy as np

EPSILONS = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-23,
    "complex64": 2.0**-23,
    "float64": 2.0**-52,
    "complex128": 2.0**-52,
}


@dataclass
class Outcome:
    """What a call gave: arrays, or an exception."""

    arrays: list | None
    error: Exception | None = None

    def __str__(self):
        if self.error is not None:
            return (
                f"{type(self.error).__name__}: "
                f"{str(self.error).strip().splitlines()[0][:110] if str(self.error).strip() else ''}"
            )
        return " ".join(
            f"{a.dtype}{list(a.shape)} {np.array2string(a.ravel()[:8], precision=7, separator=',')}"
            for a in self.arrays
        )[:240]


def outcome(compute):
    try:
        return Outcome(compute())
    except Exception as error:
        return Outcome(None, error)


def disagreement(expected, got, dtypes=(), ulps=256):
    """None, or how they differ: "error", "structure", "dtype", "shape", "value". `dtypes` are those that took part in
    the arithmetic."""
    if expected.error is not None or got.error is not None:
        return None if (expected.error is None) == (got.error is None) else "error"
    if len(expected.arrays) != len(got.arrays):
        return "structure"
    for a, b in zip(expected.arrays, got.arrays):
        if a.dtype != b.dtype and not {a.dtype.kind, b.dtype.kind} <= set("OSU"):
            return "dtype"
        if a.shape != b.shape:
            return "shape"
        if not close(a, b, dtypes, ulps):
            return "value"
    return None


def close(a, b, dtypes=(), ulps=256, floor=1e-30):
    """Equal within rounding: relative to the largest number of the result, which sums and products of rows are rounded
    by."""
    if a.dtype.kind in "biuOSU":
        return bool(np.all(a == b))
    epsilon = max(EPSILONS.get(str(d), 0.0) for d in (a.dtype, *dtypes))
    if a.dtype.kind == "c":
        undefined = np.isnan(a.real) | np.isnan(a.imag)
        other = np.isnan(b.real) | np.isnan(b.imag)
        split = lambda z: np.stack([z[~undefined].real, z[~undefined].imag])
        return bool(np.array_equal(undefined, other)) and close(split(a), split(b), (a.dtype, *dtypes), ulps, floor)
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(b[finite]).all():
        return False
    if not finite.any():
        return True
    return bool(np.all(np.abs(a - b)[finite] <= ulps * epsilon * max(np.abs(a[finite]).max(), floor)))
