"""Linear algebra on batches of matrices."""

from collections.abc import Callable
from typing import Any

from keras.src import tree

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .core import convert_to_tensor
from .floating import alike, floating


def _columns(b: Tensor, a: Tensor, solved: Callable[[Tensor], Tensor]) -> Tensor:
    """What solves for `b`, which may be vectors where `a` are matrices."""
    return tf.squeeze(solved(b[..., None]), -1) if b.ndim == a.ndim - 1 else solved(b)


# ---- factors


def cholesky(a: Any, upper: bool = False) -> Tensor:
    factor = tf.linalg.cholesky(floating(a))
    return tf.linalg.adjoint(factor) if upper else factor


def lu_factor(a: Any) -> tuple[Tensor, Tensor]:
    """(Both triangles in one matrix; with which row each row was exchanged, one after the other)."""
    packed, pivots, _ = ops.lu_factor(floating(a))
    return packed, pivots


def qr(x: Any, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    if mode not in ("reduced", "complete"):
        raise ValueError(f"`mode` argument value not supported. Expected one of {{'reduced', 'complete'}}. Received: mode={mode}")
    return tuple(tf.linalg.qr(floating(x), full_matrices=mode == "complete"))


def eig(a: Any) -> tuple[Tensor, Tensor]:
    return tuple(tf.linalg.eig(floating(a)))


def eigh(a: Any) -> tuple[Tensor, Tensor]:
    return tuple(ops.eigh(floating(a)))


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    found = tf.linalg.svd(floating(x), full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
        return found
    s, u, v = found
    return u, s, tf.linalg.adjoint(v)


# ---- inverses and systems of equations


def inv(a: Any) -> Tensor:
    return tf.linalg.inv(floating(a))


def cholesky_inverse(a: Any, upper: bool = False) -> Tensor:
    """The inverse of the matrix of which `a` is the Cholesky factor."""
    factor = floating(a)
    if upper:
        factor = tf.linalg.adjoint(factor)
    identity = tf.eye(factor.shape[-1], batch_shape=factor.shape[:-2], dtype=factor.dtype)
    half = tf.linalg.triangular_solve(factor, identity)
    return tf.matmul(half, half, adjoint_a=True)


def pinv(x: Any, rcond: Any = None) -> Tensor:
    return tf.linalg.pinv(floating(x), rcond=rcond)


def solve(a: Any, b: Any) -> Tensor:
    a, b = alike(a, b)
    return _columns(b, a, lambda rhs: tf.linalg.solve(a, rhs))


def solve_triangular(a: Any, b: Any, lower: bool = False) -> Tensor:
    a, b = alike(a, b)
    return _columns(b, a, lambda rhs: tf.linalg.triangular_solve(a, rhs, lower=lower))


def lstsq(a: Any, b: Any, rcond: Any = None) -> Tensor:
    """The shortest of the vectors x with the smallest |a x - b|; singular values below `rcond` times the largest count as 0."""
    a, b = alike(a, b)
    return _columns(b, a, lambda rhs: tf.matmul(pinv(a, _cut(a) if rcond is None else rcond), rhs))


def _cut(a: Tensor) -> float:
    return float(tf.experimental.numpy.finfo(a.dtype.real_dtype.np).eps) * max(a.shape[-2:])


# ---- numbers of a matrix


def det(a: Any) -> Tensor:
    return tf.linalg.det(floating(a))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    return tf.experimental.numpy.linalg.norm(floating(x), ord=ord, axis=axis, keepdims=keepdims)


def matrix_rank(x: Any, tol: Any = None) -> Tensor:
    return tf.linalg.matrix_rank(floating(x), tol=tol)


# ---- forward mode


def jvp(fun: Callable, primals: Any, tangents: Any, has_aux: bool = False) -> tuple:
    """(`fun(*primals)`, its derivative in the direction `tangents`), and with `has_aux` what else `fun` returned."""
    primals = tree.map_structure(convert_to_tensor, tuple(primals))
    tangents = tree.map_structure(lambda t, x: convert_to_tensor(t, x.dtype), tuple(tangents), primals)
    watched = tree.flatten(primals)
    with tf.autodiff.ForwardAccumulator(watched, tree.flatten(tangents)) as forward:
        out = fun(*primals)
    out, *aux = out if has_aux else (out,)
    slope = lambda y: forward.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return out, tree.map_structure(slope, out), *aux
