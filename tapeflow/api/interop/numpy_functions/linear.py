"""NumPy's `dot`, `einsum`, `tensordot`, … and `np.linalg` on tensors."""

from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf
from tapeflow.api.interop.promotion import cast, promoted, tensor
from tapeflow.core.dtypes import float64, int32
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor, sizes_of

from .reductions import max_, min_, sum_, trace
from .registry import FUNCTIONS, axes, like_numpy, one_axis
from .shaping import diagonal, matrix_transpose, moveaxis, ravel, reshape

_SQUARE = "[[2.0, 1.0], [1.0, 3.0]]"
_TALL = "[[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]"


# NumPy's named tuples, on tensors.
class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor


class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor


class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class EigResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


# ---- products


@like_numpy("[[1.0, 2.0]], [3.0, 4.0]")
def matmul(x1: Any, x2: Any, /) -> Tensor:
    """The matrix product; a vector is a row on the left, a column on the right."""
    a, b = promoted(x1, x2)
    left, right = len(a.sizes) == 1, len(b.sizes) == 1
    if left:
        a = reshape(a, (1, -1))
    if right:
        b = reshape(b, (-1, 1))
    y = ops.matmul(a, b)
    drop = [len(y.sizes) - 2] * left + [len(y.sizes) - 1] * right
    return ops.reshape(y, shape=tuple(d for i, d in enumerate(y.sizes) if i not in drop)) if drop else y


@like_numpy("[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]")
def dot(a: Any, b: Any, out: None = None) -> Tensor:
    """The sum of products over the last axis of `a` and the last but one of `b`."""
    a, b = promoted(a, b)
    if not len(a.sizes) or not len(b.sizes):
        return a * b
    return tensordot(a, b, ((-1,), (-2 if len(b.sizes) > 1 else -1,)))


@like_numpy("[1.0, 2.0], [3.0, 4.0]")
def inner(a: Any, b: Any, /) -> Tensor:
    """The sum of products over the last axes."""
    a, b = promoted(a, b)
    return a * b if not len(a.sizes) or not len(b.sizes) else tensordot(a, b, ((-1,), (-1,)))


@like_numpy("[1 + 1j, 2.0], [3.0, 4j]")
def vdot(a: Any, b: Any, /) -> Tensor:
    """The sum of products of all elements, the first conjugated."""
    a, b = promoted(a, b)
    return sum_(_conj(ravel(a)) * ravel(b), dtype=a.dtype)


@like_numpy("[[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]")
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """The sum of products along an axis, the first conjugated."""
    a, b = promoted(x1, x2)
    a, b = (moveaxis(t, axis, -1) for t in (a, b))
    return sum_(_conj(a) * b, -1, dtype=a.dtype)


@like_numpy("[1.0, 2.0], [3.0, 4.0]")
def outer(a: Any, b: Any, out: None = None) -> Tensor:
    """Every product of an element of `a` and one of `b`."""
    a, b = promoted(a, b)
    return reshape(a, (-1, 1)) * reshape(b, (1, -1))


