import numpy as np
from scipy.special import logsumexp

from tests.ops.samples.sample import EMPTY, SCALAR, between, completed, complex_normal, normal, of, positive

INF, NAN = np.inf, np.nan
TIES = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
ZEROS = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 4.0], [1.0, 2.0, 3.0]])


def _over(x, reference=None, order=2, axes=None):
    """One array reduced over each of its axes, over all of them and over none, with and without keepdims."""
    last = x.ndim - 1
    every = axes or dict.fromkeys([(), (0,), (last,), tuple(range(x.ndim))])
    return [of(x, axis=a, keepdims=k, reference=reference, order=order) for a in every for k in (False, True)]


def _samples(reference=None, makes=normal):
    large = makes(40, 20)  # large enough for the products with ones, transposed copies and so on
    return [
        *_over(makes(2, 3, 4), reference),
        of(makes(2, 3, 4), axis=(0, 2), keepdims=False, reference=reference),
        of(makes(2, 3, 4), axis=(1, 2), keepdims=True, reference=reference),
        *_over(large, reference, order=1),
        of(makes(12, 9, 10), axis=(0, 1), keepdims=False, reference=reference, order=1),
        of(makes(12, 9, 10).transpose(2, 0, 1), axis=(1, 2), keepdims=False, reference=reference, order=1),
        of(SCALAR, axis=(), keepdims=False),
    ]


def _integers(reference):
    small = np.array([[100, 100], [-7, 100]], np.int8)
    return [
        of(small, axis=(0,), keepdims=False, reference=reference),
        of(np.array([250, 250], np.uint8), axis=(0,), keepdims=False),
    ]


def _numpy(function):
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims)


def _trunc_mean(x, axis, keepdims):
    return np.trunc(np.mean(x.astype(float), axis=axis, keepdims=keepdims))


SAMPLES = {
    "reduce_sum": [
        *_samples(_numpy(np.sum)),
        *_integers(lambda x, axis, keepdims: x.sum(axis, dtype=np.int8)),
        of(complex_normal(3, 2), axis=(0,), keepdims=False),
        of(EMPTY, axis=(0,), keepdims=False, reference=lambda x, axis, keepdims: np.zeros(3)),
        of(np.full((600, 3), INF), axis=(0,), keepdims=False, reference=_numpy(np.sum), order=0),
    ],
    "reduce_mean": [
        *_samples(_numpy(np.mean)),
        *_integers(_trunc_mean),
        of(complex_normal(3, 2), axis=(0, 1), keepdims=False, reference=_numpy(np.mean)),
        of(EMPTY, axis=(0,), keepdims=False, reference=lambda x, axis, keepdims: np.full(3, NAN), order=0),
    ],
    "sum_squares": [
        *_samples(lambda x, axis, keepdims: np.sum(x**2, axis=axis, keepdims=keepdims)),
        of(complex_normal(3, 2), axis=(0,), keepdims=False),
        of(EMPTY, axis=(1,), keepdims=True),
    ],
    "length": [of(positive(3, 2), reference=np.sqrt), of(SCALAR), of(EMPTY), of(np.array([0.0, INF, -1.0]), order=0)],
    "reduce_variance": [
        *_samples(_numpy(np.var)),
        of(EMPTY, axis=(0,), keepdims=False, order=0),
        of(normal(4, shift=1e6), axis=(0,), keepdims=False, reference=_numpy(np.var), order=0),
    ],
    "reduce_max": [
        *_samples(_numpy(np.max)),
        *_integers(_numpy(np.max)),
        *_over(TIES, _numpy(np.max), order=0),
        of(EMPTY, axis=(0,), keepdims=False, reference=lambda x, axis, keepdims: np.full(3, -INF), order=0),
        of(normal(20, 10, 3), axis=(2,), keepdims=True, reference=_numpy(np.max)),
        of(np.array([NAN, 1.0]), axis=(0,), keepdims=False, reference=_numpy(np.max), order=0),
    ],
    "reduce_min": [
        *_samples(_numpy(np.min)),
        *_integers(_numpy(np.min)),
        *_over(TIES, _numpy(np.min), order=0),
        of(EMPTY, axis=(0,), keepdims=False, reference=lambda x, axis, keepdims: np.full(3, INF), order=0),
        of(normal(200, 3), axis=(1,), keepdims=False, reference=_numpy(np.min)),
    ],
    "reduce_prod": [
        *_over(between(0.5, 1.5, 2, 3, 4), _numpy(np.prod)),
        of(between(0.5, 1.5, 2, 3, 4), axis=(0, 2), keepdims=False, reference=_numpy(np.prod)),
        *_over(ZEROS, _numpy(np.prod), axes=[(0,), (1,)]),
        of(complex_normal(3, 2), axis=(0,), keepdims=False),
        of(EMPTY, axis=(0,), keepdims=False, reference=lambda x, axis, keepdims: np.ones(3)),
        of(np.array([100, 3], np.int8), axis=(0,), keepdims=False),
    ],
    "reduce_logsumexp": [
        *_samples(_numpy(logsumexp)),
        of(
            np.array([[1000.0, 0.0], [-INF, 0.0], [-INF, -INF], [INF, 0.0]]),
            axis=(1,),
            keepdims=False,
            reference=_numpy(logsumexp),
            order=0,
        ),
        of(EMPTY, axis=(0,), keepdims=False, reference=lambda x, axis, keepdims: np.full(3, -INF), order=0),
    ],
    "reduce_any": _over(normal(2, 3) > 0, _numpy(np.any)),
    "reduce_all": _over(normal(2, 3) > 0, _numpy(np.all)),
}

SAMPLES = completed(SAMPLES, "reduce_mean sum_squares length reduce_max reduce_min")
