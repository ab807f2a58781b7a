"""Linear operators against their matrices: what structure makes faster must give the same."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

L = tf.linalg
RNG = np.random.default_rng(0)
A = RNG.normal(size=(2, 3, 3)).astype(np.float32)
SPD = (A @ A.transpose(0, 2, 1) + np.eye(3)).astype(np.float32)
X = RNG.normal(size=(3, 2)).astype(np.float32)

OPERATORS = {
    "full": lambda: L.LinearOperatorFullMatrix(SPD),
    "positive": lambda: L.LinearOperatorFullMatrix(SPD, is_self_adjoint=True, is_positive_definite=True),
    "diag": lambda: L.LinearOperatorDiag([[1.0, 2.0, 4.0], [3.0, 1.0, 2.0]]),
    "identity": lambda: L.LinearOperatorIdentity(3, batch_shape=[2]),
    "scaled": lambda: L.LinearOperatorScaledIdentity(3, 2.0),
    "triangular": lambda: L.LinearOperatorLowerTriangular(SPD),
    "permutation": lambda: L.LinearOperatorPermutation([2, 0, 1]),
    "householder": lambda: L.LinearOperatorHouseholder([1.0, 2.0, 2.0]),
    "toeplitz": lambda: L.LinearOperatorToeplitz([4.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
    "tridiag": lambda: L.LinearOperatorTridiag([[4.0, 5.0, 0.0], [7.0, 8.0, 9.0], [0.0, 2.0, 3.0]]),
    "circulant": lambda: L.LinearOperatorCirculant([6.0, 4.0, 4.0], input_output_dtype=tf.float32),
    "composition": lambda: L.LinearOperatorFullMatrix(SPD).matmul(L.LinearOperatorDiag([1.0, 2.0, 3.0])),
    "adjoint": lambda: L.LinearOperatorLowerTriangular(SPD).adjoint(),
    "inversion": lambda: L.LinearOperatorFullMatrix(SPD).inverse(),
    "update": lambda: L.LinearOperatorLowRankUpdate(
        L.LinearOperatorDiag([1.0, 2.0, 3.0]), [[1.0], [1.0], [1.0]], [2.0]
    ),
    "blocks": lambda: L.LinearOperatorBlockDiag(
        [L.LinearOperatorDiag([1.0]), L.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])]
    ),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_everything_agrees_with_the_matrix(name):
    operator = OPERATORS[name]()
    matrix = operator.to_dense().numpy().astype(np.float64)
    flipped = np.swapaxes(matrix, -1, -2)
    assert operator.shape == matrix.shape and operator.is_square
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)
    close(operator.matmul(X), matrix @ X)
    close(operator @ tf.constant(X), matrix @ X)
    close(operator.matmul(X, adjoint=True), flipped @ X)
    close(operator.matmul(X.T.copy(), adjoint_arg=True), matrix @ X)
    close(operator.matvec(X[:, 0]), matrix @ X[:, 0])
    close(operator.solve(X), np.linalg.inv(matrix) @ X)
    close(operator.solve(X, adjoint=True), np.linalg.inv(flipped) @ X)
    close(operator.solvevec(X[:, 0]), np.linalg.inv(matrix) @ X[:, 0])
    close(operator.determinant(), np.linalg.det(matrix))
    close(operator.log_abs_determinant(), np.log(np.abs(np.linalg.det(matrix))))
    close(operator.trace(), np.trace(matrix, axis1=-2, axis2=-1))
    close(operator.diag_part(), np.diagonal(matrix, axis1=-2, axis2=-1))
    close(operator.add_to_tensor(np.ones((3, 3), np.float32)), matrix + 1)
    close(operator.inverse().to_dense(), np.linalg.inv(matrix))
    close(operator.H.to_dense(), flipped)
    operator.assert_non_singular()
    if operator.is_self_adjoint:
        close(np.sort(operator.eigvals()), np.linalg.eigvalsh(matrix))
    if operator.is_self_adjoint and operator.is_positive_definite:
        close(operator.cholesky().to_dense(), np.linalg.cholesky(matrix))


def test_kronecker_blocks_and_zeros():
    left, right = L.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]), L.LinearOperatorDiag([1.0, 2.0])
    np.testing.assert_array_equal(
        L.LinearOperatorKronecker([left, right]).to_dense(), np.kron(left.to_dense(), right.to_dense())
    )
    column = L.LinearOperatorFullMatrix([[1.0], [1.0]])
    made = L.LinearOperatorBlockLowerTriangular(
        [[L.LinearOperatorDiag([2.0])], [column, L.LinearOperatorDiag([2.0, 3.0])]]
    )
    assert made.to_dense().numpy().tolist() == [[2, 0, 0], [1, 2, 0], [1, 0, 3]]
    assert L.LinearOperatorZeros(2, 3, is_square=False).matvec([1.0, 2.0, 3.0]).numpy().tolist() == [0, 0]


def test_gradients_go_to_variables():
    scale = tf.Variable([1.0, 2.0])
    operator = L.LinearOperatorDiag(scale)
    assert operator.trainable_variables == (scale,)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(operator.solvevec([3.0, 4.0]))
    assert tape.gradient(y, scale).numpy().tolist() == [-3.0, -1.0]


def test_refusals():
    with pytest.raises(TypeError, match="Expected argument to have dtype"):
        L.LinearOperatorDiag([1.0]).matvec(np.ones(1))
    with pytest.raises(NotImplementedError, match="square"):
        L.LinearOperatorFullMatrix([[1.0, 2.0]]).solve([[1.0]])
    with pytest.raises(NotImplementedError, match="singular"):
        L.LinearOperatorZeros(2).solve(np.ones((2, 1), np.float32))
    with pytest.raises(NotImplementedError, match="self-adjoint"):
        L.LinearOperatorFullMatrix(SPD).eigvals()
    with pytest.raises(ValueError, match="Cholesky"):
        L.LinearOperatorDiag([1.0]).cholesky()
    with pytest.raises(ValueError, match="incompatible"):
        L.LinearOperatorDiag([1.0]).matmul(L.LinearOperatorDiag([1.0, 2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Singular"):
        L.LinearOperatorFullMatrix([[1.0, 1.0], [1.0, 1.0]]).assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="adjoint"):
        L.LinearOperatorFullMatrix([[1.0, 2.0], [1.0, 1.0]]).assert_self_adjoint()
    with pytest.raises(ValueError, match="positive definite"):
        L.LinearOperatorFullMatrix([[1.0]], is_positive_definite=True, is_non_singular=False)


def test_conjugate_gradients():
    operator = L.LinearOperatorFullMatrix(
        np.array([[4.0, 1.0], [1.0, 3.0]]), is_self_adjoint=True, is_positive_definite=True
    )
    found = L.experimental.conjugate_gradient(operator, tf.constant([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]], tf.float64))
    np.testing.assert_allclose(found.x, [[1 / 11, 7 / 11], [5 / 11, 13 / 11], [0, 0]], atol=1e-12)
    assert int(found.i) == 2
    scaled = L.LinearOperatorDiag(np.array([0.25, 1 / 3]), is_positive_definite=True)
    once = L.experimental.conjugate_gradient(
        operator, tf.constant([1.0, 2.0], tf.float64), preconditioner=scaled, max_iter=1
    )
    np.testing.assert_allclose(once.x, [0.20652174, 0.55072464], rtol=1e-7)
    np.testing.assert_allclose(once.p, [-0.08754726, 0.06484982], rtol=1e-6)
    with pytest.raises(ValueError, match="positive definite operator"):
        L.experimental.conjugate_gradient(L.LinearOperatorFullMatrix(np.eye(2)), [1.0, 2.0])


@pytest.mark.parametrize(
    "operator", [tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorScaledIdentity(2, 3.0)]
)
def test_factors_of_another_size_are_not_broadcast(operator):
    for wrong in (
        lambda: operator.matmul([[1.0]]),
        lambda: operator.solve([[1.0]]),
        lambda: operator.matvec([1.0]),
        lambda: operator.solvevec([1.0]),
    ):
        with pytest.raises(ValueError, match="Dimensions 2 and 1 are not compatible"):
            wrong()
    with pytest.raises(ValueError, match="Expected a matrix"):
        operator.matmul([1.0, 2.0])
    assert operator.matmul([[1.0, 1.0]], adjoint_arg=True).shape == [2, 1]


def test_operators_that_are_none():
    with pytest.raises(ValueError, match="at least 1 dimension"):
        tf.linalg.LinearOperatorDiag(1.0)
    with pytest.raises(ValueError, match="every number from 0 to 1 once"):
        tf.linalg.LinearOperatorPermutation([1, 1])


def test_an_operator_of_ones_own_says_what_it_can():
    class Twice(L.LinearOperator):
        """Known by what it multiplies to."""

        def __init__(self):
            super().__init__(tf.float32, is_square=True, is_non_singular=True)

        def _shape(self):
            return tf.TensorShape([3, 2, 2])

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return 2 * (tf.linalg.adjoint(x) if adjoint_arg else x)

    class Faster(L.LinearOperatorDiag):
        """Methods are asked by their private names, as TensorFlow's own operators define them."""

        _diag_part = lambda self: tf.constant([5.0, 6.0])
        _log_abs_determinant = lambda self: tf.constant(7.0)
        _matvec = lambda self, x, adjoint=False: x + 1

    class Triangle(L.LinearOperatorLowerTriangular):
        """Reads its diagonal as TensorFlow's own does."""

        def _log_abs_determinant(self):
            return tf.reduce_sum(tf.math.log(tf.abs(self._get_diag())), -1) + 1

    assert Triangle([[1.0, 0.0], [5.0, -1.0]]).log_abs_determinant().numpy() == 1
    twice = Twice()
    np.testing.assert_array_equal(twice.to_dense(), np.broadcast_to(2 * np.eye(2), (3, 2, 2)))
    np.testing.assert_array_equal(twice.determinant(), [4, 4, 4])
    np.testing.assert_array_equal(twice.trace(), [4, 4, 4])
    np.testing.assert_array_equal(twice.solvevec(tf.ones([3, 2])), np.full((3, 2), 0.5))
    np.testing.assert_array_equal(twice.add_to_tensor(tf.ones([2, 2]))[0], [[3, 1], [1, 3]])
    twice.assert_non_singular()
    faster = Faster([1.0, 2.0])
    assert faster.trace().numpy() == 11 and faster.log_abs_determinant().numpy() == 7
    assert faster.matvec([1.0, 2.0]).numpy().tolist() == [2, 3]


