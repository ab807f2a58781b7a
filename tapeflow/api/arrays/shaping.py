"""The same elements in another arrangement: reshape, transpose, pad, repeat, reverse."""

import operator
from math import prod
from typing import Any

import numpy as np

from tapeflow.api.arguments import a_size, normal_axis, one_axis, static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import Composite
from tapeflow.core.dtypes import bool_
from tapeflow.core.errors import ValueNeeded, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.core.tensor_like import AnyTensorLike, AxisLike, ShapeLike, TensorLike
from tapeflow.function.control.conditions import has_no_value

from .made_later import counted, is_made_later


def reshape(tensor: AnyTensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The elements in their order in a new shape. One size may be -1: what remains.

    Args:
        shape: The new sizes, of which one may be -1: what remains.

    Raises:
        InvalidArgumentError: If there are not as many elements.

    >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy()
    array([[1, 2, 3],
           [4, 5, 6]], dtype=int32)
    """
    tensor = as_tensor(tensor)
    shape = static_shape(shape)
    if any(type(d) is int and d < 0 for d in shape):
        shape = _resolved(shape, getattr(tensor, "flat_values", tensor))
    return ops.reshape(tensor, shape=shape)


def _resolved(shape: tuple, tensor: Tensor) -> tuple:
    """`shape` with its -1 replaced."""
    known = 1
    for d in shape:
        if type(d) is Size or d >= 0:
            known *= d
    total = tensor.sizes.num_elements()
    if shape.count(-1) > 1:
        first, second, *_ = [k for k, d in enumerate(shape) if type(d) is int and d == -1]
        raise invalid(f"Only one input size may be -1, not both {first} and {second}: the shape is {shape}.")
    for k, d in enumerate(shape):
        if type(d) is int and d < -1:
            raise invalid(f"Size {k} must be non-negative, not {d}: the shape is {shape}.")
    if not known and not total:  # any size would do; TensorFlow's comes of the sizes that are not 0
        rest = prod([d for d in tensor.sizes if d]) // prod([d for d in shape if d > 0])
        return tuple([rest if d == -1 else d for d in shape])
    if not known or total % known:
        raise invalid(
            f"Input to reshape is a tensor with {total} values, but the requested shape requires a multiple of "
            f"{known}: {tuple(tensor.shape)} cannot become {shape}."
        )
    return tuple([total // known if d == -1 else d for d in shape])


def transpose(
    a: AnyTensorLike, perm: TensorLike | None = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """The axes in the order `perm`; reversed when it is not given. `conjugate` conjugates complex elements as well.

    Args:
        perm: For each axis of the result the axis it was; None: the other way round.
        conjugate: Conjugate the elements, too.

    Raises:
        InvalidArgumentError: If `perm` does not name each axis once.

    >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
    array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int32)
    >>> tf.transpose(tf.zeros([2, 3, 4]), [2, 0, 1]).shape
    TensorShape([4, 2, 3])
    """
    a = as_tensor(a)
    rank = a.ndim
    if perm is None:
        perm = tuple(range(rank - 1, -1, -1))
    else:
        given = static_shape(perm, "perm")
        perm = tuple([p + rank if p < 0 else p for p in given])
        if sorted(perm) != list(range(rank)):
            many = f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(given)}: "
            raise invalid(
                f"{many if len(given) != rank else ''}perm={given} is not an order of the {rank} axes of a tensor of "
                f"shape {tuple(a.shape)}. It is one list of all of them, such as {list(range(rank))[::-1]}."
            )
    out = ops.transpose(a, perm=perm)
    return ops.conj(out) if conjugate and a.dtype.is_complex else out


def expand_dims(input: AnyTensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """A new axis of size 1 at place `axis`.

    Args:
        axis: Where the new axis is.

    Raises:
        InvalidArgumentError: If there is no such place.

    >>> tf.expand_dims([1, 2, 3], 0).shape, tf.expand_dims([1, 2, 3], -1).shape
    (TensorShape([1, 3]), TensorShape([3, 1]))
    """
    input = as_tensor(input)
    axis = axis[0] if isinstance(axis, (list, tuple)) and len(axis) == 1 else axis
    if isinstance(axis, int) and not -input.ndim - 1 <= axis <= input.ndim:
        raise invalid(
            f"Tried to expand dim index {axis} for tensor with {input.ndim} dimensions: a new axis can be from "
            f"{-input.ndim - 1} to {input.ndim}."
        )
    axis = one_axis(axis, input.ndim + 1)
    shape = tuple(sizes_of(input))
    return ops.reshape(input, shape=(*shape[:axis], 1, *shape[axis:]))


def squeeze(input: AnyTensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Without the axes of size 1: all of them, or those named.

    Args:
        axis: Which axes go, an integer or several; None: all of size 1.

    Raises:
        InvalidArgumentError: If one of them does not have size 1.

    >>> tf.squeeze(tf.zeros([1, 2, 1, 3])).shape, tf.squeeze(tf.zeros([1, 2, 1, 3]), [2]).shape
    (TensorShape([2, 3]), TensorShape([1, 2, 3]))
    """
    input = as_tensor(input)
    shape = tuple(sizes_of(input))
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        return ops.reshape(input, shape=tuple([d for d in shape if d != 1]))
    gone = normal_axis(axis, len(shape))
    if not shape:
        raise invalid(f"Tried to squeeze axis {axis} of a scalar, which has none.")
    for a in gone:
        if shape[a] != 1:
            raise invalid(
                f"Can not squeeze dim[{a}], expected a dimension of 1, got {shape[a]}: the shape is {shape}."
            )
    return ops.reshape(input, shape=tuple([d for i, d in enumerate(shape) if i not in gone]))


