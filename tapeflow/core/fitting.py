"""Checks that shapes fit: for shape rules, before anything is computed, and for kernels where NumPy would not say it
well.

A size may be None, or known later (`core.sizes`). What is asked of those divides the calls that a trace serves, so no
more is asked than the operation itself needs.
"""

import math
from typing import Any

from tapeflow.core.errors import invalid
from tapeflow.core.sizes import alike


def differ(a: Any, b: Any) -> bool:
    """Are two sizes known not to be the same?"""
    return a is not b and a is not None and b is not None and a != b


def same_sizes(a: tuple, b: tuple) -> bool:
    """Can two shapes be the same?"""
    return len(a) == len(b) and not any(map(differ, a, b))


def spreads(shape: tuple, target: tuple) -> bool:
    """Can a tensor of one shape be broadcast to another?"""
    if len(shape) > len(target):
        return False
    for have, want in zip(reversed(shape), reversed(target)):
        if type(have) is int and have == 1:
            continue
        if differ(have, want) and have != 1:
            return False
    return True


def same_number(a: tuple, b: tuple) -> bool:
    """Can two shapes have the same number of elements? Sizes that both have are left out first: they need no
    question."""
    if {type(d) for d in (*a, *b)} <= {int}:
        return math.prod(a) == math.prod(b)
    if None in a or None in b:
        return True
    rest, other = [], list(b)
    for size in a:
        twin = next((k for k, d in enumerate(other) if alike((size,), (d,))), None)
        if twin is None:
            rest.append(size)
        else:
            del other[twin]
    return math.prod(rest) == math.prod(other) or math.prod(a) == math.prod(b)


def check_rank(x: Any, least: int, what: str = "Input") -> None:
    if len(x.shape) < least:
        raise invalid(f"{what} must have rank {least} or more, got shape {tuple(x.shape)}.")


def check_exact_rank(x: Any, rank: int, what: str = "Input") -> None:
    if len(x.shape) != rank:
        raise invalid(f"{what} must have rank {rank}, got shape {tuple(x.shape)}.")


def check_axes(x: Any, *axes: int) -> None:
    rank = len(x.shape)
    for axis in axes:
        if not -rank <= axis < rank:
            raise invalid(f"axis {axis} is out of bounds for a tensor of rank {rank}, got shape {tuple(x.shape)}.")


def check_same(what: str, *shapes: tuple) -> None:
    """`what` says whose shapes: "logits and labels"."""
    if not all(same_sizes(shapes[0], s) for s in shapes[1:]):
        raise invalid(f"{what} must have the same shape, got {' and '.join(str(tuple(s)) for s in shapes)}.")


# ---- shape rules made of them


def along_axis(x: Any, *_: Any, axis: Any, **__: Any) -> Any:
    """The same shape, which has the axis, or the axes."""
    check_axes(x, *(axis if type(axis) is tuple else (axis,)))
    return x


def along_last(x: Any, *_: Any, **__: Any) -> Any:
    """The same shape, which has a last axis."""
    check_rank(x, 1)
    return x
