from itertools import product

import numpy as np

from tests.ops.samples.sample import normal, of


def _windows(x, window, strides, padding, dilations, fill):
    """For every position of the window: (place, what is seen, flattened)."""
    x = np.pad(x, padding, constant_values=fill)
    count = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape, window, strides, dilations)]
    for place in product(*map(range, count)):
        index = [slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, strides, window, dilations)]
        yield place, x[tuple(index)].ravel()


def _collect(pairs, like=float):
    places, values = zip(*pairs)
    out = np.zeros([max(axis) + 1 for axis in zip(*places)], like)
    for place, value in zip(places, values):
        out[place] = value
    return out


def _max_pool(x, **params):
    seen = list(_windows(x, fill=-np.inf, **params))
    return _collect([(p, s.max()) for p, s in seen]), _collect([(p, s.argmax()) for p, s in seen], np.uint8)


def _window_sum(x, **params):
    return _collect([(p, s.sum()) for p, s in _windows(x, fill=0, **params)])


def _pick(x, origin, **params):
    return _collect([(p, s[origin[p]]) for p, s in _windows(x, fill=0, **params)])


def _transpose(function, x, shape, *rest, **params):
    """<x, function(e)> for every unit vector e."""
    units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    return np.array([np.sum(x * function(e, *rest, **params)) for e in units]).reshape(shape)


def _dilation_origin(x, w, window, strides, padding, dilations):
    seen = _windows(x, window, strides, padding, dilations, -np.inf)
    return _collect([(p, (s.reshape(w.shape[:2]) + w[..., p[3]]).argmax()) for p, s in seen], np.uint8)


_CASES = [
    ((1, 4, 4, 3), dict(window=(1, 2, 2, 1), strides=(1, 2, 2, 1), padding=((0, 0),) * 4, dilations=(1,) * 4)),
    (
        (2, 3, 5, 1),
        dict(window=(1, 2, 3, 1), strides=(1, 1, 2, 1), padding=((0, 0), (0, 1), (1, 1), (0, 0)), dilations=(1,) * 4),
    ),
    ((1, 5, 4, 1), dict(window=(1, 2, 2, 1), strides=(1, 1, 1, 1), padding=((0, 0),) * 4, dilations=(1, 3, 1, 1))),
    ((2, 4, 3), dict(window=(1, 2, 2), strides=(1, 3, 1), padding=((0, 0), (0, 0), (0, 1)), dilations=(1,) * 3)),
    (
        (1, 3, 3, 2, 1),
        dict(window=(1, 2, 2, 2, 1), strides=(1, 1, 1, 1, 1), padding=((0, 0),) * 5, dilations=(1,) * 5),
    ),
]
_EMPTY = np.zeros((0, 4, 4, 3)), _CASES[0][1]


def _pooled(shape, params):
    return _window_sum(np.zeros(shape), **params).shape


def _origins(shape, params):
    return (
        np.random.default_rng(3)
        .integers(0, int(np.prod(params["window"])), size=_pooled(shape, params))
        .astype(np.uint8)
    )


SAMPLES = {
    "max_pool": [of(normal(*s), reference=_max_pool, **p) for s, p in _CASES]
    + [
        of(np.zeros((1, 4, 4, 1)), reference=_max_pool, order=0, **_CASES[0][1]),
        of(np.arange(16, dtype=np.int32).reshape(1, 4, 4, 1), order=0, **_CASES[0][1]),
        of(_EMPTY[0], **_EMPTY[1]),
        of(
            normal(1, 20, 20, 1),
            window=(1, 17, 17, 1),
            strides=(1, 1, 1, 1),
            padding=((0, 0),) * 4,
            dilations=(1,) * 4,
            order=1,
            reference=lambda x, **p: (
                _max_pool(x, **p)[0],
                _collect([(q, s.argmax()) for q, s in _windows(x, fill=0, **p)], np.int32),
            ),
        ),
    ],
    "unpool": [
        of(
            normal(*_pooled(s, p)),
            _origins(s, p),
            shape=s,
            **p,
            reference=lambda x, origin, shape, **p: _transpose(_pick, x, shape, origin, **p),
        )
        for s, p in _CASES
    ],
    "pick": [of(normal(*s), _origins(s, p), reference=_pick, **p) for s, p in _CASES],
    "origin_index": [
        of(
            np.array([[[[3], [0]], [[1], [2]]]], np.uint8),
            shape=(1, 4, 4, 1),
            batch=False,
            dtype=np.dtype("int64"),
            **_CASES[0][1],
            reference=lambda origin, **_: np.array([[[[5], [2]], [[9], [14]]]]),
        ),
        of(
            np.array([[[[3]]], [[[0]]]], np.uint8),
            shape=(2, 2, 2, 1),
            batch=True,
            dtype=np.dtype("int32"),
            **_CASES[0][1],
            reference=lambda origin, **_: np.array([[[[3]]], [[[4]]]]),
        ),
    ],
    "dilation_origin": [
        of(normal(*s), normal(*p["window"][1:3], s[-1], seed="w"), reference=_dilation_origin, **p)
        for s, p in _CASES[:3]
    ],
    "window_sum": [of(normal(*s), reference=_window_sum, **p) for s, p in _CASES] + [of(_EMPTY[0], **_EMPTY[1])],
    "window_spread": [
        of(
            normal(*_pooled(s, p)),
            shape=s,
            reference=lambda x, shape, **p: _transpose(_window_sum, x, shape, **p),
            **p,
        )
        for s, p in _CASES
    ],
}
