"""Convolution and pooling as TensorFlow's operators, which have two or three dimensions of space.

Padding is an operator of its own before them, and what has fewer dimensions gets some of size 1.
"""

import math
from typing import Any

import numpy as np

from tapeflow.export.lowering import Unsupported

from .body import Body, Value

_INT32 = np.dtype(np.int32)


def _padded(tf: Body, x: Value, padding: Any, number: Any = None) -> Value:
    """`padding`: of all dimensions."""
    if not any(map(any, padding)):
        return x
    pairs = np.array(padding, _INT32)
    return tf.Pad(x, pairs) if number is None else tf.PadV2(x, pairs, tf.scalar(number, x))


def _conv(tf: Body, x: Value, w: Value, strides: Any, padding: Any, dilations: Any, groups: int) -> Value:
    rank = len(strides)
    if x.dtype.kind not in "fV":
        raise Unsupported(f"convolves {x.dtype.name}: cast the images and the filters to a floating dtype")
    _check_filters(w, rank)
    x = _padded(tf, x, [(0, 0), *padding, (0, 0)])
    if rank == 1:
        x, filters = tf.ExpandDims(x, np.int32(1)), tf.ExpandDims(w, np.int32(0))
        out = _conv_2d(tf, x, filters, (1, *w.shape), (1, *strides), (1, *dilations), groups)
        return tf.Squeeze(out, squeeze_dims=[1])
    if rank == 3:
        if groups != 1:
            raise Unsupported("convolves volumes in groups, which TensorFlow has no operator for")
        return tf.Conv3D(x, w, strides=[1, *strides, 1], padding="VALID", dilations=[1, *dilations, 1])
    return _conv_2d(tf, x, w, w.shape, strides, dilations, groups)


def _conv_2d(tf: Body, x: Value, w: Value, shape: tuple, strides: Any, dilations: Any, groups: int) -> Value:
    how = {"padding": "VALID", "dilations": [1, *map(int, dilations), 1]}
    if groups > 1 and shape[2] == 1 and strides[0] == strides[1]:
        filters = tf.Reshape(w, np.array([shape[0], shape[1], groups, shape[3] // groups], _INT32))
        return tf.DepthwiseConv2dNative(x, filters, strides=[1, *map(int, strides), 1], **how)
    return tf.Conv2D(x, w, strides=[1, *map(int, strides), 1], **how)


def _check_filters(w: Value, rank: int) -> None:
    if len(w.shape) != rank + 2:
        raise Unsupported("has filters of its own for each row of a batch: loop over the rows with tf.map_fn")
    if rank not in (1, 2, 3):
        raise Unsupported(f"is in {rank} dimensions of space, and TensorFlow has operators for up to 3")


def _conv_input_grad(
    tf: Body, dy: Value, w: Value, strides: Any, size: Any, padding: Any, dilations: Any, groups: int
) -> Value:
    """Made with the padding, which is cut off. Groups are made one by one."""
    rank = len(strides)
    _check_filters(w, rank)
    if groups > 1:
        parts = [tf.Split(np.int32(axis), x, num_split=groups) for axis, x in ((rank + 1, dy), (rank + 1, w))]
        shapes = [(*x.shape[:-1], x.shape[-1] // groups) for x in (dy, w)]
        pairs = [[Value(x.ref, x.kind, shape) for x, shape in zip(pair, shapes)] for pair in zip(*parts)]
        made = [_conv_input_grad(tf, a, b, strides, size, padding, dilations, 1) for a, b in pairs]
        return tf.ConcatV2(made, np.int32(rank + 1))
    for axis, gap in enumerate(dilations):
        w = _with_gaps(tf, w, axis, gap)
    whole = [n + lo + hi for n, (lo, hi) in zip(size, padding)]
    shape, more = w.shape, 2 - rank if rank < 3 else 0
    if more:
        dy, w = tf.ExpandDims(dy, np.int32(1)), tf.ExpandDims(w, np.int32(0))
    batch = tf.StridedSlice(tf.Shape(dy, out_type=np.dtype(np.int64)), *[np.array([k], _INT32) for k in (0, 1, 1)])
    sizes = tf.ConcatV2([batch, tf.sizes([*[1] * more, *whole, shape[-2]])], np.int32(0))
    operator = tf.Conv3DBackpropInputV2 if rank == 3 else tf.Conv2DBackpropInput
    out = operator(
        tf.Cast(sizes, DstT=_INT32), w, dy, strides=[1, *[1] * more, *map(int, strides), 1], padding="VALID"
    )
    if more:
        out = tf.Squeeze(out, squeeze_dims=[1])
    begin = [0, *[lo for lo, _ in padding], 0]
    end = tf.sizes([0, *[lo + n for n, (lo, _) in zip(size, padding)], 0])
    keep = 1 | 1 << rank + 1
    steps = np.ones(rank + 2, np.int64)
    return tf.StridedSlice(out, tf.sizes(begin), end, steps, begin_mask=keep, end_mask=keep)


def _with_gaps(tf: Body, w: Value, axis: int, gap: int) -> Value:
    """Filters with zeros in the gaps, which the operator cannot have."""
    if gap == 1:
        return w
    window = w.shape[axis]
    apart = tf.ExpandDims(w, np.int32(axis + 1))
    pairs = np.zeros((len(w.shape) + 1, 2), _INT32)
    pairs[axis + 1, 1] = gap - 1
    shape = [*w.shape[:axis], window * gap, *w.shape[axis + 1 :]]
    spread = tf.Reshape(tf.Pad(apart, pairs), np.array(shape, _INT32))
    shape[axis] = (window - 1) * gap + 1
    return Value(tf.Slice(spread, np.zeros(len(shape), _INT32), np.array(shape, _INT32)).ref, w.kind, tuple(shape))


def _pooled(tf: Body, operator: str, x: Value, geometry: dict, number: Any) -> Value:
    window, strides, padding, dilations = [geometry[k] for k in ("window", "strides", "padding", "dilations")]
    if any(d != 1 for d in dilations) or window[0] != 1 or window[-1] != 1 or x.rank not in (3, 4, 5):
        raise Unsupported("pools with gaps, or along the batch or the channels")
    if x.dtype.kind not in "fV" or x.rank == 5 and x.dtype.itemsize > 4:
        raise Unsupported(f"pools {x.dtype.name}, which TensorFlow does not: cast to tf.float32")
    x, rank = _padded(tf, x, padding, number), len(window)
    how: dict[str, Any] = {"ksize": list(map(int, window)), "strides": list(map(int, strides)), "padding": "VALID"}
    if rank == 3:
        x = tf.ExpandDims(x, np.int32(1))
        how |= {"ksize": [1, *how["ksize"]], "strides": [1, *how["strides"]]}
    out = tf.node(operator + ("3D" if rank == 5 else ""), x, **how)
    return tf.Squeeze(out, squeeze_dims=[1]) if rank == 3 else out


def _max_pool(tf: Body, x: Value, **geometry: Any) -> tuple:
    return _pooled(tf, "MaxPool", x, geometry, -np.inf), None


def _window_sum(tf: Body, x: Value, **geometry: Any) -> Value:
    return tf.Mul(_pooled(tf, "AvgPool", x, geometry, 0), tf.scalar(math.prod(geometry["window"]), x))


RULES: dict[str, Any] = {
    "conv": _conv,
    "conv_input_grad": _conv_input_grad,
    "max_pool": _max_pool,
    "window_sum": _window_sum,
}
