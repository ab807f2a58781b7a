from itertools import product

import numpy as np

from tests.ops.samples.sample import completed, normal, of


def _conv(x, w, strides, padding, dilations, groups):
    """One number of the result at a time."""
    x = np.pad(x, [(0, 0), *padding, (0, 0)])
    window = w.shape[:-2]
    count = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(x.shape[1:-1], window, dilations, strides)]
    out = np.zeros((len(x), *count, w.shape[-1]))
    inner, outer = w.shape[-2], w.shape[-1] // groups
    for place in product(*map(range, count)):
        for offset in product(*map(range, window)):
            pixel = x[(slice(None), *[p * s + o * d for p, s, o, d in zip(place, strides, offset, dilations)])]
            for g in range(groups):
                channels = slice(g * outer, (g + 1) * outer)
                out[(slice(None), *place, channels)] += pixel[:, g * inner : (g + 1) * inner] @ w[offset][:, channels]
    return out


def _input_grad(dy, w, size, **params):
    """Against unit vectors: <dy, conv(e, w)> for every pixel e."""
    shape = (len(dy), *size, w.shape[-2] * params["groups"])
    units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    return np.array([np.sum(dy * _conv(e, w, **params)) for e in units]).reshape(shape)


def _filter_grad(x, dy, window, **params):
    shape = (*window, x.shape[-1] // params["groups"], dy.shape[-1])
    units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    return np.array([np.sum(dy * _conv(x, e, **params)) for e in units]).reshape(shape)


# (size, window, channels in, channels out, strides, padding, dilations, groups)
_CASES = [
    ((4, 5), (2, 3), 2, 3, (1, 1), ((0, 1), (1, 1)), (1, 1), 1),
    ((5, 4), (3, 2), 2, 2, (2, 1), ((1, 1), (0, 1)), (1, 1), 1),
    ((5, 6), (2, 2), 2, 2, (1, 1), ((0, 0), (2, 1)), (2, 3), 1),
    ((6, 5), (2, 2), 1, 2, (3, 2), ((0, 0), (0, 0)), (1, 2), 1),
    ((4, 4), (2, 2), 4, 6, (1, 2), ((1, 0), (0, 1)), (1, 1), 2),
    ((4, 4), (3, 2), 3, 3, (1, 1), ((1, 1), (0, 1)), (1, 1), 3),
    ((4, 5), (2, 2), 2, 4, (2, 2), ((0, 0), (1, 0)), (1, 1), 2),
    ((3, 3), (1, 1), 2, 3, (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    ((3, 3), (1, 1), 2, 3, (2, 2), ((0, 0), (0, 0)), (1, 1), 1),
    ((2, 2), (2, 2), 1, 2, (1, 1), ((3, 2), (2, 4)), (1, 1), 1),
    ((5,), (3,), 2, 2, (1,), ((1, 1),), (1,), 1),
    ((3, 2, 3), (2, 2, 1), 1, 2, (1, 1, 2), ((0, 1), (0, 0), (0, 0)), (1, 1, 1), 1),
]


def _samples(kind):
    for size, window, inner, outer, strides, padding, dilations, groups in _CASES:
        params = dict(strides=strides, padding=padding, dilations=dilations, groups=groups)
        x, w = normal(2, *size, inner, seed="x"), normal(*window, inner // groups, outer, seed="w")
        dy = normal(*_conv(x, w, **params).shape, seed="dy")
        if kind == "conv":
            yield of(x, w, reference=_conv, **params)
        elif kind == "input":
            yield of(dy, w, size=size, reference=_input_grad, **params)
        else:
            yield of(x, dy, window=window, reference=_filter_grad, **params)


def _each_row(reference):
    return lambda a, b, **params: np.stack([reference(x, y, **params) for x, y in zip(a, b)])


def _with_rows(kind):
    """Each row of images with filters of its own."""
    for size, window, inner, outer, strides, padding, dilations, groups in [_CASES[k] for k in (0, 1, 4, 6, 7)]:
        params = dict(strides=strides, padding=padding, dilations=dilations, groups=groups)
        x, w = normal(3, 2, *size, inner, seed="x"), normal(3, *window, inner // groups, outer, seed="w")
        dy = normal(3, *_conv(x[0], w[0], **params).shape, seed="dy")
        if kind == "conv":
            yield of(x, w, reference=_each_row(_conv), **params)
        elif kind == "input":
            yield of(dy, w, size=size, reference=_each_row(_input_grad), **params)
        else:
            yield of(x, dy, window=window, reference=_each_row(_filter_grad), **params)


_PLAIN = dict(strides=(1, 1), padding=((1, 1), (1, 1)), dilations=(1, 1), groups=1)

SAMPLES = {
    "conv": [
        *_samples("conv"),
        *_with_rows("conv"),
        of(np.zeros((0, 3, 3, 1)), normal(3, 3, 1, 2), **_PLAIN),
        of(np.arange(18).reshape(1, 3, 3, 2), np.ones((2, 2, 2, 1), np.int64), order=0, reference=_conv, **_PLAIN),
        # more than one block of windows, of several images and of one large image
        of(normal(40, 30, 30, 8), normal(3, 3, 8, 2), reference=_conv, order=0, **_PLAIN),
        of(normal(1, 100, 300, 8), normal(3, 3, 8, 2), reference=_conv, order=0, **_PLAIN),
        of(normal(3, 9, 30, 30, 8), normal(3, 3, 3, 8, 2), reference=_each_row(_conv), order=0, **_PLAIN),
        of(
            normal(20, 60, 60, 1), normal(3, 3, 1, 2), reference=_conv, order=0, **_PLAIN
        ),  # windows made of short runs
    ],
    "conv_input_grad": [
        *_samples("input"),
        *_with_rows("input"),
        of(np.zeros((0, 3, 3, 2)), normal(3, 3, 1, 2), size=(3, 3), **_PLAIN),
    ],
    "conv_filter_grad": [
        *_samples("filter"),
        *_with_rows("filter"),
        of(
            normal(5, 16, 17, 1),
            normal(5, 16, 17, 2),
            window=(1, 1),
            reference=_filter_grad,
            order=0,
            **_PLAIN | dict(padding=((0, 0), (0, 0))),
        ),
        of(np.zeros((0, 3, 3, 1)), np.zeros((0, 3, 3, 2)), window=(3, 3), **_PLAIN),
    ],
}

SAMPLES = completed(SAMPLES, "conv conv_filter_grad")
