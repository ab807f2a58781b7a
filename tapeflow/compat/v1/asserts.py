"""Assertions of version 1, whose third argument was `data` to print when they fail."""

from collections.abc import Callable
from typing import Any

from tapeflow import debugging as _debugging

__all__ = [
    "assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal", "assert_near",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "assert_rank", "assert_rank_at_least", "verify_tensor_all_finite",
]  # fmt: skip


def _about_two(name: str, example: str) -> Callable:
    new = getattr(_debugging, name)

    def old(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> None:
        new(x, y, message=message, summarize=summarize)

    return _documented(old, name, example)


def _about_one(name: str, example: str) -> Callable:
    new = getattr(_debugging, name)

    def old(
        x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
    ) -> None:
        new(x, message=message, summarize=summarize)

    return _documented(old, name, example)


def _about_rank(name: str, example: str) -> Callable:
    new = getattr(_debugging, name)

    def old(
        x: Any,
        rank: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> None:
        new(x, rank, message=message)

    return _documented(old, name, example)


def _documented(old: Callable, name: str, example: str) -> Callable:
    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"""`tf.debugging.{name}`, with one argument more: `data`.

    Nobody needs it: the error shows the tensors.

    >>> tf.compat.v1.{name}({example})
    """
    return old


assert_equal, assert_near = _about_two("assert_equal", "1, 1"), _about_two("assert_near", "1., 1.")
assert_less, assert_less_equal = _about_two("assert_less", "1, 2"), _about_two("assert_less_equal", "1, 1")
assert_greater, assert_greater_equal = _about_two("assert_greater", "2, 1"), _about_two("assert_greater_equal", "1, 1")
assert_none_equal = _about_two("assert_none_equal", "1, 2")
assert_positive, assert_negative = _about_one("assert_positive", "1"), _about_one("assert_negative", "-1")
assert_non_negative, assert_non_positive = (
    _about_one("assert_non_negative", "0"),
    _about_one("assert_non_positive", "0"),
)
assert_rank, assert_rank_at_least = _about_rank("assert_rank", "[1], 1"), _about_rank("assert_rank_at_least", "[1], 1")


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
