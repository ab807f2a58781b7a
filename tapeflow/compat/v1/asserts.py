"""Assertions of version 1, whose third argument was `data` to print when they fail."""

from typing import Any

from tapeflow import debugging as _debugging

__all__ = [
    "assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal", "assert_near",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "assert_rank", "assert_rank_at_least", "verify_tensor_all_finite",
]  # fmt: skip


def assert_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_equal`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_equal(1, 1)
    """
    _debugging.assert_equal(x, y, message=message, summarize=summarize)


def assert_near(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_near`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_near(1., 1.)
    """
    _debugging.assert_near(x, y, message=message, summarize=summarize)


def assert_less(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_less`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_less(1, 2)
    """
    _debugging.assert_less(x, y, message=message, summarize=summarize)


def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_less_equal`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_less_equal(1, 1)
    """
    _debugging.assert_less_equal(x, y, message=message, summarize=summarize)


def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_greater`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_greater(2, 1)
    """
    _debugging.assert_greater(x, y, message=message, summarize=summarize)


def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_greater_equal`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_greater_equal(1, 1)
    """
    _debugging.assert_greater_equal(x, y, message=message, summarize=summarize)


def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_none_equal`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_none_equal(1, 2)
    """
    _debugging.assert_none_equal(x, y, message=message, summarize=summarize)


def assert_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """`tf.debugging.assert_positive`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_positive(1)
    """
    _debugging.assert_positive(x, message=message, summarize=summarize)


def assert_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """`tf.debugging.assert_negative`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_negative(-1)
    """
    _debugging.assert_negative(x, message=message, summarize=summarize)


def assert_non_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """`tf.debugging.assert_non_negative`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_non_negative(0)
    """
    _debugging.assert_non_negative(x, message=message, summarize=summarize)


def assert_non_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """`tf.debugging.assert_non_positive`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_non_positive(0)
    """
    _debugging.assert_non_positive(x, message=message, summarize=summarize)


def assert_rank(
    x: Any, rank: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_rank`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_rank([1], 1)
    """
    _debugging.assert_rank(x, rank, message=message)


def assert_rank_at_least(
    x: Any, rank: Any, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> None:  # fmt: skip
    """`tf.debugging.assert_rank_at_least`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.assert_rank_at_least([1], 1)
    """
    _debugging.assert_rank_at_least(x, rank, message=message)


def verify_tensor_all_finite(
    t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None, message: str | None = None
) -> Any:
    """`tf.debugging.assert_all_finite`: the tensor itself, unless there is a NaN or an infinity in it.

    Returns:
        The tensor.

    Raises:
        InvalidArgumentError: If there is a NaN or an infinity in it.

    >>> tf.compat.v1.verify_tensor_all_finite(tf.constant(1.), "bad numbers").numpy()
    np.float32(1.0)
    """
    return _debugging.assert_all_finite(t if x is None else x, msg if message is None else message)
