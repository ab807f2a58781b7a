import numpy as np

from tests.ops.samples.sample import between, completed, normal, of


def _positions(before, after):
    return (np.arange(after) + 0.5) * before / after - 0.5


def _interpolated(before, after):
    """Linear interpolation between the middles of lines, as a matrix."""
    return np.stack([np.interp(_positions(before, after), np.arange(before), unit) for unit in np.eye(before)], 1)


def _covered(before, after):
    """How much of each old line a new one covers."""
    edges = np.arange(after + 1) * before / after
    overlap = np.minimum(edges[1:, None], np.arange(1, before + 1)) - np.maximum(edges[:-1, None], np.arange(before))
    return np.maximum(overlap, 0) * after / before


def _kernel(function, radius):
    def weights(before, after, antialias=False):
        width = max(before / after, 1) if antialias else 1
        away = np.abs(_positions(before, after)[:, None] - np.arange(before)) / width
        raw = np.where(away < radius, function(away), 0)
        return raw / raw.sum(1, keepdims=True)

    return weights


def _window(before, after, sigma):
    offset = np.arange(before) - np.arange(after)[:, None] - (before - after) / 2
    raw = np.where(np.abs(offset) <= (before - after) / 2, np.exp(-(offset**2) / (2 * sigma**2)), 0)
    return raw / raw.sum(1, keepdims=True)


def _keys(x):
    return np.where(x < 1, 1.5 * x**3 - 2.5 * x**2 + 1, -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2)


def _mitchell(x):
    return np.where(x < 1, 7 * x**3 - 12 * x**2 + 16 / 3, -7 / 3 * x**3 + 12 * x**2 - 20 * x + 32 / 3) / 6


_MATRICES = {
    "bilinear": _interpolated,
    "area": _covered,
    "bicubic": _kernel(_keys, 2),
    "keyscubic": _kernel(_keys, 2),
    "mitchellcubic": _kernel(_mitchell, 2),
    "triangle": _kernel(lambda x: 1 - x, 1),
    "lanczos3": _kernel(lambda x: np.sinc(x) * np.sinc(x / 3), 3),
    "lanczos5": _kernel(lambda x: np.sinc(x) * np.sinc(x / 5), 5),
    "gaussian": _kernel(lambda x: np.exp(-2 * x * x), 1.5),
    "gaussian_window": _window,
}


def _resample(x, axis, weights, transposed):
    matrix = _MATRICES[weights[0]](*weights[1:])
    return np.moveaxis(np.tensordot(matrix.T if transposed else matrix, x, (1, axis)), 0, axis)


_WEIGHTS = [
    ("bilinear", 4, 7),
    ("bilinear", 5, 2),
    ("area", 5, 3),
    ("area", 2, 4),
    ("bicubic", 4, 8),  # places that are in the table of 1024
    ("keyscubic", 8, 4, True),
    ("mitchellcubic", 4, 6, False),
    ("triangle", 7, 3, True),
    ("lanczos3", 9, 4, True),
    ("lanczos5", 3, 8, False),
    ("gaussian", 5, 4, False),
    ("gaussian_window", 6, 4, 1.5),
]


def _moved(weights, transposed):
    return weights[2 if transposed else 1]


def _overlap(a, b):
    (t1, l1), (b1, r1) = np.sort(a.reshape(2, 2), 0)
    (t2, l2), (b2, r2) = np.sort(b.reshape(2, 2), 0)
    shared = max(min(b1, b2) - max(t1, t2), 0) * max(min(r1, r2) - max(l1, l2), 0)
    areas = (b1 - t1) * (r1 - l1), (b2 - t2) * (r2 - l2)
    return shared / (sum(areas) - shared) if min(areas) > 0 else 0


def _suppress(boxes, scores, limit, threshold, score_threshold, sigma, overlaps):
    index, count = np.zeros((len(scores), limit), np.int32), np.zeros(len(scores), np.int32)
    for k in range(len(scores)):
        measure = lambda i, j, k=k: boxes[k, j, i] if overlaps else _overlap(boxes[k, i], boxes[k, j])
        current, found = dict(enumerate(scores[k])), []
        while len(found) < limit and (current := {j: s for j, s in current.items() if s > score_threshold}):
            best = max(current, key=lambda j: (current[j], -j))
            found.append(best)
            del current[best]
            if sigma:
                current = {j: s * np.exp(-(measure(best, j) ** 2) / (2 * sigma)) for j, s in current.items()}
            else:
                current = {j: s for j, s in current.items() if measure(best, j) <= threshold}
        index[k, : len(found)], count[k] = found, len(found)
    return index, count


