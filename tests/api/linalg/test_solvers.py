"""Inverses, determinants and solvers: values, gradients at hard points, errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient
from tests.ops.samples.linalg.decompositions import positive_definite
from tests.ops.samples.sample import complex_normal, normal
from tests.ops.test_registry import check_gradients

MAKES = [normal, complex_normal]


def h(x):
    return np.conj(np.swapaxes(x, -1, -2))


def check(f, *xs, order=2):
    check_gradients(lambda *t: [f(*t)], [tf.constant(x) for x in xs], "f", order, 1e-4)


@pytest.mark.parametrize("make", MAKES)
def test_inv_and_solve(make):
    a, b = make(2, 3, 3), make(2, 3, 2)
    np.testing.assert_allclose(tf.linalg.inv(a).numpy() @ a, np.broadcast_to(np.eye(3), a.shape), atol=1e-10)
    np.testing.assert_allclose(tf.linalg.inv(a, adjoint=True).numpy(), h(np.linalg.inv(a)))
    np.testing.assert_allclose(a @ tf.linalg.solve(a, b).numpy(), b)
    np.testing.assert_allclose(h(a) @ tf.linalg.solve(a, b, adjoint=True).numpy(), b)
    check(lambda a, b: tf.linalg.solve(a, b, adjoint=True), a, b)
    check(lambda a: tf.linalg.inv(a, adjoint=True), a)


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
@pytest.mark.parametrize("batch", [(), (4,)])
def test_triangular_solve(make, lower, adjoint, batch):
    a, b = make(*batch, 3, 3) + 2 * np.eye(3), make(3, 2)
    triangle = np.tril(a) if lower else np.triu(a)
    got = tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint).numpy()
    np.testing.assert_allclose((h(triangle) if adjoint else triangle) @ got, np.broadcast_to(b, got.shape))
    check(lambda a, b: tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint), a, b)


def test_triangular_solve_divides_by_zero_in_silence():
    got = tf.linalg.triangular_solve([[0.0, 1.0], [0.0, 4.0]], [[1.0], [2.0]]).numpy()
    assert np.isinf(got[0, 0]) and np.isnan(got[1, 0])
    batch = tf.linalg.triangular_solve([[[0.0, 1.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]], [[1.0], [2.0]]).numpy()
    assert batch[1].ravel().tolist() == [1, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.linalg.inv(x),
        lambda x: tf.linalg.solve(x, tf.ones([2, 1])),
        lambda x: gradient(lambda x: tf.linalg.slogdet(x)[1], x),
    ],
)
def test_singular_matrices_raise(call):
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        call(tf.ones([2, 2]))


def test_a_vector_is_no_right_hand_side():
    with pytest.raises(tf.errors.InvalidArgumentError, match="newaxis"):
        tf.linalg.solve(tf.eye(2), tf.ones([2]))


# ---- determinants


def test_det_has_a_gradient_at_singular_matrices():
    """TensorFlow raises: it goes through the inverse."""
    np.testing.assert_allclose(gradient(tf.linalg.det, [[1.0, 1.0], [1.0, 1.0]]), [[1, -1], [-1, 1]], atol=1e-6)
    assert not gradient(tf.linalg.det, np.zeros((3, 3))).any()
    assert gradient(tf.linalg.det, [[0.0]]).tolist() == [[1]]


@pytest.mark.parametrize(
    "x",
    [normal(3, 3), np.ones((3, 3)), np.zeros((3, 3)), np.diag([1.0, 2.0, 0.0])],
    ids=["regular", "rank 1", "zero", "rank 2"],
)
def test_third_derivative_of_det(x):
    """Of a + tB with three rows it is 6 det B, whatever a."""
    b, t = tf.constant(normal(3, 3, seed="b")), tf.constant(0.0, tf.float64)
    with tf.GradientTape() as third:
        third.watch(t)
        with tf.GradientTape() as second:
            second.watch(t)
            with tf.GradientTape() as first:
                first.watch(t)
                y = tf.linalg.det(x + t * b)
            y = first.gradient(y, t)
        y = second.gradient(y, t)
    np.testing.assert_allclose(third.gradient(y, t).numpy(), 6 * np.linalg.det(b.numpy()))


@pytest.mark.parametrize("make", MAKES)
def test_slogdet_and_logdet(make):
    x = make(2, 3, 3)
    sign, log = tf.linalg.slogdet(x)
    assert sign.dtype == log.dtype == x.dtype
    np.testing.assert_allclose(sign.numpy() * np.exp(log.numpy()), np.linalg.det(x))
    spd = positive_definite(2, 3, 3, make=make)
    assert tf.linalg.logdet(spd).dtype == tf.float64
    np.testing.assert_allclose(tf.linalg.logdet(spd).numpy(), np.log(np.linalg.det(spd).real))
    check(lambda x: tf.linalg.logdet((x + tf.linalg.adjoint(x)) / 2), spd)


# ---- from decompositions


@pytest.mark.parametrize("make", MAKES)
def test_solving_from_factors(make):
    a, b = make(2, 3, 3), make(2, 3, 2)
    lu, p = tf.linalg.lu(a)
    np.testing.assert_allclose(a @ tf.linalg.lu_solve(lu, p, b).numpy(), b)
    np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(lu, p).numpy(), np.linalg.inv(a))
    check(lambda lu, b: tf.linalg.lu_solve(lu, p, b), lu.numpy(), b)
    spd = positive_definite(2, 3, 3, make=make)
    np.testing.assert_allclose(spd @ tf.linalg.cholesky_solve(tf.linalg.cholesky(spd), b).numpy(), b)


# ---- least squares


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3)])
def test_lstsq_and_pinv(make, shape):
    a, b = make(*shape), make(shape[0], 2, seed="b")
    want = np.linalg.lstsq(a, b)[0]
    np.testing.assert_allclose(tf.linalg.lstsq(a, b).numpy(), want)
    np.testing.assert_allclose(tf.linalg.lstsq(a, b, fast=False).numpy(), want)
    np.testing.assert_allclose(tf.linalg.pinv(a).numpy(), np.linalg.pinv(a))
    check(lambda a, b: tf.linalg.lstsq(a, b, l2_regularizer=0.5), a, b)
    check(lambda a: tf.linalg.pinv(a), a)
    ridge = np.linalg.solve(h(a) @ a + 0.5 * np.eye(shape[1]), h(a) @ b)
    np.testing.assert_allclose(tf.linalg.lstsq(a, b, l2_regularizer=0.5).numpy(), ridge)


def test_lstsq_of_low_rank():
    ones = tf.ones([3, 2])
    np.testing.assert_allclose(tf.linalg.lstsq(ones, tf.ones([3, 1]), fast=False).numpy(), [[0.5], [0.5]], rtol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.lstsq(ones, tf.ones([3, 1]))
    with pytest.raises(ValueError, match="fast=False"):
        gradient(lambda a: tf.linalg.lstsq(a, tf.ones([3, 1]), fast=False), np.ones((3, 2), "f"))


def test_pinv_where_singular_values_are_equal():
    """Through the singular vectors, as TensorFlow goes, the gradient off the diagonal is lost."""
    np.testing.assert_allclose(gradient(tf.linalg.pinv, 2 * np.eye(2)), np.full((2, 2), -0.25))


def test_pinv_rcond():
    x = np.diag([1.0, 1e-3])
    np.testing.assert_allclose(tf.linalg.pinv(x, rcond=1e-2).numpy(), np.diag([1.0, 0.0]))
    np.testing.assert_allclose(tf.linalg.pinv(np.stack([x, x]), rcond=[1e-2, 1e-4]).numpy()[1], np.diag([1.0, 1e3]))
    with pytest.raises(TypeError, match="int32"):
        tf.linalg.pinv([[1, 2], [3, 4]])


# ---- bands


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_tridiagonal(make, batch):
    d, b = make(*batch, 3, 4) + np.array([0.0, 5.0, 0.0])[:, None], make(*batch, 4, 2)
    dense = np.zeros((*batch, 4, 4), d.dtype)
    for i in range(4):
        dense[..., i, i] = d[..., 1, i]
        if i < 3:
            dense[..., i, i + 1], dense[..., i + 1, i] = d[..., 0, i], d[..., 2, i + 1]
    want = np.linalg.solve(dense, b)
    sequence = [d[..., 0, :-1], d[..., 1, :], d[..., 2, 1:]]
    whole = [d[..., k, :] for k in range(3)]
    for diagonals, form in (d, "compact"), (sequence, "sequence"), (whole, "sequence"), (dense, "matrix"):
        np.testing.assert_allclose(tf.linalg.tridiagonal_solve(diagonals, b, form).numpy(), want)
        np.testing.assert_allclose(tf.linalg.tridiagonal_matmul(diagonals, b, form).numpy(), dense @ b)
    np.testing.assert_allclose(tf.linalg.tridiagonal_solve(d, b[..., 0]).numpy(), want[..., 0])
    np.testing.assert_allclose(
        tf.linalg.tridiagonal_solve(d, h(b), transpose_rhs=True, conjugate_rhs=True).numpy(), want
    )
    check(lambda d, b: tf.linalg.tridiagonal_matmul(d, b), d, b)
    check(lambda d, b: tf.linalg.tridiagonal_solve(d, b), d, b)


def test_tridiagonal_errors():
    with pytest.raises(ValueError, match="diagonals_format"):
        tf.linalg.tridiagonal_solve(tf.ones([3, 2]), tf.ones([2]), diagonals_format="x")
    with pytest.raises(ValueError, match="3 diagonals"):
        tf.linalg.tridiagonal_solve(tf.ones([2, 2]), tf.ones([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rows"):
        tf.linalg.tridiagonal_solve(tf.ones([3, 2]), tf.ones([3]))
    assert np.isnan(
        tf.linalg.tridiagonal_solve([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]], [1.0, 2.0, 3.0]).numpy()
    ).all()


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("bands", [1, 2, 3])
def test_banded_triangular_solve(lower, bands):
    packed = normal(2, bands, 4)
    packed[:, 0 if lower else -1] += 4
    dense = np.zeros((2, 4, 4))
    for i in range(bands):
        k = i if lower else bands - 1 - i
        for j in range(4 - k):
            row, col = (j + k, j) if lower else (j, j + k)
            dense[:, row, col] = packed[:, i, row]
    b = normal(2, 4, 2)
    np.testing.assert_allclose(dense @ tf.linalg.banded_triangular_solve(packed, b, lower=lower).numpy(), b)
    check(lambda packed, b: tf.linalg.banded_triangular_solve(packed, b, lower=lower, adjoint=True), packed, b)
