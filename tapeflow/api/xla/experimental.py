"""`tf.xla.experimental`: older names for compilation, which `tf.function(jit_compile=True)` does."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tapeflow.api.control.function import function
from tapeflow.core.tensor import Tensor

__all__ = ["compile", "jit_scope"]


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """`computation(*inputs)`, compiled by XLA; a list where it gives one tensor.

    Args:
        computation: A function of tensors.
        inputs: Its arguments; None: it has none.

    Returns:
        A list of tensors.

    >>> [y] = tf.xla.experimental.compile(lambda x: x + 1., [tf.constant(1.)])
    >>> y.numpy()
    np.float32(2.0)
    """
    found = function(computation, jit_compile=True)(*(inputs or ()))
    return [found] if isinstance(found, Tensor) else found


@contextmanager
def jit_scope(compile_ops: bool = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """A context whose operations XLA may compile; eager ones are computed as they are.

    Args:
        compile_ops: Taken and not used.
        separate_compiled_gradients: Taken and not used.

    >>> with tf.xla.experimental.jit_scope():
    ...     y = tf.square(3.)
    """
    yield