@pytest.mark.parametrize("kind", [L.LinearOperatorDiag, L.LinearOperatorFullMatrix, L.LinearOperatorLowerTriangular])
def test_variables_of_any_shape(kind):
    diagonal = kind is L.LinearOperatorDiag
    held = tf.Variable([1.0, 2.0] if diagonal else [[1.0, 0.0], [3.0, 2.0]], shape=tf.TensorShape(None))
    operator = kind(held, is_square=True)
    assert operator.shape.rank is None and operator.is_square
    assert operator.shape_tensor().numpy().tolist() == [2, 2] and operator.tensor_rank_tensor().numpy() == 2
    assert operator.domain_dimension_tensor().numpy() == operator.range_dimension_tensor().numpy() == 2
    assert operator.batch_shape_tensor().shape == [0]
    assert operator.trace().numpy() == 3 and operator.matvec([1.0, 1.0]).numpy()[0] == 1


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            lambda x: L.LinearOperatorDiag([x, 0.0]).assert_non_singular(),
            "Singular operator:  Diagonal contained zero",
        ),
        (lambda x: L.LinearOperatorDiag([x, -1.0]).assert_positive_definite(), "non-positive diagonal entries"),
        (lambda x: L.LinearOperatorDiag([tf.complex(x, x)]).assert_self_adjoint(), "non-zero imaginary values"),
        (lambda x: L.LinearOperatorLowerTriangular([[x, 0.0], [x, 0.0]]).assert_non_singular(), "Singular operator: "),
        (lambda x: L.LinearOperatorFullMatrix([[x, x], [x, x]]).assert_non_singular(), "up to precision epsilon"),
        (lambda x: L.LinearOperatorFullMatrix([[x, 0.0], [x, x]]).assert_self_adjoint(), "not equal to its adjoint"),
        (lambda x: L.LinearOperatorScaledIdentity(2, x - 1).assert_non_singular(), "LinearOperator was singular"),
        (lambda x: L.LinearOperatorScaledIdentity(2, -x).assert_positive_definite(), "was not positive definite"),
        (lambda x: L.LinearOperatorZeros(2).assert_non_singular(), "Zero operators are always non-invertible"),
        (lambda x: L.LinearOperatorZeros(2).assert_positive_definite(), "Zero operators are always non-positive"),
    ],
)
def test_checks_say_what_is_wrong_in_functions_too(check, message):
    for run in (check, tf.function(lambda x: (check(x), x)[1])):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            run(tf.constant(1.0))


