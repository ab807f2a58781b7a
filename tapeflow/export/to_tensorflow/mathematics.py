"""Matrices, complex numbers, Fourier transforms, special functions and texts as TensorFlow's operators."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.sizes import Size
from tapeflow.export.lowering import Unsupported

from .body import Body, Value

_INT32 = np.dtype(np.int32)


def _real(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def _complex(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"c{dtype.itemsize * 2}") if dtype.kind == "f" else dtype


def _same(operator: str) -> Callable:
    return lambda tf, *xs, **params: tf.node(operator, *xs, **params)


# ---- complex numbers


def _part(operator: str) -> Callable:
    return lambda tf, x: tf.node(operator, x, Tout=_real(x.dtype))


def _real_part(tf: Body, x: Value) -> Value:
    return tf.Real(x, Tout=_real(x.dtype)) if x.dtype.kind == "c" else x


# ---- matrices


def _solve(tf: Body, a: Value, b: Value) -> Value:
    if list(a.shape[:-2]) != list(b.shape[:-2]):
        raise Unsupported("solves for one matrix and many right sides: make as many of each with tf.broadcast_to")
    return tf.MatrixSolve(a, b, adjoint=False)


def _triangular_solve(tf: Body, a: Value, b: Value, lower: bool, transpose: bool) -> Value:
    if transpose and a.dtype.kind == "c":
        raise Unsupported("solves for a complex matrix that is transposed and not conjugated: transpose it before")
    return tf.MatrixTriangularSolve(a, b, lower=bool(lower), adjoint=bool(transpose))


def _slogdet(tf: Body, x: Value) -> tuple:
    sign, size = tf.LogMatrixDeterminant(x)
    return sign, _real_part(tf, size)


def _eigh(tf: Body, x: Value) -> tuple:
    values, vectors = tf.SelfAdjointEigV2(x, compute_v=True)
    return _real_part(tf, values), vectors


def _svd(tf: Body, x: Value, full: bool) -> tuple:
    values, u, v = tf.Svd(x, compute_uv=True, full_matrices=bool(full))
    return _real_part(tf, values), u, v


# ---- Fourier transforms


def _last(x: Value, axes: Any) -> bool:
    return tuple(axes) == tuple(range(x.rank - len(axes), x.rank)) and len(axes) <= 3


def _dimensions(axes: Any) -> str:
    return "" if len(axes) == 1 else f"{len(axes)}D"


def _transformed(operator: str) -> Callable:
    """Along the last axes at once, along others one after the other."""

    def rule(tf: Body, x: Value, axes: Any) -> Value:
        if _last(x, axes):
            return tf.node(operator + _dimensions(axes), x)
        for axis in axes:
            perm = np.arange(x.rank, dtype=np.int32)
            perm[[axis, -1]] = perm[[-1, axis]]
            out = tf.Transpose(tf.node(operator, tf.Transpose(x, perm)), perm)
            x = Value(out.ref, out.kind, x.shape)
        return x

    return rule


def _filled_up(tf: Body, x: Value, axes: Any, lengths: Any) -> Value:
    """With zeros at the ends of axes that are shorter; the operators cut longer ones themselves."""
    pairs = np.zeros((x.rank, 2), _INT32)
    for axis, length in zip(axes, lengths):
        size = x.shape[axis]
        if type(size) is Size or type(length) is Size:
            if type(size) is not type(length) or size.expression != length.expression:
                raise Unsupported("transforms a part of an axis of unknown size: say the size in the signature")
        else:
            pairs[axis, 1] = max(length - size, 0)
    return tf.Pad(x, pairs) if pairs.any() else x


def _half(operator: str, attribute: str, other: Callable) -> Callable:
    def rule(tf: Body, x: Value, lengths: Any, axes: Any) -> Value:
        if not _last(x, axes):
            raise Unsupported("transforms real numbers along other than the last axes: transpose them before")
        wanted = [*lengths[:-1], lengths[-1] if operator == "RFFT" else lengths[-1] // 2 + 1]
        x = _filled_up(tf, x, axes, wanted)
        lengths = tf.Cast(tf.sizes(lengths), DstT=_INT32)
        return tf.node(operator + _dimensions(axes), x, lengths, **{attribute: other(x.dtype)})

    return rule


# ---- functions


def _bessel(kind: str, end: str = "") -> Callable:
    def rule(tf: Body, x: Value, nu: Any) -> Value:
        if nu not in (0, 1):
            raise Unsupported(f"is of order {nu}, and TensorFlow has operators for 0 and 1")
        return tf.node(f"Bessel{kind}{int(nu)}{end}", x)

    return rule


def _normal_cdf(tf: Body, x: Value) -> Value:
    return tf.Mul(tf.Erfc(tf.Mul(x, tf.scalar(-math.sqrt(0.5), x))), tf.scalar(0.5, x))


def _erfcinv(tf: Body, x: Value) -> Value:
    return tf.Mul(tf.Ndtri(tf.Mul(x, tf.scalar(0.5, x))), tf.scalar(-math.sqrt(0.5), x))


# ---- texts


def _bucket(tf: Body, x: Value, num_buckets: int, method: str, key: Any) -> Value:
    if method == "strong":
        return tf.StringToHashBucketStrong(x, num_buckets=int(num_buckets), key=[int(k) for k in key])
    return tf.node("StringToHashBucketFast" if method == "fast" else "StringToHashBucket", x, num_buckets=num_buckets)


def _substr(tf: Body, x: Value, position: Value, length: Value, unit: str) -> Value:
    wide = position.dtype if position.dtype == length.dtype else np.dtype(np.int64)
    position, length = [n if n.dtype == wide else tf.Cast(n, DstT=wide) for n in (position, length)]
    return tf.Substr(x, position, length, unit=unit)


def _reduce_join(tf: Body, x: Value, axis: Any, keepdims: bool, separator: Any) -> Value:
    axes = np.array([axis] if isinstance(axis, int) else axis, _INT32)
    return tf.ReduceJoin(x, axes, keep_dims=bool(keepdims), separator=separator)


def _transcoded(tf: Body, x: Value, source: str, target: str, errors: str, replacement: int, controls: bool) -> Value:
    return tf.UnicodeTranscode(
        x, input_encoding=source, output_encoding=target.upper(), errors=errors, replacement_char=int(replacement),
        replace_control_characters=bool(controls),
    )  # fmt: skip


RULES: dict[str, Any] = {
    "real": _part("Real"),
    "imag": _part("Imag"),
    "angle": _part("Angle"),
    "conj": lambda tf, x: tf.Conj(x) if x.dtype.kind == "c" else tf.Identity(x),
    "complex": lambda tf, a, b: tf.Complex(a, b, Tout=_complex(a.dtype)),
    "qr": lambda tf, x, full: tf.Qr(x, full_matrices=bool(full)),
    "lu": lambda tf, x, index_dtype: tf.Lu(x, output_idx_type=np.dtype(index_dtype)),
    "slogdet": _slogdet,
    "solve": _solve,
    "triangular_solve": _triangular_solve,
    "sqrtm": _same("MatrixSquareRoot"),
    "eigh": _eigh,
    "eigvalsh": lambda tf, x: _real_part(tf, tf.SelfAdjointEigV2(x, compute_v=False)[0]),
    "eig": lambda tf, x: tf.Eig(x, compute_v=True, Tout=_complex(x.dtype)),
    "eigvals": lambda tf, x: tf.Eig(x, compute_v=False, Tout=_complex(x.dtype))[0],
    "svd": _svd,
    "singular_values": lambda tf, x: _real_part(tf, tf.Svd(x, compute_uv=False, full_matrices=False)[0]),
    "fft": _transformed("FFT"),
    "ifft": _transformed("IFFT"),
    "rfft": _half("RFFT", "Tcomplex", _complex),
    "irfft": _half("IRFFT", "Treal", _real),
    "betainc": _same("Betainc"),
    "bessel_i": _bessel("I"),
    "bessel_ie": _bessel("I", "e"),
    "bessel_j": _bessel("J"),
    "bessel_k": _bessel("K"),
    "bessel_ke": _bessel("K", "e"),
    "bessel_y": _bessel("Y"),
    "dawsn": _same("Dawsn"),
    "fresnel_sin": _same("FresnelSin"),
    "fresnel_cos": _same("FresnelCos"),
    "spence": _same("Spence"),
    "normal_cdf": _normal_cdf,
    "erfcinv": _erfcinv,
    "cumulative_logsumexp": lambda tf, x, axis, exclusive, reverse: tf.CumulativeLogsumexp(
        x, np.int32(axis), exclusive=bool(exclusive), reverse=bool(reverse)
    ),
    "population_count": _same("PopulationCount"),
    "bitcast": lambda tf, x, dtype: tf.Bitcast(x, type=np.dtype(dtype)),
    "string_to_hash_bucket": _bucket,
    "as_string": _same("AsString"),
    "substr": _substr,
    "string_reduce_join": _reduce_join,
    "unicode_transcode": _transcoded,
}
