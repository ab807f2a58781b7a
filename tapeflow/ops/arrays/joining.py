"""Joining and splitting along an axis. `axis` is a non-negative int here."""

import itertools

from tapeflow.core.errors import invalid
from tapeflow.core.fitting import check_axes, differ, same_sizes
from tapeflow.core.primitive import LINEAR, TOGETHER, Spec, primitive
from tapeflow.core.sizes import brackets
from tapeflow.core.tensor import sizes_of
from tapeflow.ops.batching import shift

from .indexing import boxed


def _slab(rank, axis, start, stop):
    return tuple((start, stop, 1) if i == axis else (None, None, None) for i in range(rank))


def _concat_shape(*xs, axis):
    first = xs[0]
    check_axes(first, axis)
    for k, x in enumerate(xs):
        if len(x.shape) != len(first.shape):
            raise invalid(
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = {brackets(first.shape)} vs. "
                f"shape[{k}] = {brackets(x.shape)}. Give them as many axes with tf.newaxis or tf.reshape."
            )
        for i, (a, b) in enumerate(zip(first.shape, x.shape)):
            if i != axis and differ(a, b):
                raise invalid(
                    f"ConcatOp : Dimension {i} in both shapes must be equal: shape[0] = {brackets(first.shape)} vs. "
                    f"shape[{k}] = {brackets(x.shape)}. Along all axes but {axis}, where they are joined, sizes must "
                    "be the same."
                )
    sizes = [x.shape[axis] for x in xs]
    total = None if None in sizes else sum(sizes)
    return Spec(shape=(*xs[0].shape[:axis], total, *xs[0].shape[axis + 1 :]), dtype=xs[0].dtype)


def _concat_vjp(ops, g, i, xs_shape, axis):
    start = sum(s[axis] for s in xs_shape[:i])
    return ops.getitem(g, index=_slab(len(sizes_of(g)), axis, start, start + xs_shape[i][axis]))


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
    _check_stacked(xs)
    return xp.stack(xs, axis=axis)


def _check_stacked(xs):
    first = xs[0].shape
    for k, x in enumerate(xs):
        if x.shape != first and not same_sizes(x.shape, first):
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {brackets(first)} != values[{k}].shape = "
                f"{brackets(x.shape)}"
            )


def _stack_shape(*xs, axis):
    _check_stacked(xs)
    if axis > len(xs[0].shape):
        raise invalid(f"axis {axis} is out of bounds for the stack of tensors of shape {tuple(xs[0].shape)}.")
    return Spec(shape=(*xs[0].shape[:axis], len(xs), *xs[0].shape[axis:]), dtype=xs[0].dtype)


stack = primitive(
    "stack(*xs, axis)",
    kernel=_stack,
    shape=_stack_shape,
    vjp=lambda ops, g, i, axis: ops.getitem(g, index=(*[(None, None, None)] * axis, i)),
    jvp=TOGETHER,
    batch=shift("axis"),
    makes_new=True,
)


def _split(x, sizes, axis):
    before = (slice(None),) * axis
    ends = itertools.accumulate(sizes)
    return tuple([x[*before, end - size : end] for size, end in zip(sizes, ends)])


def _split_shape(x, sizes, axis):
    check_axes(x, axis)
    if None not in sizes and differ(sum(sizes), x.shape[axis]):
        raise invalid(
            f"Sizes {tuple(sizes)} of the parts add up to {sum(sizes)}, but axis {axis} of shape {tuple(x.shape)} "
            f"has size {x.shape[axis]}."
        )
    return tuple([Spec(shape=(*x.shape[:axis], s, *x.shape[axis + 1 :]), dtype=x.dtype) for s in sizes])


split = primitive(
    "split(x, *, sizes, axis)",
    kernel=_split,
    shape=_split_shape,
    vjp=lambda ops, g, axis: ops.concat(*g, axis=axis),
    jvp=LINEAR,
    batch=shift("axis"),
    outputs=("*",),
)


def _unstack(x, axis):
    before = (slice(None),) * axis
    return tuple([boxed(x[*before, i]) for i in range(x.shape[axis])])


def _unstack_shape(x, axis):
    check_axes(x, axis)
    return (Spec(shape=(*x.shape[:axis], *x.shape[axis + 1 :]), dtype=x.dtype),) * int(x.shape[axis])


unstack = primitive(
    "unstack(x, *, axis)",
    kernel=_unstack,
    shape=_unstack_shape,
    vjp=lambda ops, g, axis: ops.stack(*g, axis=axis),
    jvp=LINEAR,
    batch=shift("axis"),
    outputs=("*",),
)
