"""Boxes in images: drawing them, cutting at random ones. A box is (top, left, bottom, right), in units of height and
width."""

from collections import namedtuple
from typing import Any

import numpy as np

from tapeflow.api.arrays.casting import cast
from tapeflow.api.random.draws import next_key
from tapeflow.api.random.stateless import key_of
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float16, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike

SampledBox = namedtuple("SampleDistortedBoundingBoxV2", ["begin", "size", "bboxes"])

_PALETTE = (
    (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1),
    (0.5, 0.5, 0, 1), (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
)  # fmt: skip
_WHITE = ((1.0,),)


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: TensorLike | None, name: str | None = None
) -> Tensor:
    """Images with the outlines of boxes, (batch, count, 4). Gradients flow to images and colours.

    `colors`, (count, channels), are used in turn; None takes a palette of ten, and white in grey images.

    Args:
        images: Images, (batch, height, width, channels), float32 or float16.
        boxes: The boxes, (batch, count, 4), each (y1, x1, y2, x2) in units of height and width.
        colors: The colours, (count, channels), or None.

    >>> drawn = tf.image.draw_bounding_boxes(tf.zeros([1, 4, 4, 1]), [[[0., 0., 1., 1.]]], colors=[[1.]])
    >>> drawn.numpy()[0, :, :, 0]
    array([[1., 1., 1., 1.],
           [1., 0., 0., 1.],
           [1., 0., 0., 1.],
           [1., 1., 1., 1.]], dtype=float32)
    """
    x, boxes = as_tensor(images), cast(boxes, float32)
    if x.dtype not in (float16, float32):
        raise invalid(
            f"images must be float32 or float16, got {x.dtype.name}. Convert: tf.image.convert_image_dtype(x, "
            "tf.float32)."
        )
    if x.ndim != 4 or x.sizes[3] not in (1, 3, 4):
        raise invalid(f"images must be (batch, height, width, 1, 3 or 4 channels), got shape {tuple(x.shape)}.")
    if boxes.ndim != 3 or boxes.sizes[2] != 4 or boxes.sizes[0] != x.sizes[0]:
        raise invalid(f"boxes must be ({x.shape[0]}, count, 4), got shape {tuple(boxes.shape)}.")
    channels = x.sizes[3]
    colors = as_tensor((_WHITE if channels == 1 else _PALETTE) if colors is None else colors)
    if colors.ndim != 2 or not colors.sizes[0] or colors.sizes[1] < channels:
        raise invalid(
            f"colors must be (count, {channels}), with as many channels as the images; got shape "
            f"{tuple(colors.shape)}."
        )
    which = ops.outlines(boxes, height=x.sizes[1], width=x.sizes[2])
    ink = ops.take(cast(colors[:, :channels], x.dtype), ops.floormod(which, colors.sizes[0]), axis=0)
    return ops.where((which >= 0)[:, :, :, None], ink, x)


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> SampledBox:
    """A random window that covers enough of one of the boxes: (begin, size) for `tf.slice`, and the window as a box.

    Args:
        seed: An integer that makes the windows repeatable; 0: others each time.

    >>> boxes = [[[0.2, 0.2, 0.8, 0.8]]]
    >>> begin, size, box = tf.image.sample_distorted_bounding_box([40, 60, 3], boxes, min_object_covered=0.5)
    >>> tf.slice(tf.zeros([40, 60, 3]), begin, size).shape == size.numpy().tolist()[:2] + [3]
    True
    """
    key = next_key(int(seed) or None, "window", max_attempts or 100, each=4)
    rest = min_object_covered, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    return _sampled(key, image_size, bounding_boxes, *rest)


def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> SampledBox:
    """`sample_distorted_bounding_box` whose result depends on the seed, a pair of integers, alone.

    Args:
        seed: A pair of integers, from which all numbers follow.

    >>> sample = tf.image.stateless_sample_distorted_bounding_box
    >>> one, two = (sample([9, 9, 3], [[[0., 0., 1., 1.]]], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(one.bboxes == two.bboxes))
    True
    """
    rest = min_object_covered, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    return _sampled(key_of(seed), image_size, bounding_boxes, *rest)


def _sampled(
    key: Tensor,
    image_size: Any,
    bounding_boxes: Any,
    min_covered: Any,
    ratios: Any,
    areas: Any,
    attempts: Any,
    use_image: Any,
) -> SampledBox:
    size, boxes = as_tensor(image_size), cast(bounding_boxes, float32)
    if tuple(size.sizes) != (3,):
        raise invalid(f"image_size must be (height, width, channels), got shape {tuple(size.shape)}.")
    if boxes.ndim != 3 or boxes.sizes[2] != 4:
        raise invalid(f"bounding_boxes must be (batch, count, 4), got shape {tuple(boxes.shape)}.")
    if not boxes.sizes[0] * boxes.sizes[1]:
        if not use_image:
            raise invalid(
                "There are no bounding boxes. Give one, or use_image_if_no_bounding_boxes=True for the whole image."
            )
        boxes = EagerTensor(np.array([[[0, 0, 1, 1]]], np.float32))
    window = ops.random_window(
        key, size, boxes,
        min_covered=float(min_covered),
        aspect_ratios=tuple(map(float, ratios or (0.75, 1.33))),
        areas=tuple(map(float, areas or (0.05, 1.0))),
        attempts=int(attempts or 100),
    )  # fmt: skip
    window = cast(window, size.dtype)
    zero, all_channels = cast([0], size.dtype), cast([-1], size.dtype)
    begin, end = window[:2], window[2:]
    share = cast(window, float32) / cast(ops.concat(size[:2], size[:2], axis=0), float32)
    return SampledBox(
        ops.concat(begin, zero, axis=0),
        ops.concat(end - begin, all_channels, axis=0),
        ops.reshape(share, shape=(1, 1, 4)),
    )
