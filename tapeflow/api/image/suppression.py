"""Which of many boxes to keep: non-maximum suppression. A box is (y1, x1, y2, x2), two opposite corners in any
order."""

from collections import namedtuple
from typing import Any

import numpy as np

from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.shaping import pad
from tapeflow.core.convert import convert_group
from tapeflow.core.dtypes import int32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike

CombinedNonMaxSuppression = namedtuple(
    "CombinedNonMaxSuppression", ["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"]
)


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The numbers of the best boxes, best first, without those that overlap a better one by more than `iou_threshold`.

    Overlap is the area that two boxes share, divided by the area that they cover together.

    Returns:
        The numbers of the boxes that are kept, int32.

    >>> boxes = [[0., 0., 1., 1.], [0., 0.1, 1., 1.1], [2., 2., 3., 3.]]
    >>> tf.image.non_max_suppression(boxes, [0.9, 0.8, 0.7], max_output_size=3).numpy()
    array([0, 2], dtype=int32)
    """
    boxes, scores = _boxes_and_scores(boxes, scores)
    index, count = _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold)
    return index[0][: count[0]]


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The numbers of the best boxes and their scores. Gradients flow to the scores, and from lowered ones to the
    boxes.

    With a `soft_nms_sigma` no box is removed for its overlap, its score is lowered instead (Bodla et al. 2017).

    Args:
        soft_nms_sigma: How slowly scores fall with the overlap; 0 removes boxes instead.

    Returns:
        The numbers of the boxes that are kept, and their scores.

    >>> boxes = [[0., 0., 1., 1.], [0., 0.5, 1., 1.5], [2., 2., 3., 3.]]
    >>> which, lowered = tf.image.non_max_suppression_with_scores(boxes, [0.9, 0.8, 0.7], 3, soft_nms_sigma=0.5)
    >>> which.numpy(), lowered.numpy().round(3)
    (array([0, 1, 2], dtype=int32), array([0.9  , 0.716, 0.7  ], dtype=float32))
    """
    boxes, scores = _boxes_and_scores(boxes, scores)
    sigma = float(soft_nms_sigma)
    if sigma < 0:
        raise invalid(f"soft_nms_sigma must not be negative, got {sigma}.")
    index, count = _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold, sigma)
    index = index[0][: count[0]]
    chosen = ops.take(scores, index, axis=0)
    if sigma:
        shared = _overlaps(ops.take(boxes, index, axis=0))
        number = ops.cumsum(ops.zeros_like(index) + 1, axis=0, exclusive=False, reverse=False)
        earlier = cast(ops.less(number, number[:, None]), shared.dtype)
        chosen = chosen * ops.exp(
            ops.reduce_sum(ops.square(shared) * earlier, axis=(1,), keepdims=False) * (-0.5 / sigma)
        )
    return index, chosen


