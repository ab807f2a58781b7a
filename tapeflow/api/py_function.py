"""Python code as an operation: `py_function` works on tensors and is differentiated, `numpy_function` works on arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import (
    InvalidArgumentError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)

__all__ = ["numpy_function", "py_function"]

_KINDS = (
    ((TypeError, ValueError), InvalidArgumentError),
    (StopIteration, OutOfRangeError),
    (MemoryError, ResourceExhaustedError),
    (NotImplementedError, UnimplementedError),
    (Exception, UnknownError),
)


def _called(func: Callable, arguments: list) -> Any:
    """What the user's function returns; what it raises becomes one of `tf.errors`, with the original as its cause."""
    try:
        return func(*arguments)
    except OpError:
        raise
    except Exception as error:
        kind = next(kind for types, kind in _KINDS if isinstance(error, types))
        raise kind(None, None, f"{type(error).__name__}: {error}") from error


def _outputs(result: Any, Tout: Any, convert: Callable) -> Any:
    if not isinstance(Tout, (list, tuple)):
        return convert(result, as_dtype(getattr(Tout, "dtype", Tout)))
    if result is None and not Tout:
        return []
    given = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(given) != len(Tout):
        raise InvalidArgumentError(None, None, f"The function returned {len(given)} values, but Tout lists {len(Tout)} dtypes.")
    return [convert(value, as_dtype(getattr(t, "dtype", t))) for value, t in zip(given, Tout)]


def py_function(func: Callable | None = None, inp: Sequence | None = None, Tout: Any = None, name: str | None = None) -> Any:
    """`func(*inp)` on tensors, its results as tensors of the dtypes `Tout`. Operations in it are recorded like all others.

    >>> x = tf.constant(3.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.py_function(lambda z: z * z if z > 0 else -z, [x], tf.float32)
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)
    """

    def convert(value: Any, dtype: Any) -> Any:
        try:
            return to_tensor(value, dtype)
        except (TypeError, ValueError) as error:
            raise InvalidArgumentError(None, None, f"{type(error).__name__}: {error}") from error

    return _outputs(_called(func, [as_tensor(x) for x in inp]), Tout, convert)


def numpy_function(
    func: Callable | None = None, inp: Sequence | None = None, Tout: Any = None, stateful: bool = True, name: str | None = None
) -> Any:
    """`func(*inp)` on NumPy arrays, its results as tensors. No gradient goes through it; `tf.custom_gradient` can give one.

    >>> tf.numpy_function(np.cumsum, [tf.constant([1., 2., 3.])], tf.float32).numpy()
    array([1., 3., 6.], dtype=float32)
    """

    def convert(value: Any, dtype: Any) -> Any:
        array = np.asarray(value)
        return as_tensor(array if array.dtype.kind in "SUO" or array.dtype == dtype.np else array.astype(dtype.np))

    return _outputs(_called(func, [np.asarray(as_tensor(x)) for x in inp]), Tout, convert)
