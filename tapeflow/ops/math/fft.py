"""Fourier and cosine transforms, and cutting signals into overlapping frames. All of it linear.

Scaled transforms are left to the public functions: `fft` and `rfft` have no factor, their inverses one over the
product of the lengths.
"""

from math import prod

import numpy as np

from tapeflow.core.dtypes import COMPLEX, FLOATING, NUMERIC
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import along_last, check_axes, check_rank
from tapeflow.core.primitive import LINEAR, Spec, primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.linalg.lapack import complex_of, real_of
from tapeflow.ops.batching import leading, shift


def _resized(shape, axes, sizes):
    out = list(shape)
    for axis, size in zip(axes, sizes):
        out[axis] = size
    return tuple(out)


def _transformed(x, axes):
    check_axes(x, *axes)
    return x


# ---- between complex numbers; the matrix of the transform is symmetric, so it is its own transpose

fft = primitive(
    "fft(x, *, axes)",
    kernel=lambda xp, x, axes: xp.fft.fftn(x, axes=axes) if 0 not in x.shape else x,
    shape=_transformed,
    vjp=lambda ops, g, axes: ops.fft(g, axes=axes),
    jvp=LINEAR,
    batch=shift("axes"),
    dtypes=COMPLEX,
)
ifft = primitive(
    "ifft(x, *, axes)",
    kernel=lambda xp, x, axes: xp.fft.ifftn(x, axes=axes) if 0 not in x.shape else x,
    shape=_transformed,
    vjp=lambda ops, g, axes: ops.ifft(g, axes=axes),
    jvp=LINEAR,
    batch=shift("axes"),
    dtypes=COMPLEX,
)

# ---- between real numbers and half of the complex ones: along the last of `axes` the other half is its conjugate


def _half(length):
    """How many frequencies a length has; of nothing there is none."""
    return 0 if type(length) is int and not length else length // 2 + 1


def _half_shape(shape, lengths, axes):
    return _resized(shape, axes, (*lengths[:-1], _half(lengths[-1])))


def _rfft(xp, x, lengths, axes):
    if 0 in x.shape or 0 in lengths:
        return xp.zeros(_half_shape(x.shape, lengths, axes), complex_of(x.dtype))
    return xp.fft.rfftn(x, s=lengths, axes=axes)


def _irfft(xp, x, lengths, axes):
    if 0 in x.shape or 0 in lengths:
        return xp.zeros(_resized(x.shape, axes, lengths), real_of(x.dtype))
    return xp.fft.irfftn(x, s=lengths, axes=axes)


def _weights(length, axis, rank, dtype, inner):
    """1 for the frequencies that are their own conjugates (0, and half of an even length), `inner` for those that
    stand for two."""
    weights = np.full(_half(length), inner, real_of(dtype))
    weights[:1] = 1
    if length % 2 == 0:
        weights[-1:] = 1
    return weights.reshape([-1 if i == axis else 1 for i in range(rank)])


def fit(ops, x, shape):
    """Each axis cut to its length in `shape`, or filled up with zeros. To go back the same way is the adjoint."""
    kept = tuple((None, min(have, want), None) for have, want in zip(sizes_of(x), shape))
    if any(have > want for have, want in zip(sizes_of(x), shape)):
        x = ops.getitem(x, index=kept)
    return x if tuple(sizes_of(x)) == tuple(shape) else ops.unslice(x, index=kept, shape=tuple(shape))


def _rfft_vjp(ops, g, x_shape, x_dtype, lengths, axes):
    halved = g * _weights(lengths[-1], axes[-1], len(x_shape), x_dtype, 0.5)
    return fit(ops, ops.irfft(halved, lengths=lengths, axes=axes) * prod(lengths), x_shape)


def _irfft_vjp(ops, g, x_shape, x_dtype, lengths, axes):
    spectrum = ops.rfft(g, lengths=lengths, axes=axes) * _weights(lengths[-1], axes[-1], len(x_shape), x_dtype, 2.0)
    return fit(ops, spectrum / max(prod(lengths), 1), x_shape)


