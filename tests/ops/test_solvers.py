"""Systems of equations in bulk: one matrix for many right-hand sides is factorised once."""

from math import prod

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import bare
from tapeflow.ops.solvers import one_matrix_for_many

from .samples.sample import normal

A = normal(4, 4) + 4 * np.eye(4)


@pytest.mark.parametrize(
    "shape_a,shape_b,count",
    [
        ((), (), 1),
        ((), (5,), 1),
        ((), (2, 5), 1),
        ((3,), (5, 3), 3),
        ((3, 1), (5,), 3),
        ((3, 1), (3, 5), 3),
        ((1, 3), (5, 1), 3),
        ((3,), (), 3),
        ((3,), (3,), 3),
        ((5, 3), (5, 3), 15),
        ((), (0,), 1),
    ],
)
def test_each_matrix_is_factorised_once(shape_a, shape_b, count):
    counts = []

    def solve(a, b):
        counts.append(prod(np.broadcast_shapes(a.shape[:-2], b.shape[:-2])))
        return np.linalg.solve(a, b)

    a = normal(*shape_a, 4, 4) + 4 * np.eye(4)
    b = normal(*shape_b, 4, 2)
    out = one_matrix_for_many(solve)(a, b)
    np.testing.assert_allclose(a @ out, np.broadcast_to(b, out.shape), atol=1e-12)
    assert counts == [count]


@pytest.mark.parametrize("solve", [tf.linalg.solve, tf.linalg.triangular_solve], ids=lambda f: f.__name__)
def test_maps_over_right_hand_sides_and_matrices(solve):
    a, b = tf.constant(A + normal(3, 4, 4)), tf.constant(normal(3, 4, 2))
    rows = lambda f: np.stack([f(k) for k in range(3)])
    np.testing.assert_allclose(tf.vmap(solve, in_axes=(None, 0))(a[0], b), rows(lambda k: solve(a[0], b[k])))
    np.testing.assert_allclose(tf.vmap(solve, in_axes=(0, None))(a, b[0]), rows(lambda k: solve(a[k], b[0])))
    np.testing.assert_allclose(tf.vmap(solve)(a, b), rows(lambda k: solve(a[k], b[k])))
    pairs = tf.vmap(tf.vmap(solve, in_axes=(None, 0)), in_axes=(0, None))(a, b)
    np.testing.assert_allclose(pairs, rows(lambda k: np.stack([solve(a[k], b[j]) for j in range(3)])))


def test_the_jacobian_of_a_solution():
    a, b = tf.constant(A), tf.constant(normal(4, 1))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        y = tf.linalg.solve(a, b)
    inverse, x = np.linalg.inv(A), np.linalg.solve(A, b.numpy())[:, 0]
    np.testing.assert_allclose(tape.jacobian(y, b)[:, 0, :, 0], inverse, atol=1e-12)
    np.testing.assert_allclose(tape.jacobian(y, a)[:, 0], -np.einsum("ij,k->ijk", inverse, x), atol=1e-12)


def test_shapes_that_do_not_fit_are_named_as_given():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"got shapes \(4, 4\) and \(2, 3, 5\)"):
        tf.linalg.solve(tf.constant(A), tf.ones([2, 3, 5], tf.float64))


def test_one_singular_matrix_in_a_map_is_an_error():
    matrices = tf.stack([tf.eye(2), tf.zeros([2, 2])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.vmap(tf.linalg.inv)(matrices)


def test_many_tridiagonal_right_hand_sides():
    diagonals, b = normal(3, 6) + np.array([0.0, 4.0, 0.0])[:, None], normal(7, 6, 2)
    out = bare.tridiagonal_solve(diagonals, b, transpose=False)
    np.testing.assert_allclose(out, np.stack([bare.tridiagonal_solve(diagonals, x, transpose=False) for x in b]))
