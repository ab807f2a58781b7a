"""Batching rules: what a primitive does when some of its arguments carry one more axis, always the first.

    batch=shift("axis")      # in a declaration; the mapped axis is axis 0, so the others move up

A rule is called as `rule(op, args, batched, params)`: `op` applies the primitive, `args` are tensors, `batched` says
which of them have the axis, and the result (or every one of several) has it too. Rules compute with the primitives, so
that whoever watches the batched computation is told of it. They need not be here: one that serves a single primitive
stands beside its declaration.
"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from tapeflow.core.contracts import Operation
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops


def rule_of(prim: Operation) -> Callable | None:
    """The batching rule: the declared one, or alignment where the operation broadcasts or is elementwise."""
    return prim.batch or (aligned if prim.elementwise or prim.broadcasts is not None else None)


def rows_of(args: Any, batched: list[bool]) -> int:
    """How many rows there are."""
    return next(a.sizes[0] for a, b in zip(args, batched) if b)


def spread(x: Any, size: int) -> Any:
    """An argument without the axis, repeated along it."""
    if None in tuple(x.sizes):  # how long a loop's history is turns out when it runs
        return ops.take(ops.stack(x, axis=0), np.zeros(size, np.int32), axis=0)
    return ops.broadcast_to(x, shape=(size, *x.sizes))


def all_batched(args: Any, batched: list[bool]) -> list:
    """The arguments, all with the axis."""
    if all(batched):
        return list(args)
    size = rows_of(args, batched)
    return [a if b else spread(a, size) for a, b in zip(args, batched)]


def aligned(op: Callable, args: Any, batched: list[bool], params: dict) -> Any:
    """For arguments that broadcast against each other: axes of size 1 after the first keep the others in line."""
    if len(args) == 1:
        return op(*args, **params)
    ranks = [a.ndim - b for a, b in zip(args, batched)]
    rank = max(ranks)
    return op(*[_with_rank(a, r, rank) if b and r < rank else a for a, r, b in zip(args, ranks, batched)], **params)


def matrices(op: Callable, args: Any, batched: list[bool], params: dict) -> Any:
    """For primitives of matrices with leading axes that broadcast."""
    refuse_vectors(op, args, batched)
    return aligned(op, args, batched, params)


def refuse_vectors(op: Callable, args: Any, batched: list[bool]) -> None:
    """A row must be a matrix by itself; if it is a vector, all rows together would pass for one."""
    shapes = [tuple(a.sizes)[b:] for a, b in zip(args, batched)]
    if min(map(len, shapes)) < 2:
        given = " and ".join(map(str, shapes))
        raise invalid(
            f"{op.__name__} takes matrices, tensors of rank 2 or more; in each row of a mapped function it was given "
            f"{given}."
        )


def _with_rank(x: Any, have: int, wanted: int) -> Any:
    shape = tuple(x.sizes)
    return ops.reshape(x, shape=(shape[0], *(1,) * (wanted - have), *shape[1:]))


def leading(op: Callable, args: Any, batched: list[bool], params: dict) -> Any:
    """For primitives that work on the last axes and take any number of axes before them."""
    return op(*all_batched(args, batched), **params)


def shift(*names: str) -> Callable:
    """For primitives with axes as parameters, an int or a tuple of them: the axes move up by one."""

    def rule(op: Callable, args: Any, batched: list[bool], params: dict) -> Any:
        return op(*all_batched(args, batched), **params | {n: shifted(params[n]) for n in names})

    return rule


def shifted(axis: Any) -> Any:
    if axis is None or isinstance(axis, int):
        return axis if axis is None or axis < 0 else axis + 1
    return tuple(map(shifted, axis))


def lengthened(*names: str) -> Callable:
    """For primitives with a shape as parameter: it begins with the number of rows."""

    def rule(op: Callable, args: Any, batched: list[bool], params: dict) -> Any:
        size = rows_of(args, batched)
        return op(*all_batched(args, batched), **params | {n: (size, *params[n]) for n in names})

    return rule


def merged(op: Callable, args: Any, batched: list[bool], params: dict) -> Any:
    """For primitives whose arguments and results all begin with an axis of independent examples: rows and examples
    become one axis."""
    args = all_batched(args, batched)
    sizes = tuple(args[0].sizes[:2])
    out = op(*[end_to_end(a) for a in args], **params)
    return tuple([apart(o, *sizes) for o in out]) if isinstance(out, tuple) else apart(out, *sizes)


# ---- for rules beside declarations


def rows_to(x: Any, axis: int) -> Any:
    """`x` with its first axis, the rows, moved to `axis`."""
    return ops.transpose(x, perm=(*range(1, axis + 1), 0, *range(axis + 1, len(x.sizes)))) if axis else x


def rows_from(x: Any, axis: int) -> Any:
    """`x` with the rows, which are at `axis`, moved to the front."""
    return ops.transpose(x, perm=(axis, *(i for i in range(len(x.sizes)) if i != axis))) if axis else x


def end_to_end(x: Any, count: int = 1) -> Any:
    """The rows laid end to end: the first axis and the next `count` become one."""
    shape = tuple(x.sizes)
    return ops.reshape(x, shape=(prod(shape[: count + 1]), *shape[count + 1 :]))


def apart(x: Any, *sizes: int) -> Any:
    """The first axis as several, of these `sizes`: undoes `end_to_end`."""
    return ops.reshape(x, shape=(*sizes, *x.sizes[1:]))
