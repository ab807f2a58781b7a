import numpy as np
from scipy import special

from tests.ops.samples.sample import EMPTY, SCALAR, between, completed, normal, of

_LOGITS = normal(3, 4)
_LABELS = special.softmax(normal(3, 4, seed="labels"), axis=1)


def _of_logits(logits, labels, reference, **more):
    """The probabilities are always those of the logits, and the gradient of the logits counts on it: a difference in
    the logits alone is not a point the primitive is made for. `tests/api/nn/test_losses.py` compares the public
    functions with differences."""
    return of(logits, special.softmax(logits, axis=-1), labels, reference=reference, skip=("logits",), **more)


def _dense(logits, probabilities, labels):
    return -np.sum(labels * np.where(labels == 0, 0, special.log_softmax(logits, axis=-1)), axis=-1)


def _sparse(logits, probabilities, labels):
    return -np.take_along_axis(special.log_softmax(logits, axis=-1), labels[..., None], axis=-1)[..., 0]


def _sparse_grad(p, labels, g):
    return g[..., None] * (p - np.eye(p.shape[-1])[labels])


def _bernoulli(logits, labels):
    return labels * np.logaddexp(0, -logits) + (1 - labels) * np.logaddexp(0, logits)


SAMPLES = {
    "softmax_cross_entropy": [
        _of_logits(_LOGITS, _LABELS, _dense),
        _of_logits(normal(2, 3, 4), special.softmax(normal(2, 3, 4, seed="l"), axis=-1), _dense),
        _of_logits(np.array([[-np.inf, 0.0, 1.0]]), np.array([[0.0, 0.5, 0.5]]), _dense, order=0),
        _of_logits(np.array([[1000.0, 0.0]]), np.array([[0.0, 1.0]]), _dense, order=0),
        _of_logits(normal(90, 100), special.softmax(normal(90, 100, seed="l"), axis=-1), _dense, order=0),
        _of_logits(EMPTY, EMPTY, _dense),
    ],
    "sparse_softmax_cross_entropy": [
        _of_logits(_LOGITS, np.array([0, 3, 1]), _sparse),
        _of_logits(normal(2, 3, 4), np.array([[0, 3, 1], [2, 2, 0]], np.int32), _sparse),
        _of_logits(np.array([[1000.0, 0.0], [1000.0, 0.0]]), np.array([0, 1]), _sparse, order=0),
        _of_logits(normal(90, 100), np.arange(90), _sparse, order=0),
        _of_logits(EMPTY, np.zeros(0, np.int64), _sparse),
    ],
    "softmax_cross_entropy_grad": [
        of(normal(3, 4), _LABELS, normal(3), reference=lambda p, z, g: g[..., None] * (p - z)),
        of(normal(2, 3, 4), normal(2, 1, 4), normal(2, 3), reference=lambda p, z, g: g[..., None] * (p - z)),
        of(EMPTY, EMPTY, np.zeros(0), reference=lambda p, z, g: p),
        of(
            normal(90, 100),
            normal(90, 100, seed="z"),
            normal(90),
            order=0,
            reference=lambda p, z, g: g[:, None] * (p - z),
        ),
    ],
    "sparse_softmax_cross_entropy_grad": [
        of(normal(3, 4), np.array([0, 3, 1]), normal(3), reference=_sparse_grad),
        of(normal(2, 3, 4), np.array([[0, 3, 1], [2, 2, 0]], np.int32), normal(2, 3), reference=_sparse_grad),
        of(normal(4, 3).T, np.array([0, 3, 1]), normal(3), reference=_sparse_grad),  # not row by row in memory
        of(normal(2, 4, 3).swapaxes(1, 2), np.array([[0, 3, 1], [2, 2, 0]]), normal(2, 3), reference=_sparse_grad),
        of(EMPTY, np.zeros(0, np.int64), np.zeros(0), reference=lambda p, z, g: p),
        of(normal(90, 100), np.arange(90), normal(90), order=0, reference=_sparse_grad),
    ],
    "minus_one_hot": [
        of(_LOGITS, np.array([0, 3, 1]), reference=lambda x, labels: x - np.eye(4)[labels]),
        of(normal(2, 3, 4), np.array([[0, 3, 1], [2, 2, 0]]), reference=lambda x, labels: x - np.eye(4)[labels]),
    ],
    "sigmoid_cross_entropy": [
        of(normal(3, 4), between(0, 1, 3, 4), reference=_bernoulli),
        of(normal(3, 4), between(0, 1, 4), reference=_bernoulli),
        of(SCALAR, SCALAR),
        of(np.array([1000.0, -1000.0, 0.0]), np.array([0.0, 1.0, 0.5]), reference=_bernoulli, order=0),
        of(EMPTY, EMPTY),
        of(
            np.array([np.inf, -np.inf, np.inf, -np.inf]),
            np.array([0.0, 1.0, 1.0, 0.0]),
            order=0,
            reference=lambda x, z: np.array([np.inf, np.inf, 0.0, 0.0]),
        ),
    ],
    "l2_loss": [of(normal(3, 4), reference=lambda x: np.sum(x**2) / 2), of(SCALAR), of(EMPTY), of(normal(2, 3).T)],
}

SAMPLES = completed(SAMPLES, "sigmoid_cross_entropy l2_loss")
