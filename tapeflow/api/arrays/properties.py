"""Shape, size and rank of a tensor; and the same tensor again: `identity`, `stop_gradient`, `ensure_shape`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.arguments import expose, static_shape
from tapeflow.api.ragged.dynamic_shape import DynamicRaggedShape
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import as_dtype, int32
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import Size, holds
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike, ShapeLike


@expose(ops.identity)
def identity(input: AnyTensorLike, name: str | None = None) -> Tensor:
    """The same value as a tensor of its own: another object to a tape, and a read of a variable.

    >>> v = tf.Variable(1.)
    >>> before = tf.identity(v)
    >>> v.assign(5.).numpy(), before.numpy()
    (np.float32(5.0), np.float32(1.0))
    """


@expose(ops.stop_gradient)
def stop_gradient(input: AnyTensorLike, name: str | None = None) -> Tensor:
    """The same value, taken as a constant by every gradient.

    >>> x = tf.constant(3.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x).numpy()          # of 3 x, not of x squared
    np.float32(3.0)
    """


def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """`tf.identity` of every tensor in a list.

    >>> [t.numpy().item() for t in tf.identity_n([1, 2.5])]
    [1, 2.5]
    """
    return [ops.identity(as_tensor(x)) for x in input]


def guarantee_const(input: AnyTensorLike, name: str | None = None) -> Tensor:
    """The same value. (A promise to TensorFlow's graph optimiser that it never changes, which tensors here never do.)

    >>> tf.guarantee_const(2.).numpy()
    np.float32(2.0)
    """
    return ops.identity(as_tensor(input))


def shape(input: AnyTensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The shape as an integer tensor; of a ragged tensor a `tf.experimental.DynamicRaggedShape`.

    >>> tf.shape([[1, 2, 3], [4, 5, 6]]).numpy()
    array([2, 3], dtype=int32)
    """
    if isinstance(input, RaggedTensor):
        return DynamicRaggedShape.from_tensor(input, out_type or int32)  # type: ignore[return-value]
    return _as_tensor_of_sizes(_sizes(input), out_type)


def shape_n(input: Sequence[Any], out_type: DTypeLike = int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors.

    >>> [s.numpy().tolist() for s in tf.shape_n([tf.zeros([2, 3]), 5.])]
    [[2, 3], []]
    """
    return [shape(x, out_type) for x in input]


def size(input: AnyTensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """How many elements there are, as an integer tensor.

    >>> tf.size(tf.zeros([2, 3])).numpy()
    np.int32(6)
    """
    total = 1
    for d in _sizes(getattr(input, "flat_values", input)):  # of a ragged tensor, what there is
        total *= d
    return _as_tensor_of_sizes(total, out_type)


def rank(input: AnyTensorLike, name: str | None = None) -> Tensor:
    """How many axes there are, as an integer tensor. `x.ndim` gives a Python int.

    >>> tf.rank(tf.zeros([2, 3])).numpy()
    np.int32(2)
    """
    return EagerTensor(np.int32(len(_sizes(input))))


def _as_tensor_of_sizes(sizes: Any, out_type: Any) -> Tensor:
    dtype = int32.np if out_type is None else as_dtype(out_type).np
    if any(type(d) is Size for d in (sizes if type(sizes) is tuple else (sizes,))):
        return ops.size_tensor(sizes=sizes, dtype=dtype)
    return EagerTensor(np.array(sizes, dtype) if type(sizes) is tuple else dtype.type(sizes))


def _sizes(value: Any) -> tuple:
    return tuple(value.sizes) if isinstance(value, (Tensor, IndexedSlices)) else tuple(as_tensor(value).sizes)


def ensure_shape(x: AnyTensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`x`, if its shape fits `shape`, in which None stands for any size; otherwise an InvalidArgumentError.

    Args:
        shape: The sizes it has to have, None for any.

    Raises:
        InvalidArgumentError: If it has others.

    >>> tf.ensure_shape(tf.zeros([4, 3]), [None, 3]).shape
    TensorShape([4, 3])
    """
    x = as_tensor(x)
    if not TensorShape(shape).is_compatible_with(x.sizes):
        raise invalid(
            f"Shape of tensor {tuple(x.shape)} is not compatible with expected shape {tuple(TensorShape(shape))}."
        )
    return ops.identity(x)


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The shape that tensors of these two shapes broadcast to; None is an unknown size.

    Args:
        shape_x: A shape.
        shape_y: Another shape.

    >>> tf.broadcast_static_shape(tf.TensorShape([3, 1]), tf.TensorShape([4]))
    TensorShape([3, 4])
    """
    shape_x, shape_y = TensorShape(shape_x), TensorShape(shape_y)
    if shape_x.rank is None or shape_y.rank is None:
        return TensorShape(None)
    try:
        return TensorShape(broadcast_shapes(tuple(shape_x), tuple(shape_y)))
    except InvalidArgumentError as error:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {tuple(shape_x)} and {tuple(shape_y)}. {error}"
        ) from None


def broadcast_dynamic_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> Tensor:
    """The shape, as an integer tensor, that tensors of these two shapes broadcast to.

    Args:
        shape_x: A shape.
        shape_y: Another shape.

    >>> tf.broadcast_dynamic_shape([3, 1], tf.shape([1., 2.])).numpy()
    array([3, 2], dtype=int32)
    """
    like = next((s.dtype.np for s in (shape_x, shape_y) if isinstance(s, Tensor)), np.int32)
    x, y = static_shape(shape_x), static_shape(shape_y)
    holds(
        lambda: all(a == b or 1 in (a, b) for a, b in zip(reversed(x), reversed(y))), x, y
    )  # open ones are what fits
    return EagerTensor(np.array(broadcast_shapes(x, y), like))