@like_numpy("[[1.0, 2.0]], [[3.0], [4.0]], 1")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The sum of products over several axes of each."""
    a, b = promoted(a, b)
    if np.ndim(axes) == 0:
        return tf.tensordot(a, b, int(axes))
    pair = [[int(i) for i in np.atleast_1d(side)] for side in axes]
    return tf.tensordot(a, b, [[one_axis(i, len(t.sizes)) for i in side] for side, t in zip(pair, (a, b))])


@like_numpy("'ij,j->i', [[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0]")
def einsum(subscripts: str, /, *operands: Any, out: None = None, optimize: Any = False, **unused: Any) -> Tensor:
    """Sums of products by index letters."""
    return tf.einsum(subscripts, *promoted(*operands))


@like_numpy("[[1.0, 2.0]], [[1.0], [3.0]]")
def kron(a: Any, b: Any) -> Tensor:
    """The Kronecker product: every element of `a` times the whole of `b`."""
    a, b = promoted(a, b)
    rank = max(len(a.sizes), len(b.sizes))
    a, b = (reshape(t, (1,) * (rank - len(t.sizes)) + tuple(t.sizes)) for t in (a, b))
    spread = lambda t, first: tuple(x for d in t.sizes for x in ((d, 1) if first else (1, d)))
    return reshape(
        reshape(a, spread(a, True)) * reshape(b, spread(b, False)), tuple(m * n for m, n in zip(a.sizes, b.sizes))
    )


@like_numpy("[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]")
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    """The vector perpendicular to two vectors of length 3."""
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    a, b = promoted(a, b)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if a.sizes[-1] != 3 or b.sizes[-1] != 3:
        raise ValueError(f"cross needs vectors of length 3, got shapes {tuple(a.shape)} and {tuple(b.shape)}.")
    turned = lambda t, k: ops.take(t, tensor(np.roll(np.arange(3), -k)), axis=len(t.sizes) - 1)
    return moveaxis(turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1), -1, axisc)


def _conj(x: Tensor) -> Tensor:
    return ops.conj(x) if x.dtype.is_complex else x


def _real(x: Tensor) -> Tensor:
    """TensorFlow gives real results of complex matrices a complex dtype; NumPy does not."""
    return ops.real(x) if x.dtype.is_complex else x


# ---- np.linalg


def _inexact(a: Any) -> Tensor:
    return promoted(a, inexact=float64)[0]


@like_numpy(_SQUARE, within="linalg")
def inv(a: Any) -> Tensor:
    """The inverse of a matrix."""
    return tf.linalg.inv(_inexact(a))


@like_numpy(_SQUARE, within="linalg")
def det(a: Any) -> Tensor:
    """The determinant."""
    return tf.linalg.det(_inexact(a))


@like_numpy(_SQUARE, within="linalg")
def slogdet(a: Any) -> SlogdetResult:
    """The sign of the determinant and the logarithm of its size."""
    sign, size = tf.linalg.slogdet(_inexact(a))
    return SlogdetResult(sign, _real(size))


@like_numpy(_SQUARE + ", [1.0, 2.0]", within="linalg")
def solve(a: Any, b: Any) -> Tensor:
    """The x with a x = b."""
    a, b = promoted(a, b, inexact=float64)
    if len(b.sizes) > 1:
        return tf.linalg.solve(a, b)
    return reshape(tf.linalg.solve(a, reshape(b, (-1, 1))), (*a.sizes[:-2], a.sizes[-1]))


@like_numpy(_SQUARE, within="linalg")
def cholesky(a: Any, /, *, upper: bool = False) -> Tensor:
    """The lower triangular L with L times its adjoint equal to `a`.

    Args:
        upper: Give the upper triangle.
    """
    lower = tf.linalg.cholesky(_inexact(a))
    return _conj(matrix_transpose(lower)) if upper else lower


@like_numpy(_TALL, within="linalg", check="np.allclose({ours}.Q @ {ours}.R, " + _TALL + ")")
def qr(a: Any, mode: str = "reduced") -> Any:
    """Orthonormal columns Q and an upper triangle R with Q R equal to `a`.

    Args:
        mode: `reduced`, `complete` or `r`.

    Returns:
        `Q` and `R`; with the mode `r` only `R`.
    """
    q, r = tf.linalg.qr(_inexact(a), full_matrices=mode == "complete")
    return r if mode == "r" else QRResult(q, r)


@like_numpy(_TALL, within="linalg", check="np.allclose({ours}.S, {theirs}.S)")
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values, with the vectors on both sides.

    Args:
        compute_uv: Give the vectors, too.

    Returns:
        `U`, `S` and `Vh`; without `compute_uv` only `S`.
    """
    a = _inexact(a)
    if not compute_uv:
        return tf.linalg.svd(a, compute_uv=False)
    s, u, v = tf.linalg.svd(a, full_matrices=full_matrices)
    return SVDResult(u, s, _conj(matrix_transpose(v)))


@like_numpy(_TALL, within="linalg")
def svdvals(x: Any, /) -> Tensor:
    """Singular values, largest first."""
    return svd(x, compute_uv=False)


