"""Assertions about rank and shape, the part of `tf.debugging` that is about sizes."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor

__all__ = ["assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_scalar", "assert_shapes"]


def _rank(x: Any) -> tuple[int, tuple]:
    x = as_tensor(x)
    return len(x.sizes), tuple(x.sizes)


def _given_rank(rank: Any) -> int:
    value = np.asarray(as_tensor(rank).array)
    if value.dtype.kind not in "iu":
        raise TypeError(f"A rank must be an integer, got {rank!r}.")
    if value.ndim:
        raise ValueError(f"Rank must be a scalar, got {rank!r}.")
    return int(value)


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises ValueError unless `x` has this many axes.

    Args:
        rank: How many axes there have to be.

    Raises:
        ValueError: If there are others.

    >>> tf.debugging.assert_rank(tf.zeros([2, 3]), 2)
    """
    found, shape = _rank(x)
    if found != (wanted := _given_rank(rank)):
        raise ValueError(
            f"{message or ''} Tensor must have rank {wanted}. Received rank {found}, shape {shape}".strip()
        )


def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises ValueError unless `x` has at least this many axes.

    Args:
        rank: How many axes there have to be, at least.

    Raises:
        ValueError: If there are fewer.

    >>> tf.debugging.assert_rank_at_least(tf.zeros([2, 3]), 1)
    """
    found, shape = _rank(x)
    if found < (wanted := _given_rank(rank)):
        raise ValueError(
            f"{message or ''} Tensor must have rank at least {wanted}. Received rank {found}, shape {shape}".strip()
        )


def assert_rank_in(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises ValueError unless the number of axes of `x` is one of `ranks`.

    Args:
        ranks: The numbers of axes that are allowed.

    Raises:
        ValueError: If there are others.

    >>> tf.debugging.assert_rank_in(tf.zeros([2, 3]), (1, 2))
    """
    found, shape = _rank(x)
    wanted = tuple(_given_rank(r) for r in ranks)
    if found not in wanted:
        raise ValueError(
            f"{message or ''} Tensor must have rank in {wanted}. Received rank {found}, shape {shape}".strip()
        )


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Raises ValueError unless the tensor has no axes.

    Raises:
        ValueError: If it has axes.

    >>> tf.debugging.assert_scalar(tf.constant(3.))
    """
    tensor = as_tensor(tensor)
    if tensor.sizes.rank:
        raise ValueError(f"{message or ''} Expected scalar shape, saw shape: {tuple(tensor.shape)}.".strip())


def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raises ValueError unless tensors have the given shapes, in which one name means one size wherever it occurs.

    `shapes` is a list of `(tensor, shape)`. A size is a number, a name, or None or "." for any; a leading `...` or "*"
    stands for any number of axes.

    Args:
        shapes: Pairs (tensor, shape), or a dict of them.
        data: What the error shows; None: the tensors.

    Raises:
        ValueError: If a tensor has another shape.

    >>> x, w = tf.zeros([8, 3]), tf.zeros([3, 5])
    >>> tf.debugging.assert_shapes([(x, ("batch", "in")), (w, ("in", "out"))])
    >>> tf.debugging.assert_shapes([(x, ("batch", "in")), (x, ("in", "batch"))])
    Traceback (most recent call last):
    ValueError: Axis 0 of the tensor of shape (8, 3) is 'in' and must have size 3, as axis 1 of a tensor of shape
    (8, 3) has; its size is 8.
    """
    sizes: dict[Any, tuple[int, str]] = {}
    start = f"{message} " if message else ""
    for tensor, wanted in shapes.items() if isinstance(shapes, Mapping) else shapes:
        shape = tuple(as_tensor(tensor).sizes)
        if not isinstance(wanted, Iterable):
            raise ValueError(
                f"{start}The shape of a tensor of shape {shape} must be given as an iterable, not as {wanted!r}."
            )
        wanted = list(wanted)
        if wanted[:1] and wanted[0] in (..., "...", "*"):
            wanted = [None] * (len(shape) - len(wanted) + 1) + wanted[1:]
        if len(wanted) == 1 and not shape:
            shape = (1,)  # a scalar passes for a vector of one element
        if any(w in (..., "...", "*") for w in wanted):
            raise ValueError(
                f"{start}`...` or `*` for a variable number of unspecified dimensions is only allowed as the first "
                "entry."
            )
        if len(wanted) != len(shape):
            raise ValueError(f"{start}Tensor must have rank {len(wanted)}. Received rank {len(shape)}, shape {shape}")
        for axis, (size, want) in enumerate(zip(shape, wanted)):
            if want in (None, "."):
                continue
            if isinstance(want, str) and not want.isdigit():
                known, where = sizes.setdefault(want, (size, f"axis {axis} of a tensor of shape {shape}"))
                if known != size:
                    raise ValueError(
                        f"{start}Axis {axis} of the tensor of shape {shape} is {want!r} and must have size {known}, "
                        f"as {where} has; its size is {size}."
                    )
            elif int(want) != size:
                raise ValueError(
                    f"{start}Axis {axis} of the tensor of shape {shape} must have size {int(want)}; its size is "
                    f"{size}."
                )
