"""How close two results are that were rounded on different ways: by the arithmetic, not by what one machine happens to
give.

A number has a relative error of half a unit in its last place from each rounding. A sum of n terms has been rounded n
times, and its error is relative to its terms, which may be much larger than the sum is. Which order a sum goes in, and
what the last place of an exponential is, depends on the processor: `scripts/perturb.py` runs the tests with others.
"""

import re
from typing import Any

import numpy as np

_NUMBER = re.compile(r"(?<![A-Za-z_\d.])-?(?:\d+\.\d*|\.\d+|\d+)(?:e[+-]?\d+)?(?![A-Za-z_\d])")


def close(got: Any, want: Any, terms: int = 1, size: Any = 0.0, dtype: Any = None, what: str = "") -> None:
    """Equal, but for the rounding of sums of that many terms, the largest of them of that size; functions count as a
    few terms.

    `dtype` is what was computed in, if that was narrower than what came out.
    """
    got, want = np.asarray(got), np.asarray(want)
    relative = tolerance(narrowest(got, want) if dtype is None else dtype, terms)
    _numpys(got, want, rtol=relative, atol=relative * size, err_msg=what)


_numpys = np.testing.assert_allclose


def assert_allclose(actual: Any, desired: Any, rtol: float | None = None, *args: Any, **kwargs: Any) -> None:
    """NumPy's, but that it does not ask for all digits of float32 where the test names no tolerance."""
    if rtol is None:
        single = narrowest(actual, desired) in (np.float32, np.complex64)
        rtol = tolerance(np.float32, terms=4) if single else 1e-7
    _numpys(actual, desired, rtol, *args, **kwargs)


def tolerance(dtype: Any, terms: int = 1) -> float:
    """The relative error to expect after so many roundings, with room for both sides and for functions that are right
    to two units."""
    return float(4 * terms * np.finfo(dtype).eps)


def narrowest(*arrays: Any) -> np.dtype:
    """Of those that round, the type with the fewest digits."""
    dtypes = [np.asarray(a).dtype for a in arrays]
    return max((d for d in dtypes if d.kind in "fc"), key=lambda d: np.finfo(d).eps, default=np.dtype(float))


def same_text(want: str, got: str) -> bool:
    """Are two texts the same but for spaces and for the rounding of numbers? The digits say what was computed in: up
    to nine, float32."""
    if "".join(_NUMBER.sub("#", want).split()) != "".join(_NUMBER.sub("#", got).split()):
        return False
    for a, b in zip(_NUMBER.findall(want), _NUMBER.findall(got), strict=True):
        if "." not in a + b and a != b:
            return False
        digits = max(len(re.sub(r"e.*|\D", "", text).strip("0")) for text in (a, b))
        if abs(float(a) - float(b)) > tolerance(np.float32 if digits < 10 else np.float64, terms=4) * abs(float(a)):
            return False
    return True
