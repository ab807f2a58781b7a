import numpy as np

from tests.ops.samples.sample import EMPTY, SPECIAL, completed, normal, of


def _reference(x, low, high):
    y = np.maximum(np.minimum(x, high), low)
    inside = (low <= x) & (x <= high)
    below = np.broadcast_to(np.minimum(x, high) < low, y.shape)
    return y, inside, below, ~inside & ~below & ~np.isnan(x)


SAMPLES = {
    "clip": [
        of(normal(3, 4), np.float64(-0.5), np.float64(0.4), reference=_reference),
        of(normal(3, 4), -np.ones((3, 1)), np.full(4, 0.2), reference=_reference),
        of(normal(5), np.float64(0.5), np.float64(-0.5), reference=_reference),  # bounds crossed: the lower one wins
        of(SPECIAL, np.float64(-1.0), np.float64(1.0), reference=_reference, order=0),
        of(EMPTY, np.float64(-1.0), np.float64(1.0)),
        of(np.array([1, 5, 9]), np.int64(2), np.int64(6), reference=_reference),
        of(np.float64(0.3), np.float64(0.0), np.float64(1.0)),
    ],
}

SAMPLES = completed(SAMPLES, "clip")
