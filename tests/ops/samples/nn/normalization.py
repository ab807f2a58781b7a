import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, SPECIAL, normal, of, positive


def _moments(x, axis, keepdims):
    return np.mean(x, axis, keepdims=keepdims), np.var(x, axis, keepdims=keepdims)


def _centred(x, mean, factor, start):
    return (x - mean) * factor + start


def _batch_norm(x, mean, variance, scale, offset, epsilon):
    return (x - mean) / np.sqrt(variance + epsilon) * scale + offset


def _down(x, shape):
    x = np.sum(x, tuple(range(x.ndim - len(shape))))
    return np.sum(x, tuple(a for a, n in enumerate(shape) if n == 1), keepdims=True).reshape(shape)


def _batch_norm_grad(dy, x, mean, variance, scale, offset_shape, epsilon):
    deviation = np.sqrt(variance + epsilon)
    return (
        dy * scale / deviation,
        -_down(dy * scale / deviation, mean.shape),
        _down(dy * scale * (x - mean) / deviation**3 / -2, variance.shape),
        _down(dy * (x - mean) / deviation, scale.shape),
        _down(dy, offset_shape),
    )


def _of(shape, mean, scale, order=2):
    """x, mean, variance and scale."""
    return normal(*shape), normal(*mean, seed="mean"), positive(*mean), normal(*scale, seed="scale"), order


# The axes of a mean and of a scale: batch, layer and group normalisation, with channels last and first.
_KINDS = [
    _of((3, 4), (4,), (4,)),
    _of((3, 4), (3, 1), (4,)),
    _of((2, 3, 2, 2), (1, 3, 1, 1), (1, 3, 1, 1)),
    _of((2, 3, 4), (2, 1, 1), (4,)),
    _of((2, 3, 2, 4), (2, 1, 2, 1), (1, 1, 2, 4)),
    _of((2, 3), (2, 1), ()),
    _of((2000, 9), (9,), (9,), 0),
    _of((300, 50), (300, 1), (50,), 0),
    _of((3, 400, 4, 10), (3, 1, 4, 1), (4, 10), 0),
    _of((3, 4, 10, 20), (4, 1, 1), (4, 1, 1), 0),
    _of((3, 4, 300, 3), (3, 4, 1, 1), (4, 1, 1), 0),
]
_AXES = [
    ((3, 4), (0,), True),
    ((3, 4), (1,), False),
    ((2, 3, 4), (0, 2), True),
    ((2, 3, 4), (0, 1, 2), False),
    ((3,), (), True),
]

SAMPLES = {
    "moments": [
        of(normal(*shape), axis=axis, keepdims=keepdims, reference=_moments) for shape, axis, keepdims in _AXES
    ]
    + [
        of(normal(*shape, shift=3), axis=axis, keepdims=False, reference=_moments, order=0)
        for shape, axis in [
            ((300, 40), (0,)),
            ((300, 40), (1,)),
            ((3, 300, 20), (1,)),
            ((9, 30, 40), (0, 2)),
            ((3, 100, 3, 20), (1, 3)),
            ((12000,), (0,)),
        ]
    ]
    + [
        of(SCALAR, axis=(), keepdims=False, reference=_moments),
        of(EMPTY, axis=(1,), keepdims=False, reference=_moments),
        of(SPECIAL[:5], axis=(0,), keepdims=True, reference=_moments, order=0),
    ],
    "centred": [
        of(normal(3, 4), normal(4), normal(4, seed="f"), normal(4, seed="s"), reference=_centred),
        of(normal(3, 4), normal(3, 1), normal(3, 1, seed="f"), normal(4, seed="s"), reference=_centred),
        of(normal(4), normal(3, 1), normal(3, 4), SCALAR, reference=_centred),
        of(SCALAR, SCALAR, SCALAR, SCALAR, reference=_centred),
        of(EMPTY, EMPTY, EMPTY, EMPTY, reference=_centred),
        of(normal(2000, 9), normal(9), normal(9, seed="f"), normal(9, seed="s"), reference=_centred, order=0),
        of(normal(300, 40), normal(300, 1), normal(1), normal(300, 1, seed="s"), reference=_centred, order=0),
    ],
    "batch_norm": [
        of(x, mean, variance, scale, normal(*scale.shape, seed="o"), epsilon=0.001, order=order, reference=_batch_norm)
        for x, mean, variance, scale, order in _KINDS
    ]
    + [of(EMPTY, normal(3), positive(3), normal(3), normal(3), epsilon=0.1, reference=_batch_norm)]
    + [of(*[SCALAR] * 5, epsilon=0.1, reference=_batch_norm)],
    "batch_norm_grad": [
        of(
            normal(*x.shape, seed="dy"),
            x,
            mean,
            variance,
            scale,
            offset_shape=scale.shape,
            epsilon=0.001,
            order=order,
            reference=_batch_norm_grad,
        )
        for x, mean, variance, scale, order in _KINDS
    ]
    + [
        of(
            EMPTY, EMPTY, normal(3), positive(3), normal(3), offset_shape=(3,), epsilon=0.1, reference=_batch_norm_grad
        ),
        of(*[SCALAR] * 5, offset_shape=(), epsilon=0.1, reference=_batch_norm_grad),
        of(
            normal(3, 4, seed="dy"),
            normal(3, 4),
            normal(4),
            positive(4),
            SCALAR,
            offset_shape=(1, 4),
            epsilon=0.1,
            reference=_batch_norm_grad,
        ),
    ],
}
