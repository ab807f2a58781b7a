"""Gradients by name of an operation, TensorFlow's way for operations of one's own: `RegisterGradient` and
`no_gradient`."""

from collections.abc import Callable

from tapeflow.core.errors import user_line

__all__ = ["RegisterGradient", "no_gradient"]

# op type -> (gradient function, or None when there is no gradient; where it was registered)
_registry: dict[str, tuple[Callable | None, str]] = {}


def _register(op_type: str, function: Callable | None) -> None:
    if op_type in _registry:
        raise KeyError(
            f"Registering two gradient with name {op_type!r}! (Previous registration was at {_registry[op_type][1]})"
        )
    _registry[op_type] = (function, user_line())


class RegisterGradient:
    """A decorator that keeps a gradient function, `f(op, *gradients)`, under the name of an operation; each name once.

    Operations of this library have their gradients in their declarations. For a function of your own use
    `tf.custom_gradient`.

    Args:
        op_type: The name of the operation.

    Raises:
        KeyError: If the name has a gradient already.

    >>> @tf.RegisterGradient("DocsDouble")
    ... def _double_gradient(op, gradient):
    ...     return 2 * gradient
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"op_type must be a string, got {op_type!r}.")
        self._op_type = op_type

    def __call__(self, f: Callable) -> Callable:
        _register(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Says that operations of this name have no gradient; each name once.

    Args:
        op_type: The name of the operation.

    Raises:
        KeyError: If the name has a gradient already.

    >>> tf.no_gradient("DocsCounter")
    """
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string, got {op_type!r}.")
    _register(op_type, None)
