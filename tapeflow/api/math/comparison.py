"""Comparisons, logic on booleans, and questions about numbers. Their results are booleans, so no gradient passes."""

from math import prod
from typing import Any

from tapeflow.api.arguments import expose
from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

equal = expose(
    ops.equal,
    "equal(x, y)",
    """x == y, element by element, with broadcasting; for numbers, booleans and strings. NaN equals nothing.

    >>> tf.equal([1, 2, 3], [1, 5, 3]).numpy()
    array([ True, False,  True])
    """,
)
not_equal = expose(
    ops.not_equal,
    "not_equal(x, y)",
    """x != y, element by element, with broadcasting.

    >>> tf.not_equal(["a", "b"], "a").numpy()
    array([False,  True])
    """,
)
less = expose(
    ops.less,
    "less(x, y)",
    """x < y, element by element, with broadcasting.

    >>> tf.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """,
)
less_equal = expose(
    ops.less_equal,
    "less_equal(x, y)",
    """x <= y, element by element, with broadcasting.

    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """,
)
greater = expose(
    ops.greater,
    "greater(x, y)",
    """x > y, element by element, with broadcasting.

    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """,
)
greater_equal = expose(
    ops.greater_equal,
    "greater_equal(x, y)",
    """x >= y, element by element, with broadcasting.

    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """,
)

# ---- logic

logical_and = expose(
    ops.logical_and,
    "logical_and(x, y)",
    """True where both are.

    >>> tf.logical_and([True, True, False], [True, False, False]).numpy()
    array([ True, False, False])
    """,
)
logical_or = expose(
    ops.logical_or,
    "logical_or(x, y)",
    """True where either is.

    >>> tf.logical_or([True, True, False], [True, False, False]).numpy()
    array([ True,  True, False])
    """,
)
logical_not = expose(
    ops.logical_not,
    "logical_not(x)",
    """True where x is not.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """,
)


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """True where exactly one of them is.

    >>> tf.math.logical_xor([True, True, False], [True, False, False]).numpy()
    array([False,  True, False])
    """
    return ops.logical_xor(x, y)


# ---- questions about numbers

is_finite = expose(
    ops.is_finite,
    "is_finite(x)",
    """True where x is neither infinite nor NaN.

    >>> tf.math.is_finite([1., np.inf, np.nan]).numpy()
    array([ True, False, False])
    """,
)
is_inf = expose(
    ops.is_inf,
    "is_inf(x)",
    """True where x is infinite, of either sign.

    >>> tf.math.is_inf([1., -np.inf, np.nan]).numpy()
    array([False,  True, False])
    """,
)
is_nan = expose(
    ops.is_nan,
    "is_nan(x)",
    """True where x is not a number.

    >>> x = tf.constant([1., np.nan])
    >>> tf.where(tf.math.is_nan(x), 0., x).numpy()
    array([1., 0.], dtype=float32)
    """,
)


def _neighbours(x: Any) -> tuple[Tensor, Tensor]:
    """All elements but the last and all but the first, in order."""
    x = as_tensor(x)
    flat = ops.reshape(x, shape=(prod(x.shape),))
    return ops.getitem(flat, index=((None, -1, None),)), ops.getitem(flat, index=((1, None, None),))


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Is no element smaller than the one before it? Fewer than two elements are in order.

    >>> tf.math.is_non_decreasing([1., 2., 2.]).numpy()
    np.True_
    """
    return ops.reduce_all(ops.less_equal(*_neighbours(x)), axis=(0,), keepdims=False)


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Is every element larger than the one before it? Fewer than two elements are in order.

    >>> tf.math.is_strictly_increasing([1., 2., 2.]).numpy()
    np.False_
    """
    return ops.reduce_all(ops.less(*_neighbours(x)), axis=(0,), keepdims=False)
