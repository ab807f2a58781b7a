"""Decompositions: they multiply back to the matrix, gradients without sign and phase, hard points."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient
from tests.ops.samples.linalg.decompositions import positive_definite
from tests.ops.samples.sample import complex_normal, normal
from tests.ops.test_registry import check_gradients

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


def h(x):
    return np.conj(np.swapaxes(x, -1, -2))


def symmetric(x):
    return (x + tf.linalg.adjoint(x)) * 0.5


def check(f, *xs, order=2):
    check_gradients(lambda *t: [f(*t)], [tf.constant(x) for x in xs], "f", order, 1e-4)


@pytest.mark.parametrize("make", [normal, complex_normal])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4)])
def test_everything_multiplies_back(make, shape):
    x = make(*shape)
    spd = positive_definite(*shape, make=make)
    chol = tf.linalg.cholesky(spd).numpy()
    np.testing.assert_allclose(chol @ h(chol), spd, atol=1e-12)
    assert not np.triu(chol, 1).any()
    q, r = tf.linalg.qr(x)
    np.testing.assert_allclose((q @ r).numpy(), x, atol=1e-12)
    np.testing.assert_allclose(h(q.numpy()) @ q.numpy(), np.broadcast_to(np.eye(shape[-1]), shape), atol=1e-12)
    w, v = tf.linalg.eigh(spd)
    assert w.dtype == spd.dtype  # complex for complex matrices, as TensorFlow's
    np.testing.assert_allclose((v * w[..., None, :] @ tf.linalg.adjoint(v)).numpy(), spd, atol=1e-12)
    np.testing.assert_allclose(tf.linalg.eigvalsh(spd).numpy(), w.numpy(), atol=1e-12)
    w, v = tf.linalg.eig(x)
    np.testing.assert_allclose(x @ v.numpy(), v.numpy() * w.numpy()[..., None, :], atol=1e-12)
    s, u, v = tf.linalg.svd(x)
    assert s.dtype == tf.float64 and (np.diff(s.numpy()) <= 0).all()
    np.testing.assert_allclose((u.numpy() * s.numpy()[..., None, :]) @ h(v.numpy()), x, atol=1e-12)
    lu, p = tf.linalg.lu(x)
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(lu, p).numpy(), x, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    x = positive_definite(3, 3).astype(dtype)
    for out in (
        *tf.linalg.qr(x),
        *tf.linalg.eigh(x),
        tf.linalg.cholesky(x),
        tf.linalg.lu(x).lu,
        tf.linalg.expm(x),
        tf.linalg.logm(x),
    ):
        assert out.numpy().dtype == dtype
    assert all(o.dtype.is_complex for o in tf.linalg.eig(x))


def test_results_have_names():
    assert tf.linalg.qr(tf.eye(2))._fields == ("q", "r")
    assert tf.linalg.lu(tf.eye(2), tf.int64).p.dtype == tf.int64
    assert tf.linalg.slogdet(tf.eye(2))._fields == ("sign", "log_abs_determinant")


# ---- gradients, on functions that do not depend on the choice of signs and phases


@pytest.mark.parametrize("make", [normal, complex_normal])
def test_cholesky_gradient_is_that_of_symmetric_matrices(make):
    check(lambda x: tf.linalg.cholesky(symmetric(x)), positive_definite(3, 3, make=make))
    check(lambda x: tf.linalg.cholesky(symmetric(x)), positive_definite(2, 2, 2, make=make))
    g = gradient(tf.linalg.cholesky, positive_definite(3, 3, make=make))
    np.testing.assert_allclose(g, h(g))


@pytest.mark.parametrize("make", [normal, complex_normal])
def test_eigenvector_gradients(make):
    weights = normal(3, 3, seed="w")
    check(lambda x: tf.abs(tf.linalg.eigh(x)[1]) ** 2 * weights, make(3, 3))
    check(lambda x: tf.abs(tf.linalg.eig(x)[1]) ** 2 * weights, make(3, 3) + np.diag([1.0, 3.0, 6.0]))
    check(lambda x: tf.abs(tf.linalg.eig(x)[0]), make(3, 3), order=1)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
@pytest.mark.parametrize("full", [False, True])
def test_singular_vector_gradients(shape, full):
    """u f(s) vᴴ and |u|² do not depend on phases; with full matrices, the projection on the extra vectors does not on
    their choice."""

    def f(x):
        s, u, v = tf.linalg.svd(x, full_matrices=full)
        k = s.shape[-1]
        scaled = u[..., :k] * tf.cast(tf.sqrt(s), u.dtype)[..., None, :]
        rest = u[..., k:]
        return tf.concat(
            [tf.math.real(scaled @ tf.linalg.adjoint(v[..., :k])), tf.math.real(rest @ tf.linalg.adjoint(rest))], -1
        )

    check(f, normal(*shape))
    check(f, complex_normal(*shape))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_qr_gradients(shape):
    check(lambda x: tf.abs(tf.linalg.qr(x)[0]) ** 2, complex_normal(*shape))
    check(lambda x: tf.abs(tf.linalg.qr(x)[1]) ** 2, complex_normal(*shape))
    check(lambda x: tf.linalg.qr(x)[0] @ tf.sin(tf.linalg.qr(x)[1]), normal(*shape))


# ---- hard points


@pytest.mark.parametrize("x", [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]], ids=str)
def test_cholesky_needs_a_positive_definite_matrix(x):
    """TensorFlow gives nan and leftover memory on the CPU."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive definite"):
        tf.linalg.cholesky(x)


