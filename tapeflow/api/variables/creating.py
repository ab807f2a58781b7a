"""`tf.variable_creator_scope`, `tf.is_tensor`, `tf.register_tensor_conversion_function`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow.api.arrays import indexing
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import register_conversion
from tapeflow.core.dtypes import DType
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable, creators


def is_tensor(x: Any) -> bool:
    """Is `x` one of ours: a tensor, a variable, or a composite such as `tf.IndexedSlices` and `tf.RaggedTensor`?

    >>> tf.is_tensor(tf.constant(1.)), tf.is_tensor(tf.Variable(1.)), tf.is_tensor(np.ones(2)), tf.is_tensor(1.)
    (True, True, False, False)
    """
    return isinstance(x, (Tensor, Variable, IndexedSlices)) or hasattr(x, "_type_spec")


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """While it lasts, `variable_creator(next_creator, **arguments)` makes every `tf.Variable`, and may change how.

    Args:
        variable_creator: A function of the next creator and the arguments of `tf.Variable`.

    >>> def frozen(next_creator, **arguments):
    ...     return next_creator(**arguments | {"trainable": False})
    >>> with tf.variable_creator_scope(frozen):
    ...     v = tf.Variable(1.)
    >>> v.trainable
    False
    """
    token = creators.set((*creators.get(), variable_creator))
    try:
        yield
    finally:
        creators.reset(token)


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """From now on tensors are made of values of `base_type` by `conversion_func(value, dtype, name, as_ref)`.

    It may return NotImplemented to let another function try; where several fit, the lowest `priority` goes first.

    Args:
        base_type: A class, or a tuple of them.
        conversion_func: A function of (value, dtype, name, as_ref) that gives a tensor or NotImplemented.
        priority: Where several fit, the lowest goes first.

    >>> class Celsius:
    ...     def __init__(self, degrees): self.degrees = degrees
    >>> tf.register_tensor_conversion_function(
    ...     Celsius, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees + 273.15, dtype))
    >>> (Celsius(0.) + tf.constant(1.)).numpy()
    np.float32(274.15)
    """
    if not callable(conversion_func):
        raise TypeError("Argument `conversion_func` must be callable.")

    def convert(value: Any, dtype: DType | None) -> Any:
        made = conversion_func(value, dtype=dtype, name=None, as_ref=False)
        if made is NotImplemented:
            return NotImplemented
        if not isinstance(made, Tensor):
            raise RuntimeError(
                f"A conversion function for {type(value).__name__} returned {made!r}, which is not a tensor."
            )
        if dtype is not None and made.dtype is not dtype:
            raise RuntimeError(
                f"A conversion function for {type(value).__name__} returned a {made.dtype.name} tensor, not "
                f"{dtype.name}."
            )
        return made

    register_conversion(base_type, convert, priority)


def _sparse_read(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Rows of the variable, by index; their gradient is a `tf.IndexedSlices`.

    Args:
        indices: Which rows.
    """
    return ops.gather(self.operand(), as_tensor(indices), axis=0)


def _gather_nd(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """Elements, or parts, of the variable: see `tf.gather_nd`.

    Args:
        indices: Along the last axis an index into the variable.
    """
    return indexing.gather_nd(self, indices)


Variable.sparse_read = _sparse_read
Variable.gather_nd = _gather_nd
