import numpy as np

from tests.ops.samples.sample import of

_boxes = np.array([[0.0, 0, 1, 1], [0, 0, 1, 0.9], [0, 2, 1, 3], [3, 1, 2, 0]])
_scores = np.array([0.9, 0.8, 0.7, 0.1])
_limits = dict(max_output_size=3, iou_threshold=0.5, score_threshold=0.0)

SAMPLES = {
    "non_max_suppression_v3": [
        of(_boxes, _scores, order=0, reference=lambda *_, **__: np.array([0, 2, 3]), **_limits),
        of(
            _boxes,
            _scores,
            order=0,
            reference=lambda *_, **__: np.array([0, 1]),
            **_limits | dict(iou_threshold=0.95, max_output_size=2),
        ),
        of(
            _boxes,
            _scores,
            order=0,
            reference=lambda *_, **__: np.array([0, 2]),
            **_limits | dict(score_threshold=0.5),
        ),
        of(_boxes[:0], _scores[:0], order=0, **_limits),
    ]
}
