"""Gradients of Keras' linear algebra, graphs of it, and meanings that Keras' own tests leave open."""

import numpy as np
import pytest
import scipy.linalg

import tapeflow as tf
from keras_tapeflow.src.ops import linalg

from .checks import check, normal


def _positive(a):
    return a @ tf.transpose(a) + 3 * tf.eye(3, dtype=a.dtype)


def _rebuilt(a):
    u, s, vh = linalg.svd(a, full_matrices=False)
    return u @ tf.linalg.diag(s * s) @ vh


FACTOR = np.tril(normal(3, 3)) + 3 * np.eye(3)
CASES = {
    "cholesky": (lambda a: linalg.cholesky(_positive(a)), normal(3, 3)),
    "cholesky upper": (lambda a: linalg.cholesky(_positive(a), upper=True), normal(3, 3)),
    "cholesky_inverse": (linalg.cholesky_inverse, FACTOR),
    "cholesky_inverse upper": (lambda a: linalg.cholesky_inverse(a, upper=True), FACTOR.T),
    "det": (linalg.det, normal(2, 3, 3)),
    "eigh": (lambda a: linalg.eigh(_positive(a))[0], normal(3, 3)),
    "inv": (linalg.inv, normal(3, 3)),
    "lu_factor": (linalg.lu_factor, normal(3, 3)),
    "lu_factor tall": (linalg.lu_factor, normal(2, 4, 3)),
    "lu_factor wide": (linalg.lu_factor, normal(3, 5)),
    "qr": (linalg.qr, normal(4, 3)),
    "solve": (linalg.solve, normal(3, 3), normal(3, 2)),
    "solve vectors": (linalg.solve, normal(2, 3, 3), normal(2, 3)),
    "solve_triangular": (linalg.solve_triangular, FACTOR.T, normal(3)),
    "svd": (_rebuilt, normal(4, 3)),
    "svd values": (lambda a: linalg.svd(a, compute_uv=False), normal(4, 3)),
    "lstsq": (linalg.lstsq, normal(5, 3), normal(5)),
    "lstsq wide": (linalg.lstsq, normal(3, 5), normal(3, 2)),
    "pinv": (linalg.pinv, normal(4, 3)),
    "norm": (linalg.norm, normal(4, 3)),
    "norm nuc": (lambda x: linalg.norm(x, "nuc"), normal(4, 3)),
    "norm 3": (lambda x: linalg.norm(x, 3, axis=1), normal(4, 3)),
    "jvp": (lambda x, t: linalg.jvp(lambda a: tf.sin(a) * a, (x,), (t,)), normal(3), normal(3, seed=6)),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    check(*CASES[name])


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
def test_pivots_are_those_of_lapack(shape):
    x = normal(*shape)
    packed, pivots = linalg.lu_factor(x)
    want, order = scipy.linalg.lu_factor(x)
    np.testing.assert_allclose(packed.numpy(), want)
    np.testing.assert_array_equal(pivots.numpy(), order)


def test_integers_are_solved_as_floating_numbers():
    assert linalg.solve(np.array([[2, 0], [0, 4]]), np.array([1, 1])).numpy().tolist() == [0.5, 0.25]


def test_a_tangent_of_what_does_not_depend_on_the_input_is_zero():
    y, slope, aux = linalg.jvp(
        lambda x: ((x * x, tf.ones(2)), x), (tf.constant(3.0),), (tf.constant(1.0),), has_aux=True
    )
    assert [float(y[0]), float(slope[0]), slope[1].numpy().tolist(), float(aux)] == [9.0, 6.0, [0.0, 0.0], 3.0]
