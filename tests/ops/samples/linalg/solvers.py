import numpy as np

from tests.ops.samples.sample import completed, complex_normal, held, normal, of

from .decompositions import adjoint, close


def _matrix(*shape, make=normal):
    return make(*shape) + 3 * np.eye(shape[-1])


_by_inverse = lambda a, b: np.linalg.inv(a) @ b


def _reference_triangular(a, b, lower, transpose):
    triangle = np.tril(a) if lower else np.triu(a)
    return np.linalg.inv(np.swapaxes(triangle, -1, -2) if transpose else triangle) @ b


def _reference_tridiagonal(diagonals, b, transpose):
    batch = np.broadcast_shapes(diagonals.shape[:-2], b.shape[:-2])
    diagonals, b = (
        np.broadcast_to(diagonals, (*batch, *diagonals.shape[-2:])),
        np.broadcast_to(b, (*batch, *b.shape[-2:])),
    )
    out = np.empty(b.shape, b.dtype)
    for i in np.ndindex(batch):
        above, main, below = diagonals[i]
        matrix = np.diag(above[:-1], 1) + np.diag(main) + np.diag(below[1:], -1)
        out[i] = np.linalg.solve(matrix.T if transpose else matrix, b[i])
    return out


_triangular = lambda a, b, lower, transpose: of(
    a, b, lower=lower, transpose=transpose, reference=_reference_triangular
)
_tridiagonal = lambda d, b, transpose: of(d, b, transpose=transpose, reference=_reference_tridiagonal)
_diagonals = lambda *shape, make=normal: make(*shape) + np.array([0.0, 4.0, 0.0])[:, None]


def _undoes(out, x):
    one = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    close(out @ x, one)
    close(x @ out, one)


def _is_pseudoinverse(out, x, rcond):
    """Penrose's four conditions, which have one solution."""
    close(x @ out @ x, x)
    close(out @ x @ out, out)
    close(adjoint(x @ out), x @ out)
    close(adjoint(out @ x), out @ x)


SAMPLES = {
    "inv": [of(_matrix(3, 3)), of(_matrix(2, 4, 4)), of(_matrix(3, 3, make=complex_normal)), of(np.zeros((0, 0)))],
    "solve": [
        of(_matrix(3, 3), normal(3, 2)),
        of(_matrix(2, 3, 3), normal(2, 3, 1)),
        of(_matrix(3, 3), normal(2, 3, 2)),
        of(_matrix(2, 3, 3), normal(3, 2)),
        of(_matrix(3, 3, make=complex_normal), complex_normal(3, 2)),
        of(np.zeros((0, 0)), np.zeros((0, 2))),
        of(_matrix(2, 1, 3, 3), normal(4, 3, 2), reference=_by_inverse),
        of(_matrix(1, 2, 3, 3), normal(4, 1, 3, 2), reference=_by_inverse),
        of(_matrix(3, 3), normal(2, 4, 3, 1), reference=_by_inverse, order=1),
        of(_matrix(3, 3), np.zeros((0, 3, 2)), reference=_by_inverse),
    ],
    "triangular_solve": [
        *[
            _triangular(_matrix(3, 3), normal(3, 2), lower, transpose)
            for lower in (True, False)
            for transpose in (True, False)
        ],
        _triangular(_matrix(2, 3, 3), normal(2, 3, 1), True, False),
        _triangular(_matrix(2, 3, 3), normal(3, 2), False, True),
        _triangular(_matrix(3, 3), normal(4, 3, 2), True, True),
        _triangular(_matrix(2, 1, 3, 3), normal(4, 3, 2), False, False),
        _triangular(_matrix(3, 3, make=complex_normal), complex_normal(3, 2), True, True),
        # large ones go one by one through BLAS
        _triangular(_matrix(2, 40, 40) + 10 * np.eye(40), normal(2, 40, 2), True, False),
        _triangular(np.zeros((0, 0)), np.zeros((0, 2)), True, False),
    ],
    "tridiagonal_solve": [
        _tridiagonal(_diagonals(3, 4), normal(4, 2), False),
        _tridiagonal(_diagonals(3, 4), normal(4, 1), True),
        _tridiagonal(_diagonals(2, 3, 5), normal(2, 5, 2), False),
        _tridiagonal(_diagonals(3, 2), normal(2, 1), False),
        _tridiagonal(_diagonals(3, 1), normal(1, 2), False),
        _tridiagonal(_diagonals(3, 4, make=complex_normal), complex_normal(4, 2), True),
        _tridiagonal(_diagonals(3, 4), normal(2, 4, 2), False),
        _tridiagonal(_diagonals(2, 3, 4), normal(4, 2), True),
        _tridiagonal(_diagonals(2, 1, 3, 4), normal(3, 4, 1), True),
        _tridiagonal(np.zeros((3, 0)), np.zeros((0, 2)), False),
    ],
    "pinv": [  # a rank below the smaller side only where a step of finite differences keeps it: nowhere
        of(normal(3, 3), np.float64(1e-12)),
        of(normal(2, 4, 2), np.float64(1e-12)),
        of(normal(2, 4), np.full((), 1e-12)),
        of(complex_normal(4, 2), np.float64(1e-12)),
        of(np.ones((3, 2)), np.float64(1e-12), order=0),
        of(normal(2, 3, 2), np.array([1e-12, 1e-9])),
    ],
    "least_squares": [  # its gradient raises, as TensorFlow's does
        of(normal(4, 2), normal(4, 1), order=0, reference=lambda a, b: np.linalg.lstsq(a, b)[0]),
        of(np.ones((3, 2)), normal(3, 1), order=0, reference=lambda a, b: np.linalg.lstsq(a, b)[0]),
        of(normal(2, 4, 2), normal(4, 3), order=0),
        of(normal(4, 2), normal(2, 4, 3), order=0),
    ],
}

SAMPLES = held(SAMPLES, inv=_undoes, pinv=_is_pseudoinverse)

SAMPLES = completed(SAMPLES, "solve")
