"""Systems of equations in bulk: one matrix for many right-hand sides is factorised once."""

from math import prod

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import bare
from tapeflow.ops.linalg.solvers import one_matrix_for_many
from tests.ops.samples.sample import normal

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


@pytest.mark.parametrize("count,n", [(2, 10), (50, 10), (200, 16), (60, 30)])
def test_batches_of_triangles_are_solved_by_substitution(count, n):
    """They went through elimination with pivots: 0.12 componentwise for 300 triangles of 30 rows, where substitution
    has 1e-12."""
    a, b = normal(count, n, n), normal(count, n, 1)
    for lower in (True, False):
        for adjoint in (True, False):
            triangle = (np.tril(a) if lower else np.triu(a)).astype(np.longdouble)
            triangle = np.swapaxes(triangle, -1, -2) if adjoint else triangle
            want = np.zeros(b.shape, np.longdouble)
            for i in range(n) if lower != adjoint else range(n - 1, -1, -1):
                want[:, i] = (b[:, i] - np.einsum("bj,bjk->bk", triangle[:, i], want)) / triangle[:, i, i, None]
            inverse = np.abs(
                np.linalg.inv(triangle.astype(float))
            )  # Skeel's condition number bounds what rounding may do
            bound = n * 2.3e-16 * (inverse @ np.abs(triangle.astype(float)) @ np.abs(want)) + 1e-300
            found = tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint).numpy()
            assert (np.abs(found - want) <= 2 * bound).all()


def test_what_lies_in_the_other_triangle_is_not_read():
    a = np.tril(normal(20, 4, 4)) + 3 * np.eye(4)
    other = a + np.triu(np.full((4, 4), np.nan), 1)
    np.testing.assert_array_equal(tf.linalg.triangular_solve(other, a), tf.linalg.triangular_solve(a, a))


def test_an_lu_is_solved_row_by_row():
    """The rows were put in order by a product, in which a NaN or an infinity met zeros."""
    packed, rows = (
        tf.linalg.lu([[4.0, 1.0, 0.5], [1.0, np.inf, 0.2], [0.5, 0.2, 2.0]]),
        tf.constant([[1.0], [2.0], [3.0]]),
    )
    assert np.isfinite(tf.linalg.lu_solve([[4.0, 1.0], [0.5, np.inf]], [1, 0], rows[:2]).numpy()).all()
    assert packed.lu.shape == (3, 3)
