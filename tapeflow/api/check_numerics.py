"""`tf.debugging.enable_check_numerics`: every operation, forward and backward, is checked for infinities and NaNs.

The checker is an observer like a tape. While it watches, backward walks run on recorded operations, so it sees those too.
"""

import sys
from typing import Any

import numpy as np

from tapeflow.core.apply import describe
from tapeflow.core.errors import invalid
from tapeflow.core.frames import current, enter
from tapeflow.core.tensor import EagerTensor
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of

from .formatting import tensor_text

__all__ = ["disable_check_numerics", "enable_check_numerics"]


class _Everything:
    """The ids of all tensors."""

    def __contains__(self, tensor_id: int) -> bool:
        return True


class _Checker:
    """An observer that refuses results that are not finite."""

    watched, records = _Everything(), None
    differentiates = False  # NumPy functions may leave while nothing but the checker looks on

    def see(self, prim: Any, args: tuple, params: dict, out: Any, mask: int) -> None:
        if prim.moves:  # it hands on what others made
            return
        for k, result in enumerate(out if type(out) is tuple else (out,)):
            if not result.dtype.is_inexact or not isinstance(result, (EagerTensor, MappedTensor)):
                continue
            array = values_of(result)
            if not np.isfinite(array).all():
                raise invalid(_report(prim, args, params, k, array))

    def read(self, variable: Any, tensor: Any) -> None:
        pass

    def left(self, tensor: Any, how: str) -> None:
        pass


def _report(prim: Any, args: tuple, params: dict, k: int, array: Any) -> str:
    forward = _differentiated()
    what = f'op "{prim.name}"' + (f', part of the gradient of "{forward}"' if forward else "")
    output = f"output {k} of " if prim.outputs else ""
    counts = ", ".join(
        f"{int(test(array).sum())} {word}" for word, test in (("infinite", np.isinf), ("NaN", np.isnan)) if test(array).any()
    )
    inputs = "\n".join(f"  input {i}: {tensor_text(values_of(a))}" for i, a in enumerate(args))
    return (
        f"Detected Infinity or NaN in {output}{what}: {counts} of {np.size(array)} elements of a tensor of shape {array.shape}.\n"
        f"  {describe(prim, args, params)}\n{inputs}\n  output: {tensor_text(array)}"
    )


def _differentiated() -> str | None:
    """The operation whose rule is being run, if a backward walk is: rules are called from code named after their primitive."""
    frame, start = sys._getframe(2), "<backward of "
    while frame is not None:
        if frame.f_code.co_filename.startswith(start):
            return frame.f_code.co_filename[len(start) : -1]
        frame = frame.f_back
    return None


_checker = _Checker()


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on an operation that gives an infinity or a NaN raises InvalidArgumentError, in gradients too.

    The message names the operation, the line, its inputs, and in a backward walk the operation that is being differentiated.
    It holds in this thread until `disable_check_numerics()`.

    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(tf.constant([1., 0.]))
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(str(error).splitlines()[0])
    Detected Infinity or NaN in op "log": 1 infinite of 2 elements of a tensor of shape (2,).
    >>> tf.debugging.disable_check_numerics()
    """
    if _checker not in current().observers:
        enter(current().watched_by(_checker))


def disable_check_numerics() -> None:
    """Ends what `enable_check_numerics` began.

    >>> tf.debugging.disable_check_numerics()
    >>> tf.math.log(0.).numpy()
    np.float32(-inf)
    """
    if _checker in current().observers:
        enter(current().without(_checker))
