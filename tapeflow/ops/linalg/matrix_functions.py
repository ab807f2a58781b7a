"""exp, square root and logarithm of a square matrix (not of its elements).

For such a function f, f([[A, E], [0, A]]) = [[f(A), Df(A)[E]], [0, f(A)]]: its derivative in the direction E is a
block of itself. So gradients of every order need no other rule, each at twice the size.
"""

import warnings

import numpy as np

from tapeflow.core.dtypes import INEXACT
from tapeflow.core.primitive import primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.linalg.lapack import each_matrix, lapack, nan_for_unusable, of_square_matrices
from tapeflow.ops.batching import matrices


def _matrix_function(name, kernel):
    def slope(ops, t, x):
        """The derivative at x in the direction t."""
        n, rank = sizes_of(x)[-1], len(sizes_of(x))
        top = ops.concat(x, t, axis=rank - 1)
        bottom = ops.concat(ops.zeros_like(x), x, axis=rank - 1)
        whole = getattr(ops, name)(ops.concat(top, bottom, axis=rank - 2))
        return ops.getitem(whole, index=(Ellipsis, (None, n, None), (n, None, None)))

    return primitive(
        f"{name}(x)",
        kernel={"numpy": lapack(nan_for_unusable(kernel)), "jax": f"linalg.matrix_functions.{name}"},
        shape=of_square_matrices,
        vjp=lambda ops, g, x: slope(ops, g, ops.matrix_transpose(x)),
        jvp=slope,
        batch=matrices,
        dtypes=INEXACT,
    )


def _square(x):
    if x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return x


def _by_scipy(name):
    """SciPy's function in double precision. A real matrix without a real result gives nan, as TensorFlow's kernels
    do."""

    def kernel(x):
        import scipy.linalg

        if not _square(x).size:
            return np.array(x)
        wide = np.complex128 if x.dtype.kind == "c" else np.float64
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = each_matrix(getattr(scipy.linalg, name), x.astype(wide))
        if out.dtype.kind == "c" and x.dtype.kind != "c":
            size = np.abs(out).max(axis=(-1, -2), keepdims=True)
            real = np.abs(out.imag).max(axis=(-1, -2), keepdims=True) <= 1e-12 * size
            out = np.where(real, out.real, np.nan)
        return out.astype(x.dtype)

    return kernel


def _expm(x):
    from scipy.linalg import expm

    return expm(_square(x))


expm = _matrix_function("expm", _expm)
sqrtm = _matrix_function("sqrtm", _by_scipy("sqrtm"))


def _logm(x):
    """Of numbers so large or small that their squares leave the range, SciPy's steps do not come to an end. A power
    of two that is taken out comes back as its logarithm."""
    size = np.maximum(np.abs(x.real), np.abs(x.imag)).max(axis=(-1, -2), keepdims=True, initial=0)
    far = (size > 1e100) | (size < 1e-100) & (size > 0)
    if not far.any():
        return _logm_by_scipy(x)
    twos = np.where(far, np.frexp(size)[1], 0)
    halves = np.ldexp(1.0, -(twos // 2)), np.ldexp(1.0, twos // 2 - twos)  # 2**-1074 has no reciprocal
    out = _logm_by_scipy((x * halves[0] * halves[1]).astype(x.dtype))
    return (out + twos * np.log(2.0) * np.eye(x.shape[-1])).astype(x.dtype)


_logm_by_scipy = _by_scipy("logm")
logm = _matrix_function("logm", _logm)
