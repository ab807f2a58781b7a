"""Random tensors. Each is a function of a pair of integers that Keras draws from its seeds, eagerly and in graphs alike."""

from typing import Any

from keras.src.backend.common import standardize_dtype
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator as SeedGenerator
from keras.src.random.seed_generator import draw_seed as draw_seed
from keras.src.random.seed_generator import make_default_seed as make_default_seed

import tapeflow as tf
from tapeflow.core.tensor import Tensor

from .ops.core import cast, convert_to_tensor
from .ops.shapes import sizes

_WIDE = ("int64", "uint32", "uint64")  # integers that int32 does not hold
_HALVES = ("float16", "bfloat16")  # too coarse for probabilities: drawn in float32


def _parameter(x: Any, dtype: str) -> Any:
    """Python's numbers stay, and cost nothing where they are 0 or 1."""
    return x if isinstance(x, (int, float)) else convert_to_tensor(x, dtype)


def _floating(dtype: Any) -> str:
    return standardize_dtype(dtype or floatx())


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    mean, stddev = _parameter(mean, dtype), _parameter(stddev, dtype)
    return tf.random.stateless_normal(shape, draw_seed(seed), mean, stddev, dtype)


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    mean, stddev = _parameter(mean, dtype), _parameter(stddev, dtype)
    return tf.random.stateless_truncated_normal(shape, draw_seed(seed), mean, stddev, dtype)


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    minval, maxval = _parameter(minval, dtype), _parameter(maxval, dtype)
    return tf.random.stateless_uniform(shape, draw_seed(seed), minval, maxval, dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Tensor:
    dtype = standardize_dtype(dtype)
    drawn = "int64" if dtype in _WIDE else "int32"
    low, high = [cast(convert_to_tensor(bound), drawn) for bound in (minval, maxval)]
    return cast(tf.random.stateless_uniform(shape, draw_seed(seed), low, high, drawn), dtype)


def categorical(logits: Any, num_samples: Any, dtype: Any = "int64", seed: Any = None) -> Tensor:
    dtype = standardize_dtype(dtype)
    drawn = dtype if dtype in ("int32", "int64") else "int32"
    return cast(tf.random.stateless_categorical(convert_to_tensor(logits), num_samples, draw_seed(seed), drawn), dtype)


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    counts, probabilities = convert_to_tensor(counts), convert_to_tensor(probabilities)
    if not probabilities.dtype.is_floating:
        probabilities = cast(probabilities, floatx())
    return tf.random.stateless_binomial(shape, draw_seed(seed), counts, probabilities, _floating(dtype))


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    return tf.random.stateless_gamma(shape, draw_seed(seed), convert_to_tensor(alpha, dtype), dtype=dtype)


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """The share of one gamma distributed number in the sum of two."""
    dtype = _floating(dtype)
    drawn = "float32" if dtype in _HALVES else dtype
    pair = draw_seed(seed)
    of = lambda parameter, seed: tf.random.stateless_gamma(shape, seed, convert_to_tensor(parameter, drawn), dtype=drawn)
    a, b = of(alpha, pair), of(beta, tf.random.fold_in(pair, 1))
    return cast(a / (a + b), dtype)


def dropout(inputs: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Tensor:
    inputs = convert_to_tensor(inputs)
    if isinstance(rate, (int, float)) and rate >= 1:
        return tf.where(False, inputs, tf.zeros_like(inputs))  # connected: its gradient is zero, not None
    pair = draw_seed(seed)
    decide = lambda shape, dtype: tf.random.stateless_uniform(shape, pair, dtype="float32" if dtype.name in _HALVES else dtype)
    return tf.nn.experimental.general_dropout(inputs, rate, decide, noise_shape)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Tensor:
    x, pair = convert_to_tensor(x), draw_seed(seed)
    if axis % max(x.ndim, 1) == 0:
        return tf.random.experimental.stateless_shuffle(x, pair)
    return tf.gather(x, tf.random.experimental.stateless_shuffle(tf.range(sizes(x)[axis]), pair), axis=axis)
