"""Broadcasting: the shape two shapes make together, and what need not be repeated for it. (How gradients are summed
back is in `ops.broadcasting`.)"""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .errors import invalid
from .sizes import brackets


def broadcast_shapes(*shapes: Any) -> tuple:
    """NumPy's rule, with None for sizes that are not known. Of a size that is known later as little as possible is
    asked: a trace serves those sizes for which the answers are the same."""
    rank = max(map(len, shapes))
    out = []
    for sizes in zip(*[(1,) * (rank - len(s)) + tuple(s) for s in shapes]):
        counted = [d for d in sizes if d is not None and not (type(d) is int and d == 1)]
        size: Any = counted[0] if counted else None if None in sizes else 1
        for d in counted[1:]:
            if d == size:
                size = d if type(d) is int else size
                continue
            if d == 1:
                continue
            if size != 1:
                raise invalid(f"Incompatible shapes: {' vs. '.join(map(brackets, shapes))}")
            size = d
        out.append(size)
    return tuple(out)


def one_matrix_for_many(solve: Callable) -> Callable:
    """A kernel for leading axes that broadcast. Those along which the matrix does not change become more columns of
    the right-hand side: so it is factorised once, not once for each of them."""

    def kernel(a: Any, b: Any, **params: Any) -> Any:
        rank = max(a.ndim, b.ndim)
        if rank <= 2:
            return solve(a, b, **params)
        size_a, size_b = [(1,) * (rank - x.ndim) + x.shape for x in (a, b)]
        folded = [i for i in range(rank - 2) if size_a[i] == 1 != size_b[i]]
        if not folded:
            return solve(a, b, **params)
        kept = [i for i in range(rank - 2) if i not in folded]
        order = [*kept, rank - 2, *folded, rank - 1]
        wide = b.reshape(size_b).transpose(order)
        a = a.reshape([size_a[i] for i in (*kept, rank - 2, rank - 1)])
        columns = prod(wide.shape[len(kept) + 1 :])
        out = solve(a, wide.reshape(*wide.shape[: len(kept) + 1], columns), **params)
        return out.reshape(*out.shape[:-1], *wide.shape[len(kept) + 1 :]).transpose(np.argsort(order))

    return kernel
