"""`arange`, `linspace`, `full`, `eye`, `meshgrid`, …: tensors made of numbers."""

import math
from typing import Any

from keras.src.backend.config import floatx

import tapeflow as tf
from tapeflow.api.arrays.made_later import made, numbers
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from .common import cast, common, kind, numpy_function, result, shape_of, tensor

# ---- one value


def _dtype(dtype: Any) -> tf.DType:
    return tf.as_dtype(result(dtype).name if dtype in (int, float, bool) else dtype or floatx())


def zeros(shape, dtype=None):
    return tf.zeros(shape_of(shape), _dtype(dtype))


def ones(shape, dtype=None):
    return tf.ones(shape_of(shape), _dtype(dtype))


def empty(shape, dtype=None):
    return zeros(shape, dtype)


def full(shape, fill_value, dtype=None):
    return ops.broadcast_to(tensor(fill_value, _dtype(dtype)), shape=shape_of(shape))


def zeros_like(x, dtype=None):
    x = tensor(x)
    return ops.zeros_like(x) if dtype is None else zeros(x.sizes, dtype)


def ones_like(x, dtype=None):
    x = tensor(x)
    return tf.ones_like(x) if dtype is None else ones(x.sizes, dtype)


def empty_like(x, dtype=None):
    return zeros_like(x, dtype)


def full_like(x, fill_value, dtype=None):
    x = tensor(x)
    return full(x.sizes, fill_value, dtype or x.dtype)


# ---- matrices


def eye(N, M=None, k=0, dtype=None):
    return numpy_function("eye")(int(N), None if M is None else int(M), int(k), dtype=_dtype(dtype))


def identity(n, dtype=None):
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=None):
    return numpy_function("tri")(int(N), None if M is None else int(M), int(k), dtype=_dtype(dtype))


# ---- ranges


def arange(start, stop=None, step=None, dtype=None):
    """Of numbers, tensors, or sizes that a graph does not know yet."""
    given = [x if isinstance(x, (int, float)) else tensor(x) for x in (start, stop, step) if x is not None]
    wanted = _dtype(dtype) if dtype is not None else result(*map(kind, given))
    start, stop = given[:2] if stop is not None else (0, given[0])
    step = 1 if step is None else given[-1]
    if not any(isinstance(x, Tensor) for x in given):
        return cast(numpy_function("arange")(start, stop, step), wanted)
    wide = wanted if wanted in (tf.int32, tf.int64, tf.float32, tf.float64) else tf.float32
    return cast(tf.range(start, stop, step, dtype=wide), wanted)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    start, stop = common(start, stop, also=(float,))
    found, step = numpy_function("linspace")(start, stop, int(num), endpoint, True, None, axis)
    if dtype is not None:
        wanted = _dtype(dtype)
        found = cast(ops.floor(found) if wanted.is_integer else found, wanted)
    return (found, step) if retstep else found


def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    start, stop = common(start, stop, also=(float,))
    found = numpy_function("logspace")(start, stop, int(num), endpoint, tensor(base, start.dtype), None, axis)
    return found if dtype is None else cast(found, _dtype(dtype))


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    start, stop = common(start, stop, also=(float,))
    found = numpy_function("geomspace")(start, stop, int(num), endpoint, None, axis)
    return found if dtype is None else cast(found, _dtype(dtype))


def meshgrid(*x, indexing="xy"):
    return list(numpy_function("meshgrid")(*map(tensor, x), indexing=indexing))


def vander(x, N=None, increasing=False):
    x = tensor(x)
    return numpy_function("vander")(cast(x, result(x.dtype.name)), N, increasing)


# ---- windows


def _window(count, formula):
    """The formula of numbers from -1 to 1; a large one is no constant of a graph, but computed when it runs."""
    count = int(count)
    last = max(count - 1, 1)
    return made(count, lambda: cast(formula((2.0 * numbers(count) - (count - 1)) / last), _dtype(floatx())))


def bartlett(x):
    return _window(x, lambda t: 1.0 - tf.abs(t))


def blackman(x):
    return _window(x, lambda t: 0.42 + 0.5 * tf.cos(math.pi * t) + 0.08 * tf.cos(2 * math.pi * t))


def hamming(x):
    return _window(x, lambda t: 0.54 + 0.46 * tf.cos(math.pi * t))


def hanning(x):
    return _window(x, lambda t: 0.5 + 0.5 * tf.cos(math.pi * t))


def kaiser(x, beta):
    """I0(β √(1 - t²)) / I0(β), t from -1 to 1; β may be computed."""
    beta = tensor(beta, floatx())
    root = _window(x, lambda t: tf.sqrt(1.0 - t * t))
    return tf.math.bessel_i0(beta * root) / tf.math.bessel_i0(beta)


# ---- sizes


def size(x):
    return tf.size(tensor(x))


def ndim(x):
    return tf.rank(tensor(x))
