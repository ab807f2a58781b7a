"""AutoGraph's `range` with tensors for bounds: a loop counts, and no tensor of all the numbers is made."""

from typing import Any

import numpy as np

from tapeflow.core.dtypes import DType, as_dtype, int32, int64
from tapeflow.core.errors import ValueNeeded, user_line
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable

from .symbolic import is_scalar, is_symbolic


class TensorRange:
    """`range(start, stop, step)` where some of them are tensors."""

    def __init__(self, start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> None:
        bounds = [0, start, step] if stop is None else [start, stop, step]
        bounds = [b.value() if isinstance(b, Variable) else b for b in bounds]
        self.dtype: DType = as_dtype(dtype) if dtype is not None else _dtype(bounds)
        self.start, self.stop, self.step = [self._bound(b) for b in bounds]

    def _bound(self, value: Any) -> Any:
        """A number, or a tensor of the range's dtype."""
        if type(value) is EagerTensor:
            value = int(value)
        if not isinstance(value, Tensor):
            return value
        return value if value.dtype is self.dtype else ops.cast(value, dtype=self.dtype.np)

    def count(self) -> Any:
        """How many there are: a number if it is known."""
        if not any(isinstance(b, Tensor) for b in (self.start, self.stop, self.step)):
            return len(range(self.start, self.stop, self.step))
        number = self._tensor
        step = number(self.step)
        span = ops.sub(number(self.stop), number(self.start))
        # rounded up: as many steps as begin before the end
        steps = ops.neg(ops.floordiv(ops.neg(span), step))
        return ops.maximum(steps, number(0))

    def element(self, k: Tensor) -> Tensor:
        value = k if self.dtype is int32 else ops.cast(k, dtype=self.dtype.np)
        if isinstance(self.step, Tensor) or self.step != 1:
            value = ops.mul(value, self._tensor(self.step))
        return ops.add(value, self._tensor(self.start)) if isinstance(self.start, Tensor) or self.start else value

    def _tensor(self, value: Any) -> Tensor:
        return value if isinstance(value, Tensor) else EagerTensor(np.asarray(value, self.dtype.np))

    def __iter__(self) -> Any:
        raise ValueNeeded(
            f"Python has to know how many numbers range() gives, and its arguments are tensors, at {user_line()}."
        )

    __len__ = __getitem__ = __iter__


def range_(*bounds: Any) -> Any:
    """Python's `range`, also of tensors."""
    return TensorRange(*bounds) if any(map(is_symbolic, bounds)) else range(*bounds)


def range_for_loop(*args: Any, **kwargs: Any) -> TensorRange | None:
    """`tf.range` as a loop needs it. None where it has to be the tensor: of floats, or with other arguments."""
    names = ["start", "limit", "delta", "dtype", "name"]
    given = dict(zip(names, args)) | kwargs
    bounds = [given.get("start"), given.get("limit"), given.get("delta", 1)]
    known = [b for b in bounds if b is not None]
    if set(given) - set(names) or not all(map(_is_integer, known)) or not isinstance(bounds[2], int) or bounds[2] == 0:
        return None
    dtype = given.get("dtype")
    if dtype is not None and not as_dtype(dtype).is_integer:
        return None
    start, limit, delta = bounds
    return TensorRange(start, limit, delta, dtype=dtype)


def _is_integer(value: Any) -> bool:
    if isinstance(value, (Tensor, Variable)):
        return value.dtype.is_integer and is_scalar(value)
    return type(value) is int and abs(value) < 2**31 or isinstance(value, np.integer)


def _dtype(bounds: list) -> DType:
    dtypes = {b.dtype for b in bounds if isinstance(b, Tensor)}
    if any(not d.is_integer for d in dtypes):
        raise TypeError(
            f"range() takes integers, got {', '.join(d.name for d in dtypes)}, at {user_line()}. Use tf.range or "
            "tf.cast."
        )
    wide = int64 in dtypes or any(isinstance(b, np.int64) for b in bounds)
    return int64 if wide else next(iter(dtypes), int32)
