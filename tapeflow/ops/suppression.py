"""Choosing among overlapping boxes."""

import numpy as np

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import NO_RULE, Spec, primitive


def _overlap(box, boxes):
    """Intersection over union of one box with others; corners may be given in any order."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    a, b = np.minimum(box[:2], box[2:]), np.maximum(box[:2], box[2:])
    area = np.prod(high - low, 1)
    shared = np.prod(np.maximum(np.minimum(high, b) - np.maximum(low, a), 0), 1)
    union = area + np.prod(b - a) - shared
    return np.where(union > 0, shared / np.where(union > 0, union, 1), 0)


def _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold):
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise invalid(f"boxes must have shape (n, 4) and scores (n,), got {boxes.shape} and {scores.shape}.")
    chosen: list[int] = []
    left = [i for i in np.argsort(-scores, kind="stable") if scores[i] > score_threshold]
    while left and len(chosen) < max_output_size:
        best = left.pop(0)
        chosen.append(best)
        if left:
            near = _overlap(boxes[best], boxes[left]) > iou_threshold
            left = [i for i, overlaps in zip(left, near) if not overlaps]
    return np.array(chosen, np.int32)


# The boxes (two opposite corners each) of the highest scores, without those that overlap a chosen one too much: their numbers.
non_max_suppression_v3 = primitive(
    "non_max_suppression_v3(boxes, scores, *, max_output_size, iou_threshold, score_threshold)",
    kernel={"numpy": _suppressed},
    shape=lambda boxes, scores, **_: Spec(shape=(None,), dtype=np.int32),
    vjp=NO_RULE,
    dtypes=FLOATING,
)