def test_checks_pass():
    for operator in (
        L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorDiag(np.array([1.0, 2.0])),
        L.LinearOperatorScaledIdentity(2, 3.0),
        L.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 2.0]]), L.LinearOperatorDiag(np.array([1.0 + 0j])),
    ):  # fmt: skip
        operator.assert_non_singular()
        operator.assert_self_adjoint()
        operator.assert_positive_definite()


def test_variables_of_updates_and_permutations_stay_variables():
    """What was in a variable when such an operator was made stayed in it, and no gradient reached the variable."""
    u, d, perm = tf.Variable([[1.0], [2.0]]), tf.Variable([3.0]), tf.Variable([1, 0])
    update = tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag([1.0, 1.0]), u, d)
    moved = tf.linalg.LinearOperatorPermutation(perm)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(update.to_dense())
    assert [g.numpy().tolist() for g in tape.gradient(total, [u, d])] == [[[18.0], [18.0]], [9.0]]
    u.assign([[1.0], [0.0]])
    perm.assign([0, 1])
    assert update.to_dense().numpy().tolist() == [[4.0, 0.0], [0.0, 1.0]]
    assert moved.to_dense().numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]


class Positive(tf.Module):
    """Stands for a positive tensor that is made of a variable."""

    def __init__(self, logarithm):
        super().__init__()
        self.logarithm, self.dtype, self.shape = logarithm, logarithm.dtype, logarithm.shape

    def __tf_tensor__(self, dtype=None):
        return tf.exp(self.logarithm)


