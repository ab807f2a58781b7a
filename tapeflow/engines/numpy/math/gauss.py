"""erf and the normal distribution function in single precision, for large arrays.

SciPy takes 15 ns a number, one after the other. With w(z) = artanh(erf z), which is nearly a straight line, erf z =
tanh w and Φ(z√2) = 1 / (1 + exp(-2w)), and NumPy's tanh and exp take a fraction of a nanosecond. w(z)/z is a
polynomial of degree 12 in z² on |z| ≤ 4, fitted by Chebyshev points: erf is right to 3e-7 of its value, Φ to 3e-6
(to rounding where it is not tiny). Beyond, erf is ±1 in float32, and SciPy does the few numbers left in the lower tail
of Φ.
"""

import numpy as np

LARGE = 2048  # elements from which thirty NumPy calls are quicker than SciPy's loop
_BLOCK = 16384  # elements that stay in the cache between the steps of the polynomial
_END = 4.0

# Of u = z²/8 - 1, the highest power first.
_POLYNOMIAL = np.array(
    [-0.00079627091, 0.00098083343, 0.0017409835, -0.0032692226, 0.0017926076, -0.0019106815, 0.0027453352,
     -5.3294654e-05, -0.0082820244, 0.029306347, -0.096872084, 0.57831419, 1.8314189],
    np.float32,
)  # fmt: skip


def is_for(x):
    return x.dtype == np.float32 and x.size >= LARGE


def erf(x):
    return _blockwise(x, 1.0, np.tanh)


def normal_cdf(x):
    from scipy.special import ndtr

    out = _blockwise(x, np.sqrt(0.5), _logistic)
    tail = x < -_END * np.sqrt(2)
    if tail.any():
        out[tail] = ndtr(x[tail])
    return out


def _logistic(w, out):
    np.multiply(w, np.float32(-2), out=out)
    np.exp(out, out=out)
    out += np.float32(1)
    return np.divide(np.float32(1), out, out=out)


def _blockwise(x, scale, finish):
    """finish(w(scale * x)), a block at a time."""
    flat = np.ascontiguousarray(x).reshape(-1)
    result = np.empty_like(flat)
    z, u = np.empty(_BLOCK, np.float32), np.empty(_BLOCK, np.float32)
    for start in range(0, flat.size, _BLOCK):
        piece = flat[start : start + _BLOCK]
        zs, us, w = z[: piece.size], u[: piece.size], result[start : start + _BLOCK]
        np.multiply(piece, np.float32(scale), out=zs)
        np.clip(zs, -_END, _END, out=zs)
        np.multiply(zs, zs, out=us)
        us *= np.float32(2 / _END**2)
        us -= np.float32(1)
        np.multiply(us, _POLYNOMIAL[0], out=w)
        for coefficient in _POLYNOMIAL[1:-1]:
            w += coefficient
            w *= us
        w += _POLYNOMIAL[-1]
        w *= zs
        finish(w, out=w)
    return result.reshape(x.shape)
