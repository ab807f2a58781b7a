"""Moving elements without computing: reshape, transpose, broadcast, flip, roll. Axes are non-negative here."""

import math

import numpy as np

from tapeflow.core.dtypes import ANY, INDEX
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import along_axis, check_axes, differ, same_number, spreads
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive
from tapeflow.core.sizes import brackets
from tapeflow.ops.batching import end_to_end, leading, lengthened, rows_from, rows_to, shift
from tapeflow.ops.broadcasting import sum_to
from tapeflow.ops.families import same_shape

identity = primitive(
    "identity(x)",
    kernel=lambda xp, x: x,
    shape=same_shape,
    vjp=lambda g: g,
    elementwise=True,
    keeps_sparse=True,
    unchanged=True,
)

# The same value, with the path of gradients ending here.
stop_gradient = primitive(
    "stop_gradient(x)",
    kernel=lambda xp, x: x,
    shape=same_shape,
    vjp=CUT,
    elementwise=True,
    unchanged=True,
    cuts=("stop_gradient", "the path is cut by stop_gradient()", "Leave it out if a gradient should flow."),
)

# What a variable holds after an assignment of `x`: the value is that of `x`, but its gradient is the variable's.
assigned = primitive(
    "assigned(x, variable)",
    kernel=lambda xp, x, variable: x,
    shape=lambda x, variable: x,
    vjp={"x": CUT, "variable": lambda g: g},
    batch=leading,
    elementwise=True,
    unchanged=True,
)


def _reshape_shape(x, shape):
    if not same_number(tuple(x.shape), tuple(shape)):
        raise invalid(
            f"Input to reshape is a tensor with {math.prod(x.shape)} values, but the requested shape has "
            f"{math.prod(shape)}: {tuple(x.shape)} cannot become {tuple(shape)}."
        )
    return Spec(shape=shape, dtype=x.dtype)


reshape = primitive(
    "reshape(x, *, shape)",
    kernel=lambda x, shape: x.reshape(shape),
    shape=_reshape_shape,
    vjp=lambda ops, g, x_shape: ops.reshape(g, shape=x_shape),
    jvp=LINEAR,
    batch=lengthened("shape"),
    unchanged=True,
    merges=lambda inner, outer: outer,
)


def _broadcast_to(x, shape):
    """A view takes 2.8 us whatever its size; writing out a small array takes 0.4."""
    if math.prod(shape) > 1024 or x.ndim > len(shape):
        return np.broadcast_to(x, shape)
    out = np.empty(shape, x.dtype)
    out[...] = x
    return out


def _broadcast_to_shape(x, shape):
    if not spreads(tuple(x.shape), tuple(shape)):
        first = f"Incompatible shapes: {brackets(x.shape)} vs. {brackets(shape)}"
        if len(x.shape) > len(shape):
            first = f"Rank of input ({len(x.shape)}) must be no greater than rank of output shape ({len(shape)})"
        raise invalid(
            f"{first}. A tensor of shape {tuple(x.shape)} cannot be broadcast to {tuple(shape)}: from the last axis "
            "on, its sizes must be equal to those or 1."
        )
    return Spec(shape=shape, dtype=x.dtype)


def _broadcast_rows(op, args, batched, params):
    """The axes that broadcasting adds come before those of a row, but after the rows."""
    [x], shape = args, params["shape"]
    size, *row = x.sizes
    if len(row) < len(shape):
        x = reshape(x, shape=(size, *(1,) * (len(shape) - len(row)), *row))
    return op(x, shape=(size, *shape))


broadcast_to = primitive(
    "broadcast_to(x, *, shape)",
    kernel={"numpy": _broadcast_to, "jax": "broadcast_to"},
    shape=_broadcast_to_shape,
    vjp=lambda ops, g, x_shape: sum_to(ops, g, x_shape),
    jvp=LINEAR,
    batch=_broadcast_rows,
    unchanged=True,
    merges=lambda inner, outer: outer,
)


def _transpose_shape(x, perm):
    if sorted(perm) != list(range(len(x.shape))):
        raise invalid(
            f"perm {tuple(perm)} is not a permutation of the axes of shape {tuple(x.shape)}: it needs 0 to "
            f"{len(x.shape) - 1} once each."
        )
    return Spec(shape=tuple([x.shape[p] for p in perm]), dtype=x.dtype)


transpose = primitive(
    "transpose(x, *, perm)",
    kernel=lambda x, perm: x.transpose(perm),
    shape=_transpose_shape,
    vjp=lambda ops, g, perm: ops.transpose(g, perm=tuple(int(i) for i in np.argsort(perm))),
    jvp=LINEAR,
    batch=lambda op, args, batched, params: op(*args, perm=(0, *(p + 1 for p in params["perm"]))),
    unchanged=lambda perm: tuple(perm) == tuple(range(len(perm))),
    merges=lambda inner, outer: {"perm": tuple(inner["perm"][p] for p in outer["perm"])},
)

