"""tf.linalg: matrices that fit, most of them well conditioned."""

from ..kinds import *

inf = float("inf")
_DTYPES = ["float32", "float64", "float64", "complex64", "complex128"]
_square = tensor("* n n", ["spd", "spd", "spd", "normal", "zeros", "special"])
_definite = tensor("* n n", ["spd", "spd", "spd", "spd", "odd spd"])
_lower = tensor("* n n", ["lower", "lower", "lower", "normal"])
_rhs = tensor("* n k", "normal")
_wide = tensor("* n m", ["normal", "normal", "normal", "special", "zeros"])
_each = dict(_dtypes=_DTYPES)
_align = one_of("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
_perm = lambda d: d.array(sizes(d, "n"), "permutation", "int32")

TABLE = {
    "linalg.adjoint": dict(matrix=_wide),
    "linalg.band_part": dict(input=_wide, num_lower=number(-1, 3), num_upper=number(-1, 3)),
    "linalg.banded_triangular_solve": dict(bands=tensor("* 2 n", "positive"), rhs=_rhs, lower=flag) | _each,
    **{f"linalg.{op}": dict(input=_square) | _each for op in ("det", "expm", "slogdet", "lu")},
    "linalg.inv": dict(input=_square) | _each,
    "linalg.cholesky": dict(input=_definite) | _each,
    "linalg.logdet": dict(matrix=_definite) | _each,
    "linalg.logm": dict(input=_definite, _dtypes=COMPLEX),
    "linalg.sqrtm": dict(input=_definite) | _each,
    "linalg.cholesky_solve": dict(chol=_lower, rhs=_rhs) | _each,
    "linalg.cross": dict(a=tensor("* 3"), b=tensor("* 3")),
    "linalg.diag": dict(
        diagonal=tensor("* n"),
        k=number(-2, 2),
        num_rows=never,
        num_cols=never,
        padding_value=one_of(0, 5),
        align=_align,
    ),
    "linalg.diag_part": dict(input=_wide, k=number(-2, 2), align=_align),
    "linalg.set_diag": dict(input=tensor("* 3 4"), diagonal=tensor("* 3"), align=_align, k=one_of(0, 1)),
    "linalg.eig": dict(tensor=_square) | _each,
    "linalg.eigh": dict(tensor=_definite) | _each,
    "linalg.eigvals": dict(tensor=_square) | _each,
    "linalg.eigvalsh": dict(tensor=_definite) | _each,
    "linalg.eigh_tridiagonal": dict(
        alpha=tensor("4", "normal"),
        beta=tensor("3", "normal"),
        eigvals_only=flag,
        select=one_of("a"),
        _dtypes=["float32", "float64"],
    ),
    "linalg.einsum": dict(_call=lambda d: d.pick(_EINSUMS)(d)),
    "linalg.eye": dict(num_rows=number(0, 4), num_columns=number(0, 4), batch_shape=shape((), (2,), (0, 2))),
    "linalg.global_norm": dict(t_list=several()),
    "linalg.lstsq": dict(matrix=_wide, rhs=_rhs, l2_regularizer=one_of(0.0, 0.1), fast=flag, _fills=["normal"])
    | _each,
    "linalg.lu_matrix_inverse": dict(lower_upper=tensor("n n", "spd"), perm=_perm) | _each,
    "linalg.lu_reconstruct": dict(lower_upper=tensor("n n", "spd"), perm=_perm) | _each,
    "linalg.lu_solve": dict(lower_upper=tensor("n n", "spd"), perm=_perm, rhs=tensor("n k")) | _each,
    "linalg.matmul": dict(_call=lambda d: _products(d, True)),
    "linalg.matvec": dict(_call=lambda d: _products(d, False)),
    "linalg.matrix_rank": dict(a=_wide, tol=one_of(0.1, 1e-3)) | _each,
    "linalg.matrix_transpose": dict(a=_wide, conjugate=flag),
    "linalg.norm": dict(
        ord=one_of("euclidean", "fro", 1, 2, 3, inf, 0.5),
        axis=lambda d: d.pick([axes, axis, axis, lambda _: [-2, -1]])(d),
    ),
    "linalg.normalize": dict(ord=one_of("euclidean", 1, 2, inf), axis=axes),
    "linalg.pinv": dict(a=_wide, rcond=one_of(1e-3, None), _dtypes=["float32", "float64", "complex64", "complex128"]),
    "linalg.qr": dict(input=_wide, full_matrices=flag) | _each,
    "linalg.svd": dict(tensor=_wide, full_matrices=flag, compute_uv=flag) | _each,
    "linalg.solve": dict(matrix=_square, rhs=_rhs) | _each,
    "linalg.tensor_diag": dict(diagonal=same, _shapes=[(1,), (3,), (0,), (2, 3)]),
    "linalg.tensor_diag_part": dict(input=same, _shapes=[(3, 3), (2, 3, 2, 3), (0, 0), (1, 1)]),
    "linalg.tensordot": dict(
        a=tensor("2 3 4"),
        b=tensor("4 3 2"),
        axes=one_of(0, 1, [[2], [0]], [[1, 2], [1, 0]], [[-1, 0], [0, 2]], [[], []]),
    ),
    "linalg.trace": dict(x=_wide),
    "linalg.triangular_solve": dict(matrix=_lower, rhs=_rhs, lower=flag) | _each,
    "linalg.tridiagonal_matmul": dict(
        diagonals=tensor("* 3 n"), rhs=_rhs, diagonals_format=one_of("compact"), _dtypes=_DTYPES
    ),
    "linalg.tridiagonal_solve": dict(
        diagonals=tensor("* 3 n", "positive"),
        rhs=_rhs,
        diagonals_format=one_of("compact"),
        transpose_rhs=never,
        conjugate_rhs=flag,
        partial_pivoting=one_of(True),
        perturb_singular=one_of(False),
        _dtypes=_DTYPES,
    ),
}


def _products(d, matrices):
    flip_a, flip_b = d.chance(0.3), d.chance(0.3) and matrices
    batch = [(), (), (2,), (1,), (0,), (2, 1)]
    n, k, m = d.integer(0, 4), d.integer(0, 4), d.integer(1, 4)
    a = d.array(d.pick(batch) + ((k, n) if flip_a else (n, k)))
    b = d.array(d.pick(batch) + (((m, k) if flip_b else (k, m)) if matrices else (k,)))
    conjugate = d.chance(0.4)
    kwargs = {("adjoint_a" if conjugate else "transpose_a"): True} if flip_a else {}
    return [a, b], kwargs | ({("adjoint_b" if conjugate else "transpose_b"): True} if flip_b else {})


def _einsum(equation, *shapes):
    return lambda d: ([equation, *(d.array(s) for s in shapes)], {})


_EINSUMS = [
    _einsum("ij,jk->ik", (2, 3), (3, 4)),
    _einsum("ij,jk", (2, 3), (3, 0)),
    _einsum("ii->i", (3, 3)),
    _einsum("ij->", (2, 3)),
    _einsum("...ij,...jk->...ik", (2, 2, 3), (3, 1)),
    _einsum("i,j->ij", (3,), (2,)),
    _einsum("bij,bjk->bik", (2, 1, 3), (2, 3, 2)),
    _einsum("ij->ji", (2, 3)),
    _einsum("i...->...", (2, 3)),
    _einsum("ij,ij,ij->j", (2, 3), (2, 3), (2, 3)),
    _einsum(",i->i", (), (3,)),
    _einsum("iij->j", (2, 2, 3)),
    _einsum("abc,cd->abd", (2, 1, 3), (3, 2)),
    _einsum("ab,ba->", (2, 3), (3, 2)),
]