def test_only_the_lower_triangle_is_read():
    np.testing.assert_array_equal(tf.linalg.cholesky([[4.0, 99.0], [2.0, 5.0]]).numpy(), [[2, 0], [1, 2]])
    np.testing.assert_allclose(tf.linalg.eigvalsh([[2.0, 99.0], [1.0, 2.0]]).numpy(), [1, 3], rtol=1e-6)
    assert gradient(lambda x: tf.linalg.eigvalsh(x)[0], [[2.0, 1.0], [5.0, 2.0]])[0, 1] == 0


def test_equal_eigenvalues():
    """Their vectors have no derivative; functions that do not depend on the choice have, and get it."""
    np.testing.assert_array_equal(gradient(tf.linalg.eigvalsh, np.eye(3)), np.eye(3))
    x = np.diag([1.0, 1.0, 2.0])

    def projection(x):
        _, v = tf.linalg.eigh((x + tf.transpose(x)) / 2)
        return v[:, :2] @ tf.transpose(v[:, :2])

    check(projection, x, order=1)
    assert not gradient(lambda x: tf.linalg.eigh(x)[1][0, 0] ** 2, np.eye(2)).any()


@pytest.mark.parametrize(
    "x", [np.zeros((2, 2)), np.eye(3), np.zeros((3, 2)), np.ones((2, 2))], ids=["zeros", "eye", "tall zeros", "rank 1"]
)
def test_singular_values_alone_are_fine_where_repeated(x):
    assert np.isfinite(gradient(lambda x: tf.linalg.svd(x, compute_uv=False), x)).all()


def test_gradients_that_do_not_exist():
    with pytest.raises(NotImplementedError, match="full_matrices"):
        gradient(lambda x: tf.linalg.qr(x, full_matrices=True)[0], np.ones((3, 2)))
    with pytest.raises(LookupError, match="lu"):
        gradient(lambda x: tf.linalg.lu(x)[0], np.eye(2))


def test_functions_of_matrices():
    x = positive_definite(2, 3, 3)
    np.testing.assert_allclose(tf.linalg.logm(tf.linalg.expm(x)).numpy(), x, atol=1e-10)
    root = tf.linalg.sqrtm(x)
    np.testing.assert_allclose((root @ root).numpy(), x, atol=1e-12)
    assert np.isnan(tf.linalg.sqrtm([[-1.0, 0.0], [0.0, 4.0]]).numpy()).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="square"):
        tf.linalg.expm(tf.ones([2, 3]))


