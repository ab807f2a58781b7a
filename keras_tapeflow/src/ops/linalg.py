"""Linear algebra on batches of matrices."""

from collections.abc import Callable

from keras.src import tree

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .core import dense_tensor as convert_to_tensor
from .floating import alike, floating


def _columns(b: Tensor, a: Tensor, solved: Callable[[Tensor], Tensor]) -> Tensor:
    """What solves for `b`, which may be vectors where `a` are matrices."""
    return tf.squeeze(solved(b[..., None]), -1) if b.ndim == a.ndim - 1 else solved(b)


# ---- factors


def cholesky(a, upper=False):
    factor = tf.linalg.cholesky(floating(a))
    return tf.linalg.adjoint(factor) if upper else factor


def lu_factor(a):
    """(Both triangles in one matrix; with which row each row was exchanged, one after the other)."""
    packed, pivots, _ = ops.lu_factor(floating(a))
    return packed, pivots


def qr(x, mode="reduced"):
    if mode not in ("reduced", "complete"):
        raise ValueError(
            f"`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={mode}"
        )
    return tuple(tf.linalg.qr(floating(x), full_matrices=mode == "complete"))


def eig(a):
    return tuple(tf.linalg.eig(floating(a)))


def eigh(a):
    return tuple(ops.eigh(floating(a)))


def svd(x, full_matrices=True, compute_uv=True):
    found = tf.linalg.svd(floating(x), full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
        return found
    s, u, v = found
    return u, s, tf.linalg.adjoint(v)


# ---- inverses and systems of equations


def inv(a):
    return tf.linalg.inv(floating(a))


def cholesky_inverse(a, upper=False):
    """The inverse of the matrix of which `a` is the Cholesky factor."""
    factor = floating(a)
    if upper:
        factor = tf.linalg.adjoint(factor)
    identity = tf.eye(factor.sizes[-1], batch_shape=factor.sizes[:-2], dtype=factor.dtype)
    half = tf.linalg.triangular_solve(factor, identity)
    return tf.matmul(half, half, adjoint_a=True)


def pinv(x, rcond=None):
    return tf.linalg.pinv(floating(x), rcond=rcond)


def solve(a, b):
    a, b = alike(a, b)
    return _columns(b, a, lambda rhs: tf.linalg.solve(a, rhs))


def solve_triangular(a, b, lower=False):
    a, b = alike(a, b)
    return _columns(b, a, lambda rhs: tf.linalg.triangular_solve(a, rhs, lower=lower))


def lstsq(a, b, rcond=None):
    """The shortest of the vectors x with the smallest |a x - b|; singular values below `rcond` times the largest count
    as 0."""
    a, b = alike(a, b)
    return _columns(b, a, lambda rhs: tf.matmul(pinv(a, _cut(a) if rcond is None else rcond), rhs))


def _cut(a: Tensor) -> float:
    return float(tf.experimental.numpy.finfo(a.dtype.real_dtype.np).eps) * max(a.sizes[-2:])


# ---- numbers of a matrix


def det(a):
    return tf.linalg.det(floating(a))


def norm(x, ord=None, axis=None, keepdims=False):
    return tf.experimental.numpy.linalg.norm(floating(x), ord=ord, axis=axis, keepdims=keepdims)


def matrix_rank(x, tol=None):
    return tf.linalg.matrix_rank(floating(x), tol=tol)


# ---- forward mode


def jvp(fun, primals, tangents, has_aux=False):
    """(`fun(*primals)`, its derivative in the direction `tangents`), and with `has_aux` what else `fun` returned."""
    primals = tree.map_structure(convert_to_tensor, tuple(primals))
    tangents = tree.map_structure(lambda t, x: convert_to_tensor(t, x.dtype), tuple(tangents), primals)
    watched = tree.flatten(primals)
    with tf.autodiff.ForwardAccumulator(watched, tree.flatten(tangents)) as forward:
        out = fun(*primals)
    out, *aux = out if has_aux else (out,)
    slope = lambda y: forward.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return out, tree.map_structure(slope, out), *aux