@like_numpy(_SQUARE, within="linalg", check="np.allclose({ours}.eigenvalues, {theirs}.eigenvalues)")
def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix, of which the triangle `UPLO` is read.

    Args:
        UPLO: Which triangle is read: `L` or `U`.
    """
    a = _inexact(a)
    values, vectors = tf.linalg.eigh(a if UPLO == "L" else _conj(matrix_transpose(a)))
    return EighResult(_real(values), vectors)


@like_numpy(_SQUARE, within="linalg")
def eigvalsh(a: Any, UPLO: str = "L") -> Tensor:
    """Eigenvalues of a symmetric matrix, ascending.

    Args:
        UPLO: Which triangle is read: `L` or `U`.
    """
    a = _inexact(a)
    return _real(tf.linalg.eigvalsh(a if UPLO == "L" else _conj(matrix_transpose(a))))


@like_numpy(
    _SQUARE, within="linalg", check="np.allclose(np.sort(np.real({ours}.eigenvalues)), np.sort({theirs}.eigenvalues))"
)
def eig(a: Any) -> EigResult:
    """Eigenvalues and eigenvectors of a square matrix, complex."""
    return EigResult(*tf.linalg.eig(_inexact(a)))


@like_numpy(_SQUARE, within="linalg", check="np.allclose(np.sort(np.real({ours})), np.sort({theirs}))")
def eigvals(a: Any) -> Tensor:
    """Eigenvalues of a square matrix, complex."""
    return tf.linalg.eigvals(_inexact(a))


@like_numpy(_TALL, within="linalg")
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    """The pseudo-inverse."""
    cutoff = rtol if rcond is None else rcond
    return tf.linalg.pinv(_inexact(a)) if cutoff is None else tf.linalg.pinv(_inexact(a), rcond=cutoff)


@like_numpy(_TALL, within="linalg")
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    """The number of singular values that are not nearly zero.

    Args:
        tol: Which singular values count: larger ones than this; None: what is no rounding error.
    """
    s = svdvals(A)
    if tol is None:
        rows, cols = tensor(A).sizes[-2:]
        relative = (
            max(rows, cols) * float(np.finfo(s.dtype.np).eps) if rtol is None else tensor(rtol, s.dtype)[..., None]
        )
        tol = max_(s, -1, keepdims=True) * relative
    else:
        tol = tensor(tol, s.dtype)[..., None]  # one for each matrix
    return sum_(s > tol, -1)


@like_numpy(_SQUARE + ", 3", within="linalg")
def matrix_power(a: Any, n: int) -> Tensor:
    """A square matrix multiplied by itself; inverted first if `n` is negative.

    Args:
        n: The power, a whole number.
    """
    a = tensor(a)
    if n < 0:
        a, n = inv(a), -n
    result = tensor(np.broadcast_to(np.eye(a.sizes[-1]), tuple(a.sizes)), a.dtype)
    while n:
        if n & 1:
            result = ops.matmul(result, a)
        a, n = ops.matmul(a, a), n >> 1
    return result


@like_numpy("[[[1.0, 2.0]], [[3.0], [4.0]], [[5.0, 6.0]]]", within="linalg", check="{ours}.shape == {theirs}.shape")
def multi_dot(arrays: Any, *, out: None = None) -> Tensor:
    """The product of several matrices."""
    result = tensor(arrays[0])
    for a in arrays[1:]:
        result = dot(result, a)
    return result


@like_numpy(_TALL + ", [1.0, 2.0, 4.0]", within="linalg", check="np.allclose({ours}[0], {theirs}[0])")
def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """The x that makes |a x - b| smallest; with it the residuals, the rank and the singular values.

    Returns:
        The solution, the residuals, the rank, and the singular values.
    """
    a, b = promoted(a, b, inexact=float64)
    x = matmul(pinv(a, rcond), b)
    s, rank = svdvals(a), matrix_rank(a)
    full = int(rank) == a.sizes[-1] < a.sizes[-2]
    residual = sum_(ops.square(ops.abs(b - matmul(a, x))), 0) if full else tensor(np.zeros(0), s.dtype)
    return x, (reshape(residual, (-1,)) if full else residual), cast(rank, int32), s


@like_numpy(_TALL, within="linalg")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Length of vectors, or size of matrices: NumPy's `ord`.

    Args:
        ord: Which norm: a number, infinity, for matrices `fro` and `nuc`; None: the Euclidean one.
    """
    x = _inexact(x)
    rank = len(x.sizes)
    if axis is None:
        if ord is None or rank == 1:
            return vector_norm(x, axis=None, keepdims=keepdims, ord=2 if ord is None else ord)
        axis = tuple(range(rank))
    taken = axes(axis, rank)
    if len(taken) == 1:
        return vector_norm(x, axis=taken[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(taken) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    y = matrix_norm(moveaxis(x, taken, (-2, -1)), ord="fro" if ord is None else ord)
    return ops.reshape(y, shape=tuple(1 if i in taken else d for i, d in enumerate(x.sizes))) if keepdims else y


@like_numpy("[[3.0, 4.0], [6.0, 8.0]], axis=1", within="linalg")
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The length of vectors; of all elements without `axis`.

    Args:
        ord: Which norm: a number, infinity, for matrices `fro` and `nuc`; None: the Euclidean one.
    """
    x = _inexact(x)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order {ord!r} for vectors. It is a number; 'fro' and 'nuc' are for matrices.")
    if ord == 2:
        return _root_of_squares(x, tuple(sorted(axes(axis, len(x.sizes)))), keepdims)
    size = ops.abs(x)
    if ord in (np.inf, -np.inf):
        return (max_ if ord > 0 else min_)(size, axis, keepdims=keepdims)
    if ord == 0:
        return sum_(cast(ops.not_equal(x, tensor(0, x.dtype)), size.dtype), axis, keepdims=keepdims)
    if ord == 1:
        return sum_(size, axis, keepdims=keepdims)
    return ops.pow(sum_(ops.pow(size, tensor(ord, size.dtype)), axis, keepdims=keepdims), tensor(1 / ord, size.dtype))


def _root_of_squares(x: Tensor, taken: tuple, keepdims: bool) -> Tensor:
    """By tf.norm, whose gradient is 0 at 0; several axes are made one for it."""
    rest = tuple(i for i in range(len(x.sizes)) if i not in taken)
    rows = (
        x
        if len(taken) == 1
        else reshape(ops.transpose(x, perm=(*rest, *taken)), (*[sizes_of(x)[i] for i in rest], -1))
    )
    y = _real(tf.norm(rows, axis=taken[0] if len(taken) == 1 else len(rest)))
    return ops.reshape(y, shape=tuple(1 if i in taken else d for i, d in enumerate(x.sizes))) if keepdims else y


@like_numpy(_SQUARE, within="linalg")
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """The size of matrices: 'fro', 'nuc', 1, 2, inf and their negatives.

    Args:
        ord: Which norm: a number, infinity, for matrices `fro` and `nuc`; None: the Euclidean one.
    """
    x = _inexact(x)
    if ord == "fro":
        y = _root_of_squares(x, (len(x.sizes) - 2, len(x.sizes) - 1), False)
    elif ord == "nuc":
        y = sum_(svdvals(x), -1)
    elif ord in (2, -2):
        y = (max_ if ord > 0 else min_)(svdvals(x), -1)
    elif ord in (1, -1, np.inf, -np.inf):
        lines = sum_(ops.abs(x), -2 if ord in (1, -1) else -1)
        y = (max_ if ord > 0 else min_)(lines, -1)
    else:
        raise ValueError(f"Invalid norm order {ord!r} for matrices.")
    return reshape(y, (*y.sizes, 1, 1)) if keepdims else y


@like_numpy(_SQUARE, within="linalg")
def cond(x: Any, p: Any = None) -> Tensor:
    """How much a solution can change with its data.

    Args:
        p: Which norm: None, 2, -2: by singular values; 1, -1, inf, -inf, `fro`: by the inverse.
    """
    if p in (None, 2, -2):
        s = svdvals(x)
        large, small = max_(s, -1), min_(s, -1)
        return small / large if p == -2 else large / small
    return matrix_norm(x, ord=p) * matrix_norm(inv(x), ord=p)


# The products are members of np.linalg too; there, diagonals and traces are those of the last two axes.


@like_numpy(_SQUARE, within="linalg")
def linalg_diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """The diagonal of matrices."""
    return diagonal(x, offset, -2, -1)


@like_numpy(_SQUARE, within="linalg")
def linalg_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """The sum of the diagonal of matrices."""
    return trace(x, offset, -2, -1, dtype)


for _function in (matmul, outer, tensordot, cross, vecdot, matrix_transpose):
    FUNCTIONS[f"linalg.{_function.__name__}"] = _function
del _function
