"""Broadcasting: the shape two shapes make together, and its undoing in gradients."""

from typing import Any

from .errors import invalid


def broadcast_shapes(*shapes: Any) -> tuple:
    """NumPy's rule, with None for sizes that are not known."""
    rank = max(map(len, shapes))
    out = []
    for sizes in zip(*[(1,) * (rank - len(s)) + tuple(s) for s in shapes]):
        known = {d for d in sizes if d not in (None, 1)}
        if len(known) > 1:
            raise invalid(f"Incompatible shapes: {' vs. '.join(str(list(s)) for s in shapes)}")
        out.append(known.pop() if known else None if None in sizes else 1)
    return tuple(out)


def sum_to(ops: Any, g: Any, shape: tuple) -> Any:
    """Undo broadcasting: sum `g` down to `shape`, the adjoint of broadcast_to."""
    have = tuple(g.shape)
    if have == shape:
        return g
    extra = len(have) - len(shape)
    axis = tuple(range(extra)) + tuple(i + extra for i, d in enumerate(shape) if d == 1 != have[i + extra])
    if axis:
        g = ops.reduce_sum(g, axis=axis, keepdims=False)
    return g if tuple(g.shape) == shape else ops.reshape(g, shape=shape)
