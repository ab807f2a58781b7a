"""`tf.autograph.experimental`: what to leave as it is, and how loops run."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from tapeflow.function.autograph import public as _public

__all__ = ["Feature", "do_not_convert", "set_loop_options"]


class Feature(Enum):
    """TensorFlow's optional conversions. They are accepted; what is useful of them is always on.

    >>> tf.autograph.experimental.Feature.ALL.name
    'ALL'
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Decorates a function whose code `tf.function` is to run as it is written.

    Args:
        func: A Python function; None: a decorator comes back.

    Returns:
        The function, marked; or a decorator.

    >>> @tf.autograph.experimental.do_not_convert
    ... def scaled(x, by):
    ...     return x * by if by else x
    >>> tf.function(lambda x: scaled(x, 2.))(tf.constant(3.)).numpy()
    np.float32(6.0)
    """
    return do_not_convert if func is None else _public.as_it_is(func)


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Called first thing in a loop over tensors, says how often it runs at most, and which variables change their
    shape.

    `shape_invariants` are pairs of a variable and the shape that it keeps, None for sizes that change. Plain Python
    pays no attention to it.

    Args:
        maximum_iterations: How often the loop runs at most; None: no limit.
        shape_invariants: Pairs (variable, shape).

    >>> @tf.function
    ... def powers(x):
    ...     for _ in tf.range(3):
    ...         tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
    ...         x = tf.concat([x, 2. * x], 0)
    ...     return x
    >>> powers(tf.constant([1.])).numpy()
    array([1., 2., 2., 4., 2., 4., 4., 8.], dtype=float32)
    """