def test_modules_that_stand_for_tensors_stay_modules():
    """What stood for a tensor was asked once, when the operator was made: no gradient reached its variable."""
    logarithm = tf.Variable([0.0, 0.0])
    operator = tf.linalg.LinearOperatorDiag(Positive(logarithm))
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(operator.matvec([2.0, 3.0]))
    assert tape.gradient(total, logarithm).numpy().tolist() == [2.0, 3.0]
    logarithm.assign([1.0, 1.0])
    close(operator.diag_part(), np.exp([1.0, 1.0]).astype(np.float32))


def test_what_an_update_says_of_itself():
    """An update of a positive definite operator by what is positive is so, too, and has a Cholesky factor."""
    base = tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    u = [[1.0], [2.0]]
    update = tf.linalg.LinearOperatorLowRankUpdate(base, u)
    assert update.is_positive_definite and update.is_self_adjoint and update.is_non_singular
    assert update.diag_operator.to_dense().numpy().tolist() == [[1.0]]
    close(update.cholesky().to_dense() @ tf.transpose(update.cholesky().to_dense()), update.to_dense(), terms=4)
    for unknown in ({"diag_update": [1.0]}, {"v": u}):
        update = tf.linalg.LinearOperatorLowRankUpdate(base, u, **unknown)
        assert update.is_positive_definite is None
    update = tf.linalg.LinearOperatorLowRankUpdate(base, u, diag_update=[3.0], is_diag_update_positive=True)
    assert update.is_positive_definite and update.diag_operator.diag.numpy().tolist() == [3.0]


def test_what_is_said_of_an_operator_counts():
    """An operator that is said to be non-singular is square, whatever its shape: a check says otherwise."""
    assert tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3]), is_non_singular=True).is_square
    assert tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3])).is_square is False