flip = primitive(
    "flip(x, *, axis)",
    kernel=lambda xp, x, axis: xp.flip(x, axis),
    shape=along_axis,
    vjp=lambda ops, g, axis: ops.flip(g, axis=axis),
    jvp=LINEAR,
    batch=shift("axis"),
)

roll = primitive(
    "roll(x, *, shift, axis)",
    kernel=lambda xp, x, shift, axis: xp.roll(x, shift, axis),
    shape=along_axis,
    vjp=lambda ops, g, shift, axis: ops.roll(g, shift=tuple(-s for s in shift), axis=axis),
    jvp=LINEAR,
    batch=shift("axis"),
)


def _reverse_shape(x, lengths, seq_axis, batch_axis):
    check_axes(x, seq_axis, batch_axis)
    if len(lengths.shape) != 1 or differ(lengths.shape[0], x.shape[batch_axis]):
        raise invalid(
            f"seq_lengths must be {x.shape[batch_axis]} numbers, one for each slice along axis {batch_axis} of shape "
            f"{tuple(x.shape)}, got shape {tuple(lengths.shape)}."
        )
    return x


def _reverse_numpy(x, lengths, seq_axis, batch_axis):
    if (
        lengths.shape != (x.shape[batch_axis],)
        or lengths.size
        and not 0 <= lengths.min() <= lengths.max() <= x.shape[seq_axis]
    ):
        raise invalid(
            f"seq_lengths must be {x.shape[batch_axis]} numbers from 0 to {x.shape[seq_axis]}, got {lengths.tolist()}."
        )
    return _reversed(np, x, lengths, seq_axis, batch_axis)


def _reverse_jax(xp, x, lengths, seq_axis, batch_axis):
    """Lengths that are out of range cannot be told there: they are cut to the range."""
    _reverse_shape(x, lengths, seq_axis, batch_axis)
    return _reversed(xp, x, xp.clip(lengths, 0, x.shape[seq_axis]), seq_axis, batch_axis)


def _reversed(xp, x, lengths, seq_axis, batch_axis):
    place, length = xp.arange(x.shape[seq_axis]), lengths.reshape(-1, 1)
    order = xp.where(place < length, length - 1 - place, place)
    if batch_axis > seq_axis:
        order = order.T
    shape = [1] * x.ndim
    shape[seq_axis], shape[batch_axis] = x.shape[seq_axis], x.shape[batch_axis]
    return xp.take_along_axis(x, order.reshape(shape), axis=seq_axis)


def _reverse_rows(op, args, batched, params):
    """Lengths that differ from row to row: rows and batch become one axis."""
    (x, lengths), seq, batch = args, params["seq_axis"] + 1, params["batch_axis"] + 1
    if not batched[1]:
        return op(x, lengths, seq_axis=seq, batch_axis=batch)
    size = lengths.sizes[0]
    x = rows_to(x if batched[0] else broadcast_to(x, shape=(size, *x.sizes)), batch - 1)
    shape = tuple(x.sizes)
    joined = reshape(x, shape=(*shape[: batch - 1], size * shape[batch], *shape[batch + 1 :]))
    out = op(joined, end_to_end(lengths), seq_axis=params["seq_axis"], batch_axis=params["batch_axis"])
    return rows_from(reshape(out, shape=shape), batch - 1)


# The first `lengths[i]` elements along one axis, in slice i along another, in opposite order. Twice is the identity.
reverse_sequence = primitive(
    "reverse_sequence(x, lengths, *, seq_axis, batch_axis)",
    kernel={"numpy": _reverse_numpy, "jax": _reverse_jax},
    shape=_reverse_shape,
    vjp={
        "x": lambda ops, g, lengths, seq_axis, batch_axis: ops.reverse_sequence(
            g, lengths, seq_axis=seq_axis, batch_axis=batch_axis
        )
    },
    jvp=LINEAR,
    batch=_reverse_rows,
    dtypes={"x": ANY, "lengths": INDEX},
)


# Sizes as a tensor: a constant, except where some are not known when a function is traced.
size_tensor = primitive(
    "size_tensor(*, sizes, dtype)",
    kernel={"numpy": lambda sizes, dtype: np.array(sizes, dtype), "jax": "arrays.shaping.size_tensor"},
    shape=lambda sizes, dtype: Spec(shape=np.shape(np.array(sizes, object)), dtype=dtype),
    vjp=CUT,
)
