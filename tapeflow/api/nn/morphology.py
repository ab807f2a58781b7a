"""Grey-scale morphology: dilation and erosion by a structuring function."""

from collections.abc import Sequence

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import convert_group
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike

from .layouts import pairs, spatial


def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str,
    dilations: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The largest image + filter in each window, channel by channel; filters are (height, width, channels).

    Args:
        filters: What is added or subtracted: height, width, channels.

    Raises:
        ValueError: If `data_format` is not `NHWC`.

    >>> image = tf.reshape(tf.constant([0., 0., 5., 0., 0.]), [1, 1, 5, 1])
    >>> tf.nn.dilation2d(image, tf.zeros([1, 3, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]).numpy().ravel()
    array([0., 5., 5., 5., 0.], dtype=float32)
    """
    x, w = convert_group([input, filters])
    if data_format != "NHWC":
        raise ValueError(f"data_format must be 'NHWC', got {data_format!r}.")
    if x.ndim != 4 or w.ndim != 3 or x.sizes[-1] != w.sizes[-1]:
        raise invalid(
            "images (batch, height, width, channels) and filters (height, width, channels) needed; got "
            f"{tuple(x.shape)} and {tuple(w.shape)}."
        )
    window = tuple(w.sizes)[:2]
    strides, dilations = spatial(strides, 2, False, "strides"), spatial(dilations, 2, False, "dilations")
    padding = pairs(padding, tuple(x.sizes)[1:-1], window, strides, dilations, False)
    params = dict(
        window=(1, *window, 1),
        strides=(1, *strides, 1),
        padding=((0, 0), *padding, (0, 0)),
        dilations=(1, *dilations, 1),
    )
    origin = ops.dilation_origin(x, w, **params)
    channels = w.sizes[-1]
    index = ops.cast(origin, dtype=np.dtype("int32")) * channels + EagerTensor(np.arange(channels, dtype=np.int32))
    return ops.pick(x, origin, **params) + ops.gather(
        ops.reshape(w, shape=(w.sizes[0] * w.sizes[1] * channels,)), index, axis=0
    )


def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str | Sequence[Sequence[int]],
    data_format: str,
    dilations: int | Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The smallest image - filter in each window, the filter turned round: the dual of `dilation2d`.

    Args:
        filters: What is added or subtracted: height, width, channels.

    Raises:
        ValueError: If `data_format` is not `NHWC`.

    >>> image = tf.reshape(tf.constant([5., 5., 1., 5., 5.]), [1, 1, 5, 1])
    >>> tf.nn.erosion2d(image, tf.zeros([1, 3, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]).numpy().ravel()
    array([5., 1., 1., 1., 5.], dtype=float32)
    """
    x, w = convert_group([value, filters])
    return -dilation2d(-x, ops.flip(w, axis=(0, 1)), strides, padding, data_format, dilations)