def _overlaps(boxes: Tensor) -> Tensor:
    """Intersection over union of every box with every other; 0 for boxes without area."""
    a, b = boxes[:, :2], boxes[:, 2:]
    low, high = ops.minimum(a, b), ops.maximum(a, b)
    area = ops.reduce_prod(high - low, axis=(1,), keepdims=False)
    sides = ops.minimum(high[:, None], high[None]) - ops.maximum(low[:, None], low[None])
    shared = ops.reduce_prod(ops.maximum(sides, 0.0), axis=(2,), keepdims=False)
    solid = ops.logical_and((area > 0.0)[:, None], (area > 0.0)[None])
    return ops.where(solid, ops.divide_no_nan(shared, area[:, None] + area[None] - shared), 0.0)


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """`non_max_suppression` with a table of how much each thing overlaps each other, by whatever measure.

    Args:
        overlaps: How much each overlaps each other, (count, count).
        scores: A score for each, (count,).
        overlap_threshold: Two that overlap by more are not both kept.

    Returns:
        The numbers of those that are kept, int32.

    >>> tf.image.non_max_suppression_overlaps([[1., 0.6], [0.6, 1.]], [0.2, 0.4], 2, overlap_threshold=0.5).numpy()
    array([1], dtype=int32)
    """
    table, scores = convert_group([overlaps, scores])
    if table.ndim != 2 or table.sizes[0] != table.sizes[1] or tuple(scores.sizes) != (table.sizes[0],):
        raise invalid(
            f"overlaps must be square, with one score for each row; got {tuple(table.shape)} and "
            f"{tuple(scores.shape)}."
        )
    index, count = _suppressed(table, scores, max_output_size, overlap_threshold, score_threshold, overlaps=True)
    return index[0][: count[0]]


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression` of boxes or of batches of boxes, with zeros after the chosen ones; and how many were
    chosen.

    `sorted_input`, `canonicalized_coordinates` and `tile_size` change nothing in the result.

    Args:
        boxes: The boxes, (..., count, 4), each (y1, x1, y2, x2).
        scores: A score for each box, (..., count).
        pad_to_max_output_size: True gives `max_output_size` numbers of each batch; batches need it.
        sorted_input: Taken and not used: boxes may come in any order.
        canonicalized_coordinates: Taken and not used: corners may be any two opposite ones.
        tile_size: Taken and not used.

    Returns:
        The numbers of the boxes that are kept, and how many they are; both int32.

    >>> boxes = [[[0., 0., 1., 1.], [0., 0.1, 1., 1.1]], [[0., 0., 1., 1.], [2., 2., 3., 3.]]]
    >>> scores = [[0.5, 0.6], [0.5, 0.6]]
    >>> which, count = tf.image.non_max_suppression_padded(boxes, scores, 3, pad_to_max_output_size=True)
    >>> which.numpy().tolist(), count.numpy().tolist()
    ([[1, 0, 0], [1, 0, 0]], [1, 2])
    """
    boxes, scores = convert_group([boxes, scores])
    batch, n = tuple(scores.sizes)[:-1], tuple(scores.sizes)[-1] if scores.ndim else 0
    if scores.ndim < 1 or tuple(boxes.sizes) != (*batch, n, 4):
        raise invalid(
            f"boxes must be (..., count, 4) and scores (..., count); got {tuple(boxes.shape)} and "
            f"{tuple(scores.shape)}."
        )
    if batch and not pad_to_max_output_size:
        raise ValueError("'pad_to_max_output_size' (value False) must be True for batched input")
    flat = int(np.prod(batch))
    index, count = _suppressed(
        ops.reshape(boxes, shape=(flat, n, 4)),
        ops.reshape(scores, shape=(flat, n)),
        max_output_size,
        iou_threshold,
        score_threshold,
    )
    if not pad_to_max_output_size:
        return index[0][: count[0]], count[0]
    missing = int(max_output_size) - index.sizes[1]
    index = pad(index, [(0, 0), (0, missing)]) if missing else index
    return ops.reshape(index, shape=(*batch, int(max_output_size))), ops.reshape(count, shape=batch)


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """The best boxes of all classes in each image: overlap removes boxes of the same class only.

    `boxes` are (batch, count, classes or 1, 4), `scores` (batch, count, classes). Of each image the result has boxes,
    scores, classes and how many they are; zeros follow. `clip_boxes` keeps boxes between 0 and 1. Gradients flow to
    boxes and scores.

    Args:
        boxes: The boxes, (batch, count, classes, 4), or with 1 in the place of the classes if all share them.
        scores: The scores, (batch, count, classes).
        max_output_size_per_class: How many boxes of a class are kept at most.
        max_total_size: How many boxes of an image are kept at most.
        pad_per_class: True makes the result no longer than `max_output_size_per_class` times the classes.
        clip_boxes: False leaves boxes as they are.

    Returns:
        A named tuple: `nmsed_boxes`, `nmsed_scores`, `nmsed_classes` (of the scores' dtype) and `valid_detections`.

    >>> boxes = [[[[0., 0., 1., 1.]], [[0., 0., 1., 0.9]]]]
    >>> found = tf.image.combined_non_max_suppression(boxes, [[[0.9, 0.1], [0.6, 0.8]]], 1, 4)
    >>> found.nmsed_scores.numpy(), found.nmsed_classes.numpy(), found.valid_detections.numpy()
    (array([[0.9, 0.8, 0. , 0. ]], dtype=float32), array([[0., 1., 0., 0.]], dtype=float32), array([2], dtype=int32))
    """
    boxes, scores = convert_group([boxes, scores])
    if boxes.ndim != 4 or scores.ndim != 3 or tuple(boxes.sizes)[:2] != tuple(scores.sizes)[:2] or boxes.sizes[3] != 4:
        raise invalid(
            "boxes must be (batch, count, classes or 1, 4) and scores (batch, count, classes); got shapes "
            f"{tuple(boxes.shape)} and {tuple(scores.shape)}."
        )
    batch, n, classes = tuple(scores.sizes)
    if boxes.sizes[2] not in (1, classes):
        raise invalid(f"boxes have {boxes.shape[2]} classes; 1 or {classes}, as scores, are possible.")
    each, total = int(max_output_size_per_class), int(max_total_size)
    if each <= 0 or total <= 0:
        raise invalid(f"max_output_size_per_class and max_total_size must be positive, got {each} and {total}.")
    size = min(total, each * classes) if pad_per_class else total
    boxes = ops.transpose(ops.broadcast_to(boxes, shape=(batch, n, classes, 4)), perm=(0, 2, 1, 3))
    boxes, scores = ops.reshape(boxes, shape=(batch * classes, n, 4)), ops.transpose(scores, perm=(0, 2, 1))
    scores = ops.reshape(scores, shape=(batch * classes, n))
    index, count = _suppressed(boxes, scores, each, iou_threshold, score_threshold)
    # Candidates of an image: `limit` places for each class; those that are not filled come last.
    limit = index.sizes[1]
    rows = ops.flat_rows(index, batch_dims=1, size=n)
    filled = EagerTensor(np.arange(limit, dtype=np.int32)) < count[:, None]
    flat = lambda x: ops.reshape(x, shape=(batch, classes * limit, *x.sizes[2:]))
    candidates = flat(ops.take(ops.reshape(scores, shape=(batch * classes * n,)), rows, axis=0))
    corners = flat(ops.take(ops.reshape(boxes, shape=(batch * classes * n, 4)), rows, axis=0))
    order = ops.argsort(ops.where(flat(filled), candidates, -np.inf), descending=True)[:, :size]
    valid = ops.minimum(ops.reduce_sum(cast(flat(filled), int32), axis=(1,), keepdims=False), size)
    there = EagerTensor(np.arange(order.sizes[1], dtype=np.int32)) < valid[:, None]
    if clip_boxes:
        corners = ops.minimum(ops.maximum(corners, 0.0), 1.0)
    positions = ops.flat_rows(order, batch_dims=1, size=classes * limit)
    picked = ops.take(ops.reshape(corners, shape=(batch * classes * limit, 4)), positions, axis=0)
    chosen = ops.take(ops.reshape(candidates, shape=(batch * classes * limit,)), positions, axis=0)
    kinds = cast(ops.floordiv(order, max(limit, 1)), scores.dtype)
    more = [(0, 0), (0, size - order.sizes[1])]
    return CombinedNonMaxSuppression(
        pad(ops.where(there[:, :, None], picked, 0.0), [*more, (0, 0)]),
        pad(ops.where(there, chosen, 0.0), more),
        pad(ops.where(there, kinds, 0.0), more),
        valid,
    )


def _boxes_and_scores(boxes: Any, scores: Any) -> tuple[Tensor, Tensor]:
    boxes, scores = convert_group([boxes, scores])
    if boxes.ndim != 2 or boxes.sizes[1] != 4:
        raise invalid(f"boxes must be (count, 4), got shape {tuple(boxes.shape)}.")
    if tuple(scores.sizes) != (boxes.sizes[0],):
        raise invalid(
            f"scores must be (count,), one for each of {boxes.shape[0]} boxes; got shape {tuple(scores.shape)}."
        )
    return boxes, scores


def _suppressed(
    boxes: Tensor,
    scores: Tensor,
    most: Any,
    threshold: Any,
    score_threshold: Any,
    sigma: float = 0.0,
    overlaps: bool = False,
) -> tuple[Tensor, Tensor]:
    """(index, count), see the primitive `suppress`; one row without a batch."""
    if scores.ndim == 1:
        boxes, scores = ops.reshape(boxes, shape=(1, *boxes.sizes)), ops.reshape(scores, shape=(1, *scores.sizes))
    threshold, most = float(threshold), int(most)
    if most < 0:
        raise invalid(f"max_output_size must be non-negative, got {most}.")
    if not overlaps and not 0 <= threshold <= 1:
        raise invalid(f"iou_threshold must be in [0, 1], got {threshold}.")
    return ops.suppress(
        boxes, scores, limit=min(most, scores.sizes[1]), threshold=threshold, score_threshold=float(score_threshold),
        sigma=sigma, overlaps=overlaps,
    )  # fmt: skip
