"""Making tensors from nothing but a shape or a few numbers: `zeros`, `range`, `eye`, `one_hot`, …"""

import math
from builtins import range as _indices
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arguments import a_size, one_axis, static_shape, whole
from tapeflow.core.apply import as_tensor
from tapeflow.core.composite import Composite
from tapeflow.core.convert import fits, to_tensor
from tapeflow.core.devices import placed
from tapeflow.core.dtypes import DType, as_dtype, bool_, float32, float64, int32, int64, string
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.runtime.memory_limits import check_fits, exhausted
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, DTypeLike, ShapeLike, TensorLike
from tapeflow.function.control.conditions import has_no_value
from tapeflow.vectorize.values import largest, one_size

from .casting import cast
from .made_later import counted, is_made_later

_FLOAT32 = np.dtype(np.float32)


def zeros(shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros (False for bool, empty strings for string).

    >>> tf.zeros([2, 3]).numpy()
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)
    """
    return _filled(_sizes(shape, dtype), dtype, 0)


def ones(shape: ShapeLike, dtype: DTypeLike = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones (True for bool).

    >>> tf.ones([3], tf.int64).numpy()
    array([1, 1, 1])
    """
    return _filled(_sizes(shape, dtype), dtype, 1)


def zeros_like(
    input: AnyTensorLike, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Zeros of the shape of `input`, and of its dtype unless another is given.

    >>> tf.zeros_like([[1, 2]]).numpy()
    array([[0, 0]], dtype=int32)
    """
    return _filled_like(as_tensor(input), dtype, 0)


def ones_like(
    input: AnyTensorLike, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Ones of the shape of `input`, and of its dtype unless another is given.

    >>> tf.ones_like([[1., 2.]]).numpy()
    array([[1., 1.]], dtype=float32)
    """
    return _filled_like(as_tensor(input), dtype, 1)


def _filled_like(x: Tensor, dtype: Any, value: int) -> Tensor:
    if isinstance(x, Composite):  # stays ragged, or sparse
        zeros_of = ops.zeros_like(x)
        return (zeros_of if dtype is None else ops.cast(zeros_of, dtype=as_dtype(dtype).np)) + value
    return _filled(tuple(x.sizes), x.dtype if dtype is None else dtype, value)


def _sizes(shape: Any, dtype: Any) -> tuple:
    if type(shape) is int and type(dtype) is int:  # tf.zeros(2, 3), as NumPy's random numbers and PyTorch take sizes
        raise TypeError(
            f"Cannot convert {dtype} to a dtype. The sizes of a shape go into one list, {[shape, dtype]}; after it "
            "comes the dtype."
        )
    return static_shape(shape)


def _filled(shape: tuple, dtype: Any, value: int) -> Tensor:
    numpy_dtype = _FLOAT32 if dtype is float32 else as_dtype(dtype).np
    if numpy_dtype is None:
        raise TypeError(f"Cannot convert {value} to EagerTensor of dtype {as_dtype(dtype).name}")
    if any(d < 0 for d in shape):
        raise invalid(f"Dimension {min(shape)} must be >= 0, in the shape {shape}.")
    if any(type(d) is Size for d in shape):
        return ops.broadcast_to(EagerTensor(numpy_dtype.type(value)), shape=shape)
    if numpy_dtype.kind == "O":
        if value:
            raise TypeError("There are no ones of dtype string; tf.fill(shape, 'text') fills with a text.")
        return EagerTensor(np.full(shape, b"", object))
    if not shape:
        return placed(EagerTensor(numpy_dtype.type(value)))
    if is_made_later(math.prod(shape)):
        return ops.broadcast_to(EagerTensor(numpy_dtype.type(value)), shape=shape)
    return placed(EagerTensor(_made(np.ones if value else np.zeros, shape, numpy_dtype)))


def _made(make: Callable, shape: tuple, dtype: np.dtype) -> np.ndarray:
    """`make(shape, dtype)`, if it fits into memory."""
    check_fits(shape, dtype, "it")
    try:
        return make(shape, dtype)
    except MemoryError as error:
        raise exhausted(shape, dtype) from error


def fill(dims: ShapeLike, value: AnyTensorLike, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of shape `dims` with `value` everywhere.

    Args:
        dims: The shape of the result.
        value: A scalar.

    >>> tf.fill([2, 2], 7).numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)
    """
    value = as_tensor(value)
    if value.ndim:
        if value.sizes.num_elements() != 1:
            raise invalid(f"value must be a scalar, got shape {tuple(value.shape)}. tf.broadcast_to repeats a tensor.")
        value = ops.reshape(value, shape=())
    dims = static_shape(dims)
    if any(d < 0 for d in dims):
        raise invalid(f"Dimension {min(dims)} must be >= 0, in the shape {dims}.")
    return ops.broadcast_to(value, shape=dims)


def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """Identity matrices: ones on the diagonal, zeros elsewhere.

    Args:
        num_rows: How many rows there are.
        num_columns: How many columns; None: as many as rows.
        batch_shape: The axes before them; None: none.

    >>> tf.eye(2, 3).numpy()
    array([[1., 0., 0.],
           [0., 1., 0.]], dtype=float32)
    """
    rows = whole(num_rows, "num_rows")
    sizes = rows, rows if num_columns is None else whole(num_columns, "num_columns")
    if any(type(d) is int and d < 0 for d in sizes):
        raise invalid(f"num_rows and num_columns cannot be negative, got {sizes}.")
    if as_dtype(dtype) is string:
        raise TypeError("There is no identity matrix of strings.")
    if any(type(d) is Size for d in sizes) or is_made_later(math.prod(sizes)):
        row, column = (range(as_tensor(d) if type(d) is Size else d) for d in sizes)
        made = ops.cast(ops.equal(ops.reshape(row, shape=(*row.sizes, 1)), column), dtype=as_dtype(dtype).np)
        return made if batch_shape is None else ops.broadcast_to(made, shape=static_shape(batch_shape) + sizes)
    matrix = _made(lambda shape, dtype: np.eye(*shape, dtype=dtype), sizes, as_dtype(dtype).np)
    if batch_shape is not None:
        matrix = np.broadcast_to(matrix, static_shape(batch_shape) + matrix.shape)
    return placed(EagerTensor(matrix))


_WIDENING = [int32, int64, float32, float64]


def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor:
    """The numbers from `start` in steps of `delta`, up to and without `limit`. With one argument they start at 0.

    Args:
        start: The first number; the end, if it is the only argument.
        limit: Where the numbers end; it does not occur itself.
        delta: The step, which may be negative.

    Raises:
        InvalidArgumentError: If `delta` is 0, or leads away from `limit`.

    >>> tf.range(10, 4, -2).numpy()
    array([10,  8,  6], dtype=int32)
    >>> tf.range(0., 1., 0.25).numpy()
    array([0.  , 0.25, 0.5 , 0.75], dtype=float32)
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None and type(start) is type(limit) is type(delta) is int and delta and (limit - start) * delta >= 0:
        return _arange(start, limit, delta, int32.np if max(abs(start), abs(limit)) < 2**31 else int64.np)
    values = [start, limit, delta]
    if any(has_no_value(v) for v in values):
        return _symbolic_range(*map(as_tensor, values), dtype)
    if dtype is None:
        dtype = _widest([as_tensor(v).dtype for v in values])
    dtype = as_dtype(dtype)
    first, last, step = (_scalar(v, dtype) for v in values)
    if step == 0:
        raise invalid("Requires delta != 0: 0")
    if (last - first) * step < 0:
        raise invalid(
            f"Requires start {'<=' if step > 0 else '>='} limit when delta {'>' if step > 0 else '<'} 0: "
            f"{first}/{last}"
        )
    if dtype.kind in "iu":
        return _arange(first, last, step, dtype.np)
    count = int(np.ceil((last - first) / step))
    if is_made_later(count):
        numbers = ops.cast(counted(count), dtype=np.dtype(np.float64))
        return ops.cast(numbers * step + first, dtype=dtype.np)
    return placed(
        EagerTensor(
            (_made(lambda shape, dtype: np.arange(*shape), (count,), dtype.np) * step + first).astype(dtype.np)
        )
    )


def _arange(first: int, last: int, step: int, dtype: np.dtype) -> Tensor:
    count = max(0, -((first - last) // step))
    if is_made_later(count):
        check_fits((count,), dtype, "it")
        return counted(count, dtype.type(first), dtype.type(step))
    return placed(EagerTensor(_made(lambda _, dtype: np.arange(first, last, step, dtype), (count,), dtype)))


def _symbolic_range(start: Tensor, limit: Tensor, delta: Tensor, dtype: Any) -> Tensor:
    """A range inside a graph: how long it is must be known from sizes, if not as a number."""
    dtype = _widest([start.dtype, limit.dtype, delta.dtype]) if dtype is None else as_dtype(dtype)
    values = [start, limit, delta]
    start, limit, delta = [v if v.dtype is dtype else ops.cast(v, dtype=dtype.np) for v in values]
    if all(v.dtype.is_integer for v in values):
        first, last, step = static_shape(values)
        count = last - first if step == 1 else (last - first + step - 1) // step
    else:
        whole = ops.cast(ops.ceil(ops.div(limit - start, delta)), dtype=int32.np)
        count = a_size(ops.maximum(whole, 0))
    return start + counted(count, dtype.np.type(0), dtype.np.type(1)) * delta


def _widest(dtypes: list[DType]) -> DType:
    """The one that the others are converted to; dtypes outside the usual four must all be the same."""
    if all(d in _WIDENING for d in dtypes):
        return max(dtypes, key=_WIDENING.index)
    return next(d for d in dtypes if d not in _WIDENING)


def _scalar(value: Any, dtype: DType) -> Any:
    """A Python number, of the value that `dtype` gives it."""
    value = (
        ops.cast(value, dtype=dtype.np)
        if isinstance(value, Tensor) or hasattr(value, "dtype")
        else to_tensor(value, dtype)
    )
    if value.ndim:
        raise invalid(f"tf.range takes scalars, got a tensor of shape {tuple(value.shape)}.")
    return value.array.item()


def linspace(start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, both included, along a new `axis`. Differentiable in both
    ends.

    Args:
        start: The first value.
        stop: The last value.
        num: How many values there are.
        axis: Where the new axis is, if the ends are tensors.

    >>> tf.linspace(0., 1., 5).numpy()
    array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
    >>> tf.linspace([0., 10.], [1., 20.], 3).numpy()
    array([[ 0. , 10. ],
           [ 0.5, 15. ],
           [ 1. , 20. ]], dtype=float32)
    """
    start = as_tensor(start)
    stop = to_tensor(stop, start.dtype)
    if start.dtype.is_integer:
        wide = float64 if start.dtype.size > 2 else float32
        start, stop = ops.cast(start, dtype=wide.np), ops.cast(stop, dtype=wide.np)
    count = whole(num, "num")
    if count < 0:
        raise invalid(f"linspace needs num >= 0, got {count}.")
    spread = np.broadcast_shapes(tuple(start.sizes), tuple(stop.sizes))
    axis = one_axis(axis, len(spread) + 1)
    along = (count,) + (1,) * (len(spread) - axis)
    check_fits((count, *spread), float64.np, "it")
    if type(count) is Size:
        last = ops.maximum(ops.cast(ops.size_tensor(sizes=count - 1, dtype=int64.np), dtype=start.dtype.np), 1)
        steps = ops.reshape(ops.div(ops.cast(counted(count), dtype=start.dtype.np), last), shape=along)
    elif is_made_later(count):
        shares = ops.cast(counted(count), dtype=np.dtype(np.float64)) / max(count - 1, 1)
        steps = ops.cast(ops.reshape(shares, shape=along), dtype=start.dtype.np)
    else:
        steps = (np.arange(count) / max(count - 1, 1)).reshape(along).astype(start.dtype.np)
    start, stop = (
        ops.reshape(ops.broadcast_to(e, shape=spread), shape=(*spread[:axis], 1, *spread[axis:]))
        for e in (start, stop)
    )
    # Weighted this way both ends come out exactly.
    return start * (1 - steps) + stop * steps


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: AnyTensorLike | None = None,
    off_value: AnyTensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Along a new axis of size `depth`: `on_value` (1) at the index, `off_value` (0) elsewhere. Indices outside give
    only zeros.

    Args:
        indices: Integers, in a tensor of any shape.
        depth: The size of the new axis.
        on_value: What stands at the index; None: 1.
        off_value: What stands elsewhere; None: 0.
        axis: Where the new axis is; None: at the end.
        dtype: The dtype of the result; None: that of the values, float32 without them.

    >>> tf.one_hot([0, 2, -1], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.],
           [0., 0., 0.]], dtype=float32)
    """
    indices = as_tensor(indices)
    depth = whole(depth, "depth")
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {depth}")
    axis = indices.ndim if axis is None else one_axis(axis, indices.ndim + 1)
    mask = ops.one_hot(indices, depth=depth, axis=axis)
    if on_value is None and off_value is None:
        dtype = float32 if dtype is None else as_dtype(dtype)
        return mask if dtype is bool_ else cast(mask, dtype)
    wanted = None if dtype is None else as_dtype(dtype)
    on, off = (None if v is None else _hinted(v, wanted) for v in (on_value, off_value))
    for name, value in (("on_value", on), ("off_value", off)):
        if wanted is not None and value is not None and value.dtype is not wanted:
            raise TypeError(f"dtype {value.dtype} of {name} does not match dtype parameter {wanted}")
    if on is not None and off is not None and on.dtype is not off.dtype:
        raise TypeError(f"dtype {on.dtype} of on_value does not match dtype {off.dtype} of off_value")
    dtype = next(v.dtype for v in (on, off) if v is not None)
    return ops.where(mask, *[_filled((), dtype, k) if v is None else v for k, v in ((1, on), (0, off))])


def _hinted(value: Any, dtype: DType | None) -> Tensor:
    """Of the dtype if it is a Python number that can be; otherwise of its own."""
    may_be = dtype is not None and isinstance(value, (bool, int, float, complex)) and fits(value, dtype)
    return to_tensor(value, dtype if may_be else None)


def sequence_mask(
    lengths: TensorLike, maxlen: TensorLike | None = None, dtype: DTypeLike = bool_, name: str | None = None
) -> Tensor:
    """True in the first `lengths` places of a new last axis, which has `maxlen` places (the longest length by
    default).

    Args:
        lengths: How many places are True, in a tensor of any shape.
        maxlen: The size of the new axis; None: the longest length.

    >>> tf.sequence_mask([1, 3]).numpy()
    array([[ True, False, False],
           [ True,  True,  True]])
    """
    lengths = as_tensor(lengths)
    if lengths.dtype.is_floating:
        lengths = ops.cast(lengths, dtype=int32.np)
    if maxlen is None:
        maxlen = one_size(np.maximum(largest(lengths), 0), "The longest length")
    maxlen = whole(maxlen, "maxlen")
    if maxlen < 0:
        raise invalid(f"maxlen must not be negative, got {maxlen}.")
    known = type(maxlen) is int
    places = range(maxlen, dtype=lengths.dtype) if known else ops.cast(counted(maxlen), dtype=lengths.dtype.np)
    mask = ops.less(places, ops.reshape(lengths, shape=(*lengths.sizes, 1)))
    return mask if as_dtype(dtype) is bool_ else ops.cast(mask, dtype=as_dtype(dtype).np)


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Coordinates of all points of a grid: one tensor for each vector, each of the grid's shape.

    `indexing="xy"` (the default) lays the first vector along columns, `"ij"` along the first axis.

    Args:
        *args: The coordinates along each axis, vectors.
        **kwargs: `indexing`: `xy` (the first two axes are exchanged) or `ij`.

    >>> x, y = tf.meshgrid([1, 2, 3], [10, 20])
    >>> (x + y).numpy()
    array([[11, 12, 13],
           [21, 22, 23]], dtype=int32)
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"meshgrid got an unexpected argument {next(iter(kwargs))!r}; it takes indexing and name.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    vectors = [ops.reshape(v, shape=(v.sizes.num_elements(),)) for v in map(as_tensor, args)]
    order = [*_indices(len(vectors))]
    if indexing == "xy" and len(vectors) > 1:
        order[:2] = 1, 0
    grid = [0] * len(vectors)
    for place, v in zip(order, vectors):
        grid[place] = v.sizes[0]
    line = lambda place, size: tuple([size if k == place else 1 for k in _indices(len(grid))])
    return [
        ops.broadcast_to(ops.reshape(v, shape=line(place, v.sizes[0])), shape=tuple(grid))
        for place, v in zip(order, vectors)
    ]