def broadcast_to(input: AnyTensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Repeated along new axes and axes of size 1 to fill `shape`, by NumPy's rule.

    Raises:
        InvalidArgumentError: If it does not broadcast to that shape.

    >>> tf.broadcast_to([1, 2], [3, 2]).numpy()
    array([[1, 2],
           [1, 2],
           [1, 2]], dtype=int32)
    """
    return ops.broadcast_to(as_tensor(input), shape=static_shape(shape))


def tile(input: AnyTensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated as a whole: `multiples` times along each axis.

    Args:
        multiples: How often, for each axis.

    Raises:
        InvalidArgumentError: If there is not one number for each axis.

    >>> tf.tile([[1, 2]], [2, 3]).numpy()
    array([[1, 2, 1, 2, 1, 2],
           [1, 2, 1, 2, 1, 2]], dtype=int32)
    """
    input = as_tensor(input)
    shape, times = tuple(input.sizes), static_shape(multiples)
    if len(times) != len(shape) or any(m < 0 for m in times):
        raise invalid(
            f"Expected multiples argument to be a vector of length {len(shape)} but got length {len(times)}: one "
            f"number, not negative, for each axis of shape {shape}, not {times}."
        )
    if isinstance(input, Composite):
        for axis, many in enumerate(times):
            if not many:
                input = input[(*[slice(None)] * axis, slice(0, 0))]
            elif many > 1:
                input = ops.concat(*[input] * many, axis=axis)
        return input
    spread = ops.reshape(input, shape=tuple([d for size in shape for d in (1, size)]))
    spread = ops.broadcast_to(spread, shape=tuple([d for pair in zip(times, shape) for d in pair]))
    return ops.reshape(spread, shape=tuple([m * d for m, d in zip(times, shape)]))


def repeat(input: AnyTensorLike, repeats: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Every element `repeats` times in place: one number for all, or one for each slice along `axis`. Without `axis`
    it is flat.

    Args:
        repeats: A number, or one for each slice along `axis`.
        axis: Along which axis; None: of all elements in a row.

    >>> tf.repeat([1, 2, 3], [2, 0, 1]).numpy()
    array([1, 1, 3], dtype=int32)
    >>> tf.repeat([[1], [2]], 3, axis=1).numpy()
    array([[1, 1, 1],
           [2, 2, 2]], dtype=int32)
    """
    input = as_tensor(input)
    if axis is None:
        input, axis = reshape(input, [-1]) if input.sizes.num_elements() else ops.reshape(input, shape=(0,)), 0
    axis = one_axis(axis, input.ndim)
    if has_no_value(repeats) and repeats.ndim:
        return _repeated_by(input, repeats, axis)
    counts = static_shape(repeats)
    shape = tuple(input.sizes)
    if any(c < 0 for c in counts):
        raise invalid(f"repeats cannot be negative, got {counts}.")
    if len(counts) == 1:
        spread = ops.reshape(input, shape=(*shape[: axis + 1], 1, *shape[axis + 1 :]))
        spread = ops.broadcast_to(spread, shape=(*shape[: axis + 1], counts[0], *shape[axis + 1 :]))
        return ops.reshape(spread, shape=(*shape[:axis], shape[axis] * counts[0], *shape[axis + 1 :]))
    if len(counts) != shape[axis]:
        raise ValueError(
            f"repeats has {len(counts)} numbers for {shape[axis]} slices along axis {axis} of shape {shape}."
        )
    if is_made_later(sum(counts)):
        ends, places = EagerTensor(np.cumsum(counts)), counted(sum(counts))
        return ops.take(input, ops.searchsorted(ends, places, side="right"), axis=axis)
    return ops.take(input, np.repeat(np.arange(shape[axis]), counts), axis=axis)


def _repeated_by(input: Tensor, counts: Tensor, axis: int) -> Tensor:
    """Each slice as often as a symbol says: position k of the result is of the first slice that ends after k."""
    counts = ops.broadcast_to(counts, shape=(input.sizes[axis],))
    ends = ops.cumsum(counts, axis=0, exclusive=False, reverse=False)
    total = a_size(ops.reduce_sum(counts, axis=(0,), keepdims=False))
    places = ops.cast(counted(total), dtype=counts.dtype.np)
    return ops.take(input, ops.searchsorted(ends, places, side="right"), axis=axis)


def pad(
    tensor: AnyTensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: AnyTensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """`tensor` with more elements around it: `paddings` has a pair (before, after) for each axis.

    `mode` says which: "CONSTANT" (`constant_values`), "REFLECT" (mirrored at the edge element) or "SYMMETRIC" (the
    edge element repeated as well).

    Args:
        paddings: A pair (before, after) for each axis.
        mode: `CONSTANT`, `REFLECT` or `SYMMETRIC`.
        constant_values: What is added, with `CONSTANT`.

    Raises:
        InvalidArgumentError: If a padding is negative, or longer than what can be mirrored.

    >>> tf.pad([1, 2, 3], [[2, 1]]).numpy()
    array([0, 0, 1, 2, 3, 0], dtype=int32)
    >>> tf.pad([1, 2, 3], [[2, 1]], "REFLECT").numpy(), tf.pad([1, 2, 3], [[2, 1]], "SYMMETRIC").numpy()
    (array([3, 2, 1, 2, 3, 2], dtype=int32), array([2, 1, 1, 2, 3, 3], dtype=int32))
    """
    tensor = as_tensor(tensor)
    pairs = _pairs(paddings, tensor.ndim)
    mode = mode.upper()
    if mode in ("REFLECT", "SYMMETRIC"):
        for axis, (before, after) in enumerate(pairs):
            tensor = _mirrored(tensor, axis, before, after, edge=mode == "SYMMETRIC")
        return tensor
    if mode != "CONSTANT":
        raise ValueError(f"Unknown padding mode: {mode}. Expected 'CONSTANT', 'REFLECT' or 'SYMMETRIC'.")
    shape = tuple(tensor.sizes)
    index = tuple([(before, before + d, 1) for (before, _), d in zip(pairs, shape)])
    padded = tuple([before + d + after for (before, after), d in zip(pairs, shape)])
    out = ops.unslice(tensor, index=index, shape=padded)
    if isinstance(constant_values, (int, float)) and constant_values == 0:
        return out
    if any(type(d) is Size for d in padded) or is_made_later(prod(padded)):
        own = ops.broadcast_to(EagerTensor(np.int8(1)), shape=shape)
        return ops.where(ops.cast(ops.unslice(own, index=index, shape=padded), dtype=bool_.np), out, constant_values)
    inside = np.zeros(padded, bool)
    inside[tuple([slice(*i) for i in index])] = True
    return ops.where(inside, out, constant_values)


def _pairs(paddings: Any, rank: int) -> list[tuple[int, int]]:
    rows = paddings if isinstance(paddings, (list, tuple)) else as_tensor(paddings).array.tolist()
    try:
        pairs = [(a_size(before), a_size(after)) for before, after in rows]
    except ValueNeeded:
        raise
    except (TypeError, ValueError):
        pairs = []
    if len(pairs) != rank:
        raise invalid(
            f"The first dimension of paddings must be the rank of inputs: a pair (before, after) of integers for "
            f"each of the {rank} axes, got {paddings!r}."
        )
    if any(before < 0 or after < 0 for before, after in pairs):
        raise invalid(f"Paddings must be non-negative, got {pairs}.")
    return pairs


def _mirrored(x: Tensor, axis: int, before: int, after: int, edge: bool) -> Tensor:
    if not before and not after:
        return x
    size = x.sizes[axis]
    most = size if edge else size - 1
    if before > most or after > most:
        raise invalid(
            f"Axis {axis} of size {size} can be mirrored by at most {max(most, 0)} in mode "
            f"{'SYMMETRIC' if edge else 'REFLECT'}, got paddings {(before, after)}."
        )
    skip = 0 if edge else 1
    slab = lambda start, stop, step: ops.getitem(x, index=(*[(None, None, None)] * axis, (start, stop, step)))
    stop = skip - 1  # of the slab before, read backwards; -1 would mean the last element to NumPy
    parts = [slab(before + skip - 1, stop if stop >= 0 else None, -1)] if before else []
    parts.append(x)
    if after:
        last = size - 1 - skip
        stop = last - after
        parts.append(slab(last, stop if stop >= 0 else None, -1))
    return ops.concat(*parts, axis=axis)


def reverse(tensor: AnyTensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """The elements in opposite order along each axis in the list `axis`.

    Args:
        axis: Along which axes, in a list.

    >>> tf.reverse([[1, 2], [3, 4]], [0]).numpy()
    array([[3, 4],
           [1, 2]], dtype=int32)
    """
    tensor = as_tensor(tensor)
    given = static_shape(axis, "axis")
    axes = normal_axis(given, tensor.ndim)
    if len(axes) != len(given):
        raise invalid(f"axis {given} names an axis twice.")
    return ops.flip(tensor, axis=axes) if axes else ops.identity(tensor)


def reverse_sequence(
    input: AnyTensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The first `seq_lengths[i]` elements along `seq_axis` in opposite order, in slice i along `batch_axis`; the rest
    stays.

    Args:
        seq_lengths: How many elements of each slice are turned round.
        seq_axis: The axis along which they lie.
        batch_axis: The axis of the slices.

    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    input = as_tensor(input)
    if seq_axis is None:
        raise TypeError("reverse_sequence needs seq_axis: the axis along which to reverse.")
    seq_axis, batch_axis = one_axis(seq_axis, input.ndim), one_axis(batch_axis or 0, input.ndim)
    if seq_axis == batch_axis:
        raise invalid(f"batch_axis == seq_axis == {seq_axis}; they must be different axes.")
    return ops.reverse_sequence(input, as_tensor(seq_lengths), seq_axis=seq_axis, batch_axis=batch_axis)


def roll(input: AnyTensorLike, shift: TensorLike, axis: AxisLike, name: str | None = None) -> Tensor:
    """The elements moved by `shift` places along `axis`; what leaves at one end enters at the other.

    Args:
        shift: How far; negative: towards the beginning. One number for each axis.
        axis: Along which axis, or several.

    >>> tf.roll([0, 1, 2, 3], 1, 0).numpy()
    array([3, 0, 1, 2], dtype=int32)
    """
    input = as_tensor(input)
    shifts, axes = static_shape(shift, "shift"), static_shape(axis, "axis")
    if len(shifts) != len(axes):
        raise invalid(f"shift and axis must have the same number of entries, got {shifts} and {axes}.")
    axes = tuple([one_axis(a, input.ndim) for a in axes])
    total = dict.fromkeys(axes, 0)
    for a, s in zip(axes, shifts):
        total[a] += s
    return ops.roll(input, shift=tuple(total.values()), axis=tuple(total))
