"""Linear operators in the place of matrices."""

import pytest

import tapeflow as tf
from tests.rounding import close


def test_functions_of_matrices_take_operators():
    """`tf.linalg.matmul(operator, x)` and its like were errors; they leave the work to the operator."""
    matrix, x = tf.constant([[4.0, 1.0], [1.0, 3.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    operator = tf.linalg.LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True)
    thin = tf.linalg.LinearOperatorFullMatrix(x)
    linalg = tf.linalg
    for found, want in (
        (linalg.matmul(operator, x), matrix @ x),
        (tf.matmul(x, thin), x @ x),
        (x @ thin, x @ x),
        (linalg.matmul(thin, x, adjoint_a=True, adjoint_b=True), tf.transpose(x) @ tf.transpose(x)),
        (linalg.matmul(x, thin, adjoint_a=True), tf.transpose(x) @ x),
        (linalg.matmul(operator, thin).to_dense(), matrix @ x),
        (linalg.adjoint(thin).to_dense(), tf.transpose(x)),
        (linalg.cholesky(operator).to_dense(), linalg.cholesky(matrix)),
        (linalg.det(thin), linalg.det(x)),
        (linalg.inv(input=operator).to_dense(), linalg.inv(matrix)),
        (linalg.logdet(operator), linalg.logdet(matrix)),
        (linalg.matvec(operator, x[0]), linalg.matvec(matrix, x[0])),
        (linalg.solve(thin, matrix, adjoint=True), linalg.solve(x, matrix, adjoint=True)),
        (linalg.trace(operator, name="trace"), 7.0),
        (linalg.diag_part(operator), [4.0, 3.0]),
    ):
        close(found, want, terms=8)
    with pytest.raises(ValueError, match="does not take k=1"):
        linalg.diag_part(operator, k=1)
    with pytest.raises(ValueError, match="adjoint_a or adjoint_b"):
        linalg.matmul(operator, x, transpose_a=True)
    with pytest.raises(ValueError, match="unsupported type"):
        linalg.matmul(object(), x)
