import numpy as np

from tests.ops.samples.sample import EMPTY, completed, complex_normal, normal, of, referred

_slow = lambda x: x @ np.exp(-2j * np.pi * np.outer(np.arange(x.shape[-1]), np.arange(x.shape[-1])) / x.shape[-1])
_real = lambda x, lengths, axes: of(x, lengths=lengths, axes=axes)


def _cosines(x, kind, norm):
    n = x.shape[-1]
    k, j = np.arange(n)[:, None], np.arange(n)
    if kind == 1:
        matrix = 2 * np.cos(np.pi * k * j / max(n - 1, 1))
        matrix[:, [0, -1]] /= 2
    elif kind == 2:
        matrix = 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n))
    elif kind == 3:
        matrix = 2 * np.cos(np.pi * (2 * k + 1) * j / (2 * n))
        matrix[:, 0] /= 2
    else:
        matrix = 2 * np.cos(np.pi * (2 * k + 1) * (2 * j + 1) / (4 * n))
    if norm == "ortho":
        matrix = matrix / np.sqrt(2 * n)
        if kind == 2:
            matrix[0] /= np.sqrt(2)
        if kind == 3:
            matrix[:, 0] *= np.sqrt(2)
    return x @ matrix.T


def _frames(x, length, step):
    starts = range(0, x.shape[-1] - length + 1, step)
    return np.stack([x[..., s : s + length] for s in starts], axis=-2)


def _laid_over(x, step):
    frames, length = x.shape[-2:]
    out = np.zeros((*x.shape[:-2], (frames - 1) * step + length))
    for k in range(frames):
        out[..., k * step : k * step + length] += x[..., k, :]
    return out


def _spectrum(x, axes, sign=-1):
    """The sum over exp(sign 2πi jk / n), along one axis after the other."""
    for axis in axes:
        n = x.shape[axis]
        matrix = np.exp(sign * 2j * np.pi * np.outer(np.arange(n), np.arange(n)) / max(n, 1))
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x


def _inverse_spectrum(x, axes):
    return _spectrum(x, axes, 1) / np.prod([max(x.shape[axis], 1) for axis in axes])


def _fitted(x, lengths, axes):
    """Cut or filled up with zeros."""
    out = np.zeros([dict(zip(axes, lengths)).get(k, n) for k, n in enumerate(x.shape)], x.dtype)
    part = tuple(slice(min(a, b)) for a, b in zip(x.shape, out.shape))
    out[part] = x[part]
    return out


def _real_spectrum(x, lengths, axes):
    whole = _spectrum(_fitted(x, np.maximum(lengths, 1), axes), axes)  # nothing sums up to 0
    return np.take(whole, range(lengths[-1] // 2 + 1 if lengths[-1] else 0), axes[-1])


def _from_half(x, lengths, axes):
    """The other half of the last axis, after the others are transformed, is the conjugate, mirrored."""
    n = lengths[-1]
    x = _inverse_spectrum(_fitted(x, (*lengths[:-1], n // 2 + 1), axes), axes[:-1])
    places = np.arange(n)
    half = np.take(x, np.minimum(places, n - places), axes[-1])
    shape = [1] * x.ndim
    shape[axes[-1]] = n
    upper = (places > n // 2).reshape(shape)
    middle = ((places == 0) | (2 * places == n)).reshape(shape)
    whole = np.where(middle, half.real, np.where(upper, half.conj(), half))
    return _inverse_spectrum(whole, axes[-1:]).real


SAMPLES = {
    "fft": [
        of(complex_normal(5), axes=(0,), reference=lambda x, axes: _slow(x)),
        of(complex_normal(2, 4), axes=(1,)),
        of(complex_normal(2, 3, 4), axes=(1, 2)),
        of(complex_normal(2, 3, 2), axes=(0, 1, 2)),
        of(EMPTY + 0j, axes=(0,)),
    ],
    "ifft": [of(complex_normal(5), axes=(0,)), of(complex_normal(2, 3, 4), axes=(0, 2)), of(EMPTY + 0j, axes=(1,))],
    "rfft": [
        _real(normal(6), (6,), (0,)),
        _real(normal(5), (5,), (0,)),
        _real(normal(2, 4), (7,), (1,)),
        _real(normal(2, 7), (4,), (1,)),
        _real(normal(2, 3, 4), (3, 4), (1, 2)),
        _real(normal(2, 3, 4), (2, 5), (1, 2)),
        _real(normal(3, 2, 4), (4, 3), (0, 1)),
        _real(normal(2, 3, 4), (2, 3, 4), (0, 1, 2)),
        _real(normal(1), (1,), (0,)),
        _real(EMPTY, (3,), (1,)),
        _real(EMPTY, (0,), (0,)),
    ],
    "irfft": [
        _real(complex_normal(4), (6,), (0,)),
        _real(complex_normal(3), (5,), (0,)),
        _real(complex_normal(2, 4), (3,), (1,)),
        _real(complex_normal(2, 3), (9,), (1,)),
        _real(complex_normal(2, 3, 4), (3, 6), (1, 2)),
        _real(complex_normal(2, 3, 4), (2, 5), (1, 2)),
        _real(complex_normal(3, 2, 4), (4, 3), (0, 1)),
        _real(complex_normal(1), (1,), (0,)),
        _real(EMPTY + 0j, (3,), (1,)),
    ],
    "dct": [
        *[
            of(normal(2, 5), kind=kind, norm=norm, reference=_cosines)
            for kind in (1, 2, 3, 4)
            for norm in (None, "ortho")
            if (kind, norm) != (1, "ortho")
        ],
        of(normal(2), kind=1, norm=None, reference=_cosines),
        of(normal(1), kind=2, norm=None, reference=_cosines),
        of(EMPTY, kind=2, norm=None),
        of(normal(1), kind=3, norm="ortho"),
    ],
    "frame": [
        of(normal(7), length=3, step=2, reference=_frames),
        of(normal(2, 8), length=3, step=1, reference=_frames),
        of(normal(2, 8), length=2, step=3, reference=_frames),
        of(normal(2, 8), length=9, step=3),
        of(complex_normal(6), length=2, step=2),
        of(np.arange(5), length=2, step=1),
        of(EMPTY, length=2, step=1),
        of(normal(4), length=0, step=1),
    ],
    "overlap_and_add": [
        of(normal(3, 4), step=2, reference=_laid_over),
        of(normal(2, 3, 5), step=2, reference=_laid_over),
        of(normal(3, 4), step=6, reference=_laid_over),
        of(normal(3, 4), step=4, reference=_laid_over),
        of(normal(3, 4), step=1, reference=_laid_over),
        of(complex_normal(2, 3), step=1),
        of(np.zeros((0, 4)), step=2),
        of(np.zeros((3, 0)), step=2),
    ],
}

SAMPLES = referred(SAMPLES, fft=_spectrum, ifft=_inverse_spectrum, rfft=_real_spectrum, irfft=_from_half)

SAMPLES = completed(SAMPLES, "dct")
