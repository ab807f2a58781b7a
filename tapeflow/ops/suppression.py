"""Non-maximum suppression as TensorFlow's raw operation has it: one set of boxes, and no gradient rule."""

import numpy as np

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import NO_RULE, Spec, bare, primitive


def _suppressed(boxes, scores, max_output_size, iou_threshold, score_threshold):
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise invalid(f"boxes must have shape (n, 4) and scores (n,), got {boxes.shape} and {scores.shape}.")
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


# The numbers of the boxes of the highest scores, without those that overlap a chosen one too much.
non_max_suppression_v3 = primitive(
    "non_max_suppression_v3(boxes, scores, *, max_output_size, iou_threshold, score_threshold)",
    kernel={"numpy": _suppressed},
    shape=lambda boxes, scores, **_: Spec(shape=(None,), dtype=np.int32),
    vjp=NO_RULE,
    dtypes=FLOATING,
)
