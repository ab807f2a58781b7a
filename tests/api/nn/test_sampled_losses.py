"""Sampled losses against all classes written out."""

import numpy as np
import pytest
from scipy import special

import tapeflow as tf
from tests.api.gradients import gradient

RNG = np.random.default_rng(0)
W, B, X = RNG.normal(size=(9, 4)), RNG.normal(size=9), RNG.normal(size=(2, 4))
LABELS = np.array([[2], [4]])
SAMPLED, TRUE_COUNT, COUNT = np.array([5, 2, 7]), np.array([[0.3], [0.2]]), np.array([0.5, 0.1, 0.9])
VALUES = tuple(map(tf.constant, (SAMPLED, TRUE_COUNT, COUNT)))


def logits(remove):
    true = np.sum(X * W[LABELS[:, 0]], 1, keepdims=True) + B[LABELS] - np.log(TRUE_COUNT)
    others = X @ W[SAMPLED].T + B[SAMPLED] - np.log(COUNT)
    if remove:
        others[LABELS == SAMPLED] = -np.inf
    return np.concatenate([true, others], axis=1)


@pytest.mark.parametrize("remove", [True, False])
def test_losses(remove):
    args = (W, B, LABELS, X, 3, 9)
    x = logits(remove)
    softmax = tf.nn.sampled_softmax_loss(*args, sampled_values=VALUES, remove_accidental_hits=remove).numpy()
    np.testing.assert_allclose(softmax, special.logsumexp(x, axis=1) - x[:, 0])
    nce = tf.nn.nce_loss(*args, sampled_values=VALUES, remove_accidental_hits=remove).numpy()
    np.testing.assert_allclose(nce, np.logaddexp(0, -x[:, 0]) + np.logaddexp(0, x[:, 1:]).sum(1))


def test_gradients_reach_weights_biases_and_inputs():
    loss = lambda w, b, x: tf.nn.sampled_softmax_loss(w, b, LABELS, x, 3, 9, sampled_values=VALUES)
    dw, db, dx = gradient(loss, W, B, X)
    p = special.softmax(logits(True), axis=1)
    np.testing.assert_allclose(db[[5, 7]], p[:, [1, 3]].sum(0))
    np.testing.assert_allclose(db[4], p[1, 0] - 1)
    assert np.isfinite(dw).all() and np.isfinite(dx).all() and not dw[[0, 1, 3, 6, 8]].any()


def test_classes_are_drawn_when_none_are_given():
    loss = tf.nn.nce_loss(W.astype("f4"), B.astype("f4"), LABELS, X.astype("f4"), num_sampled=4, num_classes=9)
    assert loss.shape == (2,) and np.isfinite(loss.numpy()).all()
    a, b = [
        tf.nn.sampled_softmax_loss(W.astype("f4"), B.astype("f4"), LABELS, X.astype("f4"), 4, 9, seed=3).shape
        for _ in range(2)
    ]
    assert a == b == (2,)


def test_accidental_hits():
    example, place, weight = tf.nn.compute_accidental_hits(LABELS, SAMPLED, 1)
    assert example.numpy().tolist() == [0] and place.numpy().tolist() == [1] and weight.numpy()[0] < -1e38
