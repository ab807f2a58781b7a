"""Cosine transforms: `tf.signal.dct` and its inverse."""

from typing import Any

from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike

from .fourier import fitted, ranked

__all__ = ["dct", "idct"]


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The cosine transform of `type` 1 to 4 along the last axis, cut or filled up with zeros to `n`; norm='ortho'
    makes it orthogonal.

    Args:
        axis: -1: there is no other.

    Raises:
        ValueError: If there is no such type or normalisation, or type 1 should be orthogonal.

    >>> tf.signal.dct([1., 1., 1., 1.]).numpy()
    array([8., 0., 0., 0.], dtype=float32)
    """
    return _dct(input, type, n, axis, norm)


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse cosine transform: exact with norm='ortho', otherwise times 2n (2(n-1) for type 1).

    Args:
        axis: -1: there is no other.

    Raises:
        ValueError: If there is no such type or normalisation, or type 1 should be orthogonal.

    >>> x = tf.constant([3., 1., 4., 1.])
    >>> tf.signal.idct(tf.signal.dct(x, norm='ortho'), norm='ortho').numpy().round(4)
    array([3., 1., 4., 1.], dtype=float32)
    """
    return _dct(input, {2: 3, 3: 2}.get(type, type), n, axis, norm)


def _dct(input: Any, kind: int, n: int | None, axis: int, norm: str | None) -> Tensor:
    x = ranked(as_tensor(input), 1)
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}. Move it to the end with tf.transpose.")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if kind == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if n is not None:
        if n < 1:
            raise ValueError(f"n should be a positive integer or None, got {n}.")
        x = fitted(x, (x.ndim - 1,), (int(n),))
    if kind == 1 and x.sizes[-1] < 2:
        raise ValueError(f"The Type-I DCT needs at least 2 samples, got {x.shape[-1]}.")
    return ops.dct(x, kind=kind, norm=norm)
