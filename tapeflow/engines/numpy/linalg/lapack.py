"""What the NumPy kernels on LAPACK share with the derivative rules of decompositions.

LAPACK looks for the largest pivot by comparing, and a NaN is never larger: what it makes of a matrix with a NaN may
look like a result. So kernels ask before (`nan_for_unusable`, `refuse_nan`), and a NaN in one matrix of a batch does
not reach the others.
"""

import functools

import numpy as np

from tapeflow.core.errors import invalid
from tapeflow.core.fitting import differ
from tapeflow.core.runtime.floating import quiet

_FLOAT16, _FLOAT32 = np.dtype("float16"), np.dtype("float32")


def lapack(kernel):
    """A kernel on matrices: needs rank 2 or more, computes float16 in float32, and raises InvalidArgumentError (in a
    backward walk too) where LAPACK gives up."""

    @functools.wraps(kernel)
    def run(*arrays, **params):
        of_matrices(arrays[0])
        narrow = arrays[0].dtype is _FLOAT16
        try:
            with quiet():  # NumPy's linear algebra would name itself as the place of a warning
                out = kernel(*[a.astype(_FLOAT32) if a.dtype is _FLOAT16 else a for a in arrays], **params)
        except np.linalg.LinAlgError as error:
            raise invalid(_EXPLANATIONS.get(str(error), f"{error}. The input has shape {arrays[0].shape}.")) from None
        if narrow:
            halve = lambda a: a.astype(_FLOAT16) if a.dtype is _FLOAT32 else a
            return tuple(map(halve, out)) if isinstance(out, tuple) else halve(out)
        return out

    return run


def _has_nan(x):
    return np.isnan(x.sum()) and np.isnan(x).any()  # a sum without NaN has none in it; inf - inf makes one by itself


def refuse_nan(kernel, why, reads=lambda x: x):
    """A kernel whose first argument may have no NaN in the part that it `reads`: the error is the one that LAPACK
    should have raised."""

    def run(x, *others, **params):
        if _has_nan(reads(x)):
            raise np.linalg.LinAlgError(why)
        return kernel(x, *others, **params)

    return run


def nan_for_unusable(kernel):
    """A kernel that gives NaN for matrices with a NaN or an infinity in them, and computes the others."""

    def run(x, *others, **params):
        if np.isfinite(x.sum()):
            return kernel(x, *others, **params)
        unusable = ~np.isfinite(x).all(axis=(-2, -1))
        out = kernel(np.where(unusable[..., None, None], np.eye(*x.shape[-2:], dtype=x.dtype), x), *others, **params)
        return tuple([nan_at(unusable, part) for part in out]) if isinstance(out, tuple) else nan_at(unusable, out)

    return run


def nan_at(places, x):
    """`x` with NaN where the mask, of its leading axes, holds. Integers stay."""
    if x.dtype.kind not in "fc":
        return x
    return np.where(places.reshape(places.shape + (1,) * (x.ndim - places.ndim)), x.dtype.type("nan"), x)


SINGULAR, NOT_CONVERGED = "Singular matrix", "Eigenvalues did not converge"
_NOT_SQUARE = "Last 2 dimensions of the array must be square"
_EXPLANATIONS = {
    SINGULAR: "Input is not invertible: the matrix's columns are linearly dependent (or not finite); "
    "use tf.linalg.pinv or tf.linalg.lstsq, or add a small multiple of tf.eye to it.",
    "Matrix is not positive definite": "Cholesky decomposition was not successful. The input might not be valid: it "
    "must be symmetric "
    "(Hermitian) and positive definite. Adding a small multiple of tf.eye to it often helps.",
    NOT_CONVERGED: "Self-adjoint eigen decomposition was not successful. The input might not be valid: it must be "
    "symmetric "
    "(Hermitian) and finite.",
    _NOT_SQUARE: "Input matrix must be square: the last two axes must have the same length.",
}


# ---- shape rules


def of_matrices(x):
    if len(x.shape) < 2:
        raise invalid(f"Input tensor must have rank >= 2: a matrix, or a batch of them. Got shape {tuple(x.shape)}.")
    return x


def of_square_matrices(x):
    if differ(*of_matrices(x).shape[-2:]):
        raise invalid(f"{_EXPLANATIONS[_NOT_SQUARE]} Got shape {tuple(x.shape)}.")
    return x


# ----


def each_matrix(function, x, *others):
    """`function` of every matrix of a batch, where SciPy takes one at a time."""
    batch = x.shape[:-2]
    results = [function(x[i], *[o[i] for o in others]) for i in np.ndindex(batch)]
    if isinstance(results[0], tuple):
        return tuple(np.stack(part).reshape(*batch, *part[0].shape) for part in zip(*results))
    return np.stack(results).reshape(*batch, *results[0].shape)


def real_of(dtype):
    return np.zeros(0, dtype).real.dtype


def complex_of(dtype):
    return np.result_type(dtype, np.complex64)


# ---- for rules that conjugate by themselves


def adjoint(ops, x):
    return ops.matrix_transpose(ops.conj(x))


def hermitian_from(ops, triangle):
    """A Hermitian matrix from a triangle of it, diagonal included."""
    both = triangle + adjoint(ops, triangle)
    return both - ops.band_part(both, lower=0, upper=0) * 0.5


def column(ops, x):
    return ops.reshape(x, shape=(*x.shape, 1))


def row(ops, x):
    return ops.reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1]))


def diagonal(ops, x):
    return ops.diag_part(x, k=(0, 0), align="LEFT_LEFT")


def with_diagonal(ops, x):
    """Square matrices with these diagonals, 0 elsewhere."""
    n = x.shape[-1]
    return ops.diag_matrix(x, k=(0, 0), rows=n, cols=n, align="LEFT_LEFT")


def gap_reciprocals(ops, w):
    """1 / (w[j] - w[i]), and 0 where they are equal.

    So a pair of equal values takes no part in the gradient of their vectors, which have no derivative there: for every
    function that does not depend on the choice of the vectors within the pair's plane that is right.
    """
    gaps = row(ops, w) - column(ops, w)
    return reciprocal_or_zero(ops, gaps)


def reciprocal_or_zero(ops, x):
    zero = ops.equal(x, ops.zeros_like(x))
    return ops.where(zero, ops.zeros_like(x), 1 / ops.where(zero, x + 1, x))