# The input is cut or filled up with zeros to `lengths` along `axes` first.
rfft = primitive(
    "rfft(x, *, lengths, axes)",
    kernel=_rfft,
    shape=lambda x, lengths, axes: Spec(
        shape=_half_shape(_transformed(x, axes).shape, lengths, axes), dtype=complex_of(x.dtype)
    ),
    vjp=_rfft_vjp,
    jvp=LINEAR,
    batch=shift("axes"),
    dtypes=frozenset({np.dtype("float32"), np.dtype("float64")}),
    holomorphic=False,
    result="complex",
)
irfft = primitive(
    "irfft(x, *, lengths, axes)",
    kernel=_irfft,
    shape=lambda x, lengths, axes: Spec(
        shape=_resized(_transformed(x, axes).shape, axes, lengths), dtype=real_of(x.dtype)
    ),
    vjp=_irfft_vjp,
    jvp=LINEAR,
    batch=shift("axes"),
    dtypes=COMPLEX,
    holomorphic=False,
)

# ---- cosine transforms of kinds 1 to 4 along the last axis


def _dct(x, kind, norm):
    from scipy.fft import dct

    return dct(x, type=kind, norm=norm).astype(x.dtype, copy=False) if x.size else x


def _ends(n, dtype, first, last=1.0):
    weights = np.ones(n, dtype)
    weights[-1:] = last
    weights[:1] = first
    return weights


def _dct_vjp(ops, g, x_dtype, kind, norm):
    """The transpose. Kinds 2 and 3 are each other's, but for the weight of the constant; kinds 1 and 4 are their own,
    1 but for the ends."""
    back = {1: 1, 2: 3, 3: 2, 4: 4}[kind]
    n = sizes_of(g)[-1]
    if norm == "ortho" or kind == 4:
        return ops.dct(g, kind=back, norm=norm)
    if kind == 2:
        return ops.dct(g * _ends(n, x_dtype, 2.0), kind=3, norm=norm)
    if kind == 3:
        return ops.dct(g, kind=2, norm=norm) * _ends(n, x_dtype, 0.5)
    return ops.dct(g * _ends(n, x_dtype, 2.0, 2.0), kind=1, norm=norm) * _ends(n, x_dtype, 0.5, 0.5)


def _dct_shape(x, kind, norm):
    check_rank(x, 1)
    if kind == 1 and x.shape[-1] is not None and x.shape[-1] == 1:
        raise invalid(f"A DCT of type 1 needs a last axis of size 2 or more, got shape {tuple(x.shape)}.")
    return x


dct = primitive(
    "dct(x, *, kind, norm)",
    kernel={"numpy": _dct, "jax": "math.fft.dct"},
    shape=_dct_shape,
    vjp=_dct_vjp,
    jvp=LINEAR,
    batch=leading,
    dtypes=FLOATING,
)

# ---- frames along the last axis


def num_frames(samples, length, step):
    return max(0, (samples - length) // step + 1)


def _frame(x, length, step):
    frames = num_frames(x.shape[-1], length, step)
    if not frames or not length:
        return np.zeros((*x.shape[:-1], frames, length), x.dtype)
    return np.lib.stride_tricks.sliding_window_view(x, length, axis=-1)[..., ::step, :]


def _total(frames, length, step):
    return (frames - 1) * step + length if frames else 0


# Pieces of `length` that begin every `step`: a view, no copy.
frame = primitive(
    "frame(x, *, length, step)",
    kernel={"numpy": _frame, "jax": "math.fft.frame"},
    shape=lambda x, length, step: Spec(
        shape=(*along_last(x).shape[:-1], num_frames(x.shape[-1], length, step), length), dtype=x.dtype
    ),
    vjp=lambda ops, g, x_shape, step: fit(ops, ops.overlap_and_add(g, step=step), x_shape),
    jvp=LINEAR,
    batch=leading,
)


def _overlap_and_add(x, step):
    *batch, frames, length = x.shape
    parts = -(-length // step)
    out = np.zeros((*batch, frames + parts, step), x.dtype)
    for k in range(parts):  # the k-th part of every frame at once
        part = x[..., k * step : (k + 1) * step]
        out[..., k : k + frames, : part.shape[-1]] += part
    return out.reshape(*batch, (frames + parts) * step)[..., : _total(frames, length, step)]


def _overlap_shape(x, step):
    check_rank(x, 2)
    return Spec(shape=(*x.shape[:-2], _total(x.shape[-2], x.shape[-1], step)), dtype=x.dtype)


# The adjoint of frame: frames laid over each other, `step` apart, and summed.
overlap_and_add = primitive(
    "overlap_and_add(x, *, step)",
    kernel={"numpy": _overlap_and_add, "jax": "math.fft.overlap_and_add"},
    shape=_overlap_shape,
    vjp=lambda ops, g, x_shape, step: ops.frame(g, length=x_shape[-1], step=step),
    jvp=LINEAR,
    batch=leading,
    dtypes=NUMERIC,
)
