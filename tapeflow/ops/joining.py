"""Joining and splitting along an axis. `axis` is a non-negative int here."""

import numpy as np

from tapeflow.core.primitive import Spec, primitive


def _slab(rank, axis, start, stop):
    return tuple((start, stop, 1) if i == axis else (None, None, None) for i in range(rank))


def _concat_shape(*xs, axis):
    sizes = [x.shape[axis] for x in xs]
    total = None if None in sizes else sum(sizes)
    return Spec(shape=(*xs[0].shape[:axis], total, *xs[0].shape[axis + 1 :]), dtype=xs[0].dtype)


def _concat_vjp(ops, g, i, xs_shape, axis):
    start = sum(s[axis] for s in xs_shape[:i])
    return ops.getitem(g, index=_slab(len(g.shape), axis, start, start + xs_shape[i][axis]))


concat = primitive(
    "concat(*xs, axis)",
    kernel=lambda xp, *xs, axis: xp.concatenate(xs, axis=axis),
    shape=_concat_shape,
    vjp=_concat_vjp,
)

stack = primitive(
    "stack(*xs, axis)",
    kernel=lambda xp, *xs, axis: xp.stack(xs, axis=axis),
    shape=lambda *xs, axis: Spec(shape=(*xs[0].shape[:axis], len(xs), *xs[0].shape[axis:]), dtype=xs[0].dtype),
    vjp=lambda ops, g, i, axis: ops.getitem(g, index=(*[(None, None, None)] * axis, i)),
)


def _split_shape(x, sizes, axis):
    return tuple(Spec(shape=(*x.shape[:axis], s, *x.shape[axis + 1 :]), dtype=x.dtype) for s in sizes)


split = primitive(
    "split(x, *, sizes, axis)",
    kernel=lambda xp, x, sizes, axis: tuple(xp.split(x, [int(e) for e in np.cumsum(sizes)[:-1]], axis=axis)),
    shape=_split_shape,
    vjp=lambda ops, g, axis: ops.concat(*g, axis=axis),
    outputs=("*",),
)