def test_third_derivative_of_expm():
    x = tf.constant([[0.1, 0.2], [0.3, -0.1]], tf.float64)

    def slope(f):
        def of(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tape.gradient(y, x)

        return of

    check_gradients(lambda x: [slope(slope(tf.linalg.expm))(x)], [x], "expm", 1, 1e-4)


@pytest.mark.parametrize("complex_beta", [False, True])
def test_eigh_tridiagonal(complex_beta):
    alpha, beta = np.array([1.0, 2.0, 4.0, 7.0]), np.array([0.5, 1.0, 2.0]) * (1 + 1j if complex_beta else 1)
    dense = np.diag(alpha.astype(beta.dtype)) + np.diag(beta, 1) + np.diag(beta.conj(), -1)
    w = np.linalg.eigvalsh(dense)
    alpha = alpha.astype(beta.dtype)
    np.testing.assert_allclose(tf.linalg.eigh_tridiagonal(alpha, beta).numpy(), w)
    values, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
    np.testing.assert_allclose(dense @ vectors.numpy(), vectors.numpy() * values.numpy(), atol=1e-12)
    np.testing.assert_allclose(
        tf.linalg.eigh_tridiagonal(alpha, beta, select="i", select_range=[1, 2]).numpy(), w[1:3]
    )
    chosen = w[(w >= 1) & (w <= 4)]
    np.testing.assert_allclose(
        tf.linalg.eigh_tridiagonal(alpha, beta, select="v", select_range=[1.0, 4.0]).numpy(), chosen
    )
    assert tf.linalg.eigh_tridiagonal(alpha, beta, select="v", select_range=[100.0, 400.0]).shape == (0,)
    check(lambda a, b: tf.linalg.eigh_tridiagonal(a, b), alpha, beta)


@pytest.mark.parametrize(("select", "select_range"), [("z", None), ("i", None), ("v", None)])
def test_eigh_tridiagonal_wrong_selection(select, select_range):
    with pytest.raises(ValueError, match="select"):
        tf.linalg.eigh_tridiagonal([1.0, 2.0], [1.0], select=select, select_range=select_range)


def test_matrix_rank():
    x = np.stack([np.eye(3), np.ones((3, 3)), np.zeros((3, 3))])
    assert tf.linalg.matrix_rank(x).numpy().tolist() == [3, 1, 0]
    assert tf.linalg.matrix_rank(np.diag([1.0, 1e-3]), tol=1e-2).numpy() == 1
    assert tf.linalg.matrix_rank(np.diag([1 + 0j, 1e-3])).numpy() == 2
    assert tf.linalg.matrix_rank(tf.eye(2, dtype=tf.bfloat16)).numpy() == 2
    with pytest.raises(TypeError, match="int32"):
        tf.linalg.matrix_rank([[1, 2]])


@pytest.mark.parametrize(
    "function", [tf.linalg.cholesky, tf.linalg.eigvals, tf.linalg.lu, tf.linalg.det, tf.linalg.inv, tf.linalg.sqrtm]
)
def test_shapes_that_do_not_fit(function):
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank >= 2"):
        function(tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="square"):
        function(tf.ones([2, 3]))


def test_a_tolerance_broadcasts_against_the_singular_values():
    """TensorFlow's results. A vector of them counted as one for each matrix before."""
    x = tf.linalg.diag([0.1, 0.2, 0.3])
    assert tf.linalg.matrix_rank(x, tol=[[0.09], [0.19], [0.29], [0.31]]).numpy().tolist() == [3, 2, 1, 0]
    assert tf.linalg.matrix_rank(x, tol=[0.09, 0.19, 0.29]).numpy() == 2
    assert tf.linalg.matrix_rank(tf.stack([x, x]), tol=[[0.09], [0.25]]).numpy().tolist() == [3, 1]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.matrix_rank(x, tol=[0.1, 0.2, 0.3, 0.4])