_BOXES, _SCORES = between(0, 1, 2, 20, 4), between(0, 1, 2, 20)
_MANY = np.concatenate([corner := between(0, 1, 1, 400, 2), corner + 0.1], -1), between(0, 1, 1, 400)
_HARD = dict(limit=8, threshold=0.3, score_threshold=0.1, sigma=0.0, overlaps=False)


def _outlines(boxes, height, width):
    out = np.full((len(boxes), height, width), -1, np.int32)
    for k, i, j in np.ndindex(out.shape):
        for number, box in enumerate(boxes[k]):
            top, left, bottom, right = (
                int(place * (size - 1)) for place, size in zip(box, (height, width, height, width))
            )
            if top <= i <= bottom and left <= j <= right and (i in (top, bottom) or j in (left, right)):
                out[k, i, j] = number
    return out


_FRAMES = np.array([[[0.0, 0.0, 1.0, 1.0], [0.25, 0.25, 0.75, 0.5]], [[-0.5, 0.3, 0.5, 2.0], [0.8, 0.1, 0.2, 0.9]]])
_KEY = np.array([1, 2, 3], np.uint64)
_CUT = dict(min_covered=0.5, aspect_ratios=(0.75, 1.33), areas=(0.1, 0.9), attempts=100)

SAMPLES = {
    "resample": [
        of(normal(2, _moved(w, t), 3), axis=1, weights=w, transposed=t, reference=_resample, rtol=1e-4)
        for w in _WEIGHTS
        for t in (False, True)
    ]
    + [
        of(normal(2, 3, 4, 2), axis=2, weights=("bilinear", 4, 5), transposed=False, reference=_resample),
        of(normal(1, 4, 40), axis=1, weights=("bilinear", 4, 5), transposed=False, reference=_resample, order=1),
        of(normal(4, 40), axis=0, weights=("area", 4, 3), transposed=False, reference=_resample, order=1),
        of(
            normal(3, 90, 2),
            axis=1,
            weights=("triangle", 90, 60, True),
            transposed=False,
            reference=_resample,
            order=0,
        ),
        of(normal(150, 90, 2), axis=1, weights=("bilinear", 90, 60), transposed=False, reference=_resample, order=0),
        of(normal(2, 60, 40), axis=1, weights=("bilinear", 90, 60), transposed=True, reference=_resample, order=0),
        of(np.zeros((0, 4, 3)), axis=1, weights=("bilinear", 4, 5), transposed=False),
    ],
    "suppress": [
        of(_BOXES, _SCORES, **_HARD, order=0, reference=_suppress),
        of(_BOXES, np.round(_SCORES, 1), **_HARD, order=0, reference=_suppress),
        of(*_MANY, **(_HARD | dict(limit=300)), order=0, reference=_suppress),
        of(_BOXES, _SCORES, **(_HARD | dict(sigma=0.4)), order=0, reference=_suppress),
        of(between(0, 1, 2, 20, 20), _SCORES, **(_HARD | dict(overlaps=True)), order=0, reference=_suppress),
        of(np.zeros((1, 0, 4)), np.zeros((1, 0)), **(_HARD | dict(limit=0)), order=0),
        of(_BOXES, _SCORES, **(_HARD | dict(limit=0)), order=0, reference=_suppress),
    ],
    "outlines": [
        of(_FRAMES, height=7, width=9, order=0, reference=_outlines),
        of(np.zeros((2, 0, 4)), height=3, width=3, order=0, reference=_outlines),
    ],
    "random_window": [
        of(_KEY, np.array([40, 60, 3], np.int32), np.array([[[0.2, 0.2, 0.8, 0.8]]]), **_CUT, order=0),
        of(
            _KEY,
            np.array([4, 6, 3], np.int32),
            np.array([[[0.0, 0.0, 0.0, 0.0]]]),
            **_CUT,
            order=0,
            reference=lambda key, size, boxes, **_: np.array([0, 0, 4, 6]),
        ),
    ],
}

SAMPLES = completed(SAMPLES, "resample suppress")
