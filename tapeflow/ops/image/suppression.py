"""Non-maximum suppression as TensorFlow's raw operation has it: one set of boxes, and no gradient rule."""

import numpy as np

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import differ, same_sizes
from tapeflow.core.primitive import NO_RULE, Spec, bare, primitive


def _check(boxes, scores):
    if (
        len(boxes.shape) != 2
        or differ(boxes.shape[1], 4)
        or not same_sizes(tuple(scores.shape), tuple(boxes.shape[:1]))
    ):
        raise invalid(
            f"boxes must have shape (n, 4) and scores (n,), got {tuple(boxes.shape)} and {tuple(scores.shape)}."
        )


def _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold):
    _check(boxes, scores)
    index, count = bare.suppress(
        boxes[None],
        scores[None],
        limit=min(max_output_size, len(boxes)),
        threshold=iou_threshold,
        score_threshold=score_threshold,
        sigma=0.0,
        overlaps=False,
    )
    return index[0, : count[0]]


def _chosen_shape(boxes, scores, **_):
    _check(boxes, scores)
    return Spec(shape=(None,), dtype=np.int32)


# The numbers of the boxes of the highest scores, without those that overlap a chosen one too much.
non_max_suppression_v3 = primitive(
    "non_max_suppression_v3(boxes, scores, *, max_output_size, iou_threshold, score_threshold)",
    kernel={"numpy": _suppressed},
    shape=_chosen_shape,
    vjp=NO_RULE,
    dtypes=FLOATING,
)
