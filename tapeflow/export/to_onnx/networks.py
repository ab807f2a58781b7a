"""Convolution and pooling: channels-last here, channels-first there.

The transposes around each are those that runtimes move through a network and cancel.
"""

import math
from typing import Any

import numpy as np

from tapeflow.core.sizes import Known, Size, computed, numbers
from tapeflow.export.lowering import Unsupported

from .arrays import transposed
from .builder import Builder, Value


def _first(rank: int) -> tuple[int, ...]:
    """The permutation to channels first, of (batch, *space, channels)."""
    return (0, rank - 1, *range(1, rank - 1))


def _last(rank: int) -> tuple[int, ...]:
    return (0, *range(2, rank), 1)


def _pads(padding: Any) -> list[int]:
    return [int(lo) for lo, _ in padding] + [int(hi) for _, hi in padding]


def _check(x: Value, w: Value, strides: Any) -> None:
    if x.dtype.kind not in "fV":
        raise Unsupported(f"convolves {x.dtype.name}, and ONNX convolves floats: cast the images and the filters")
    if len(w.shape) != len(strides) + 2:
        raise Unsupported("convolves rows with filters of their own, as under tf.vmap: export a function of one row")


def _conv(onnx: Builder, x: Value, w: Value, strides: Any, padding: Any, dilations: Any, groups: int) -> Value:
    _check(x, w, strides)
    rank = len(strides)
    filters = transposed(onnx, w, (rank + 1, rank, *range(rank)))
    out = onnx.Conv(
        onnx.Transpose(x, perm=_first(rank + 2)), filters, strides=list(strides), pads=_pads(padding),
        dilations=list(dilations), group=int(groups), kernel_shape=[int(d) for d in w.shape[:rank]],
    )  # fmt: skip
    return onnx.Transpose(out, perm=_last(rank + 2))


def _conv_input_grad(
    onnx: Builder, dy: Value, w: Value, strides: Any, size: Any, padding: Any, dilations: Any, groups: int
) -> Value:
    _check(dy, w, strides)
    rank = len(strides)
    window = [int(d) for d in w.shape[:rank]]
    more = [
        _difference(want, have, s, (k - 1) * d + 1 - lo - hi)
        for want, have, s, k, d, (lo, hi) in zip(size, dy.shape[1:-1], strides, window, dilations, padding)
    ]
    filters = transposed(onnx, w, (rank + 1, rank, *range(rank)))
    out = onnx.ConvTranspose(
        onnx.Transpose(dy, perm=_first(rank + 2)), filters, strides=list(strides), pads=_pads(padding),
        dilations=list(dilations), group=int(groups), kernel_shape=window, output_padding=more,
    )  # fmt: skip
    return onnx.Transpose(out, perm=_last(rank + 2))


def _difference(want: Any, have: Any, stride: int, reach: int) -> int:
    """By how much the images are longer than the strides say: the same whatever sizes are not known."""
    found = set()
    for guess in (840, 1001):
        value = lambda d, guess=guess: (
            computed(d.expression, Known(dict.fromkeys(numbers(d), guess))) if type(d) is Size else d
        )
        found.add(value(want) - (value(have) - 1) * stride - reach)
    if len(found) > 1:
        raise Unsupported("makes images whose size is no fixed multiple of what they are made from: say their size")
    return int(found.pop())


def _spatial(onnx: Builder, x: Value, window: Any, strides: Any, padding: Any, dilations: Any) -> Any:
    """(The tensor with two axes that windows do not reach over in front; the axes that they do; how to turn back)."""
    over = [
        k
        for k, one in enumerate(zip(window, strides, padding, dilations))
        if (one[0], one[1], *one[2]) != (1, 1, 0, 0)
    ]
    others = [k for k in range(len(window)) if k not in over]
    while len(over) < 1 or len(others) > 2:  # a window of one along an axis changes nothing
        if not others:
            raise Unsupported("pools a scalar")
        over.insert(0, others.pop())
    over.sort()
    perm = (*others, *over)
    turned = transposed(onnx, x, perm)
    if len(others) < 2:
        turned = onnx.Unsqueeze(turned, np.arange(2 - len(others), dtype=np.int64))
    return turned, over, 2 - len(others), tuple(int(p) for p in np.argsort(perm))


def _pooled(operator: str, onnx: Builder, x: Value, geometry: dict, **attributes: Any) -> Value:
    if x.dtype.kind not in "fV":
        raise Unsupported(f"pools {x.dtype.name}, and ONNX pools floats: cast the images")
    turned, over, missing, back = _spatial(onnx, x, **geometry)
    pick = lambda name: [geometry[name][k] for k in over]
    out = onnx.node(
        operator, turned, kernel_shape=[int(k) for k in pick("window")], strides=[int(s) for s in pick("strides")],
        pads=_pads(pick("padding")), dilations=[int(d) for d in pick("dilations")], **attributes,
    )  # fmt: skip
    if missing:
        out = onnx.Squeeze(out, np.arange(missing, dtype=np.int64))
    return transposed(onnx, out, back)


def _max_pool(onnx: Builder, x: Value, **geometry: Any) -> tuple:
    return _pooled("MaxPool", onnx, x, geometry), None


def _window_sum(onnx: Builder, x: Value, **geometry: Any) -> Value:
    mean = _pooled("AveragePool", onnx, x, geometry, count_include_pad=1)
    return onnx.Mul(mean, onnx.scalar(math.prod(geometry["window"]), x))


RULES: dict[str, Any] = {
    "conv": _conv,
    "conv_input_grad": _conv_input_grad,
    "max_pool": _max_pool,
    "window_sum": _window_sum,
}
