"""Joining and splitting along an axis. `axis` is a non-negative int here."""

import itertools

from tapeflow.core.batching import shift
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import LINEAR, TOGETHER, Spec, primitive

from .indexing import boxed


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
    jvp=TOGETHER,
    batch=shift("axis"),
    makes_new=True,
)


def _stack(xp, *xs, axis):
    first = xs[0].shape
    for k, x in enumerate(xs):
        if x.shape != first:
            raise invalid(f"Shapes of all inputs must match: values[0].shape = {first} != values[{k}].shape = {x.shape}")
    return xp.stack(xs, axis=axis)


stack = primitive(
    "stack(*xs, axis)",
    kernel=_stack,
    shape=lambda *xs, axis: Spec(shape=(*xs[0].shape[:axis], len(xs), *xs[0].shape[axis:]), dtype=xs[0].dtype),
    vjp=lambda ops, g, i, axis: ops.getitem(g, index=(*[(None, None, None)] * axis, i)),
    jvp=TOGETHER,
    batch=shift("axis"),
    makes_new=True,
)


def _split(x, sizes, axis):
    before = (slice(None),) * axis
    ends = itertools.accumulate(sizes)
    return tuple([x[*before, end - size : end] for size, end in zip(sizes, ends)])


split = primitive(
    "split(x, *, sizes, axis)",
    kernel=_split,
    shape=lambda x, sizes, axis: tuple(Spec(shape=(*x.shape[:axis], s, *x.shape[axis + 1 :]), dtype=x.dtype) for s in sizes),
    vjp=lambda ops, g, axis: ops.concat(*g, axis=axis),
    jvp=LINEAR,
    batch=shift("axis"),
    outputs=("*",),
)


def _unstack(x, axis):
    before = (slice(None),) * axis
    return tuple([boxed(x[*before, i]) for i in range(x.shape[axis])])


unstack = primitive(
    "unstack(x, *, axis)",
    kernel=_unstack,
    shape=lambda x, axis: (Spec(shape=(*x.shape[:axis], *x.shape[axis + 1 :]), dtype=x.dtype),) * int(x.shape[axis]),
    vjp=lambda ops, g, axis: ops.stack(*g, axis=axis),
    jvp=LINEAR,
    batch=shift("axis"),
    outputs=("*",),
)
