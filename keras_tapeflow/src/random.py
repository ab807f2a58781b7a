"""Random tensors. Each is a function of a pair of integers that Keras draws from its seeds, eagerly and in graphs
alike; the numbers are those of Keras on TensorFlow."""

from typing import Any

import numpy as np
from keras.src.backend.common import standardize_dtype
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import (
    SeedGenerator as SeedGenerator,
    draw_seed as draw_seed,
    make_default_seed as make_default_seed,
)

import tapeflow as tf
from tapeflow.core.frames import current
from tapeflow.core.tensor import EagerTensor, Tensor

from .ops.core import cast, convert_to_tensor
from .ops.shapes import sizes
from .replicas import own_pair

_WIDE = ("int32", "int64")  # integers that are drawn as they are, others as int64
_HALVES = ("float16", "bfloat16")  # too coarse for probabilities: drawn in float32
_MOST = 2**31 - 2  # pairs are taken modulo this, as int32


def next_seed(self: SeedGenerator, ordered: bool = True) -> Tensor:
    """`SeedGenerator.next` in one step where it is eager, so that no two threads get the same pair."""
    variable = self.state.value
    if current().executor is not None or not isinstance(variable, tf.Variable):
        return _next(self, ordered)
    return variable._exchanged(_ordered if ordered else _scattered)


def _ordered(state: np.ndarray) -> np.ndarray:
    return state + np.array([0, 1], state.dtype)


def _scattered(state: np.ndarray) -> np.ndarray:
    return (state + 1) * 5387 % 933199


_next, SeedGenerator.next = SeedGenerator.next, next_seed


def pair_of(seed: Any) -> Tensor:
    """The next pair of a seed, as int32."""
    pair = convert_to_tensor(draw_seed(seed))
    if isinstance(seed, SeedGenerator):
        pair = own_pair(pair)
    if pair.dtype is tf.int32:
        return pair
    if type(pair) is EagerTensor:
        return EagerTensor((pair.array % _MOST).astype(np.int32))
    return tf.cast(tf.math.floormod(pair, _MOST), tf.int32)


def _parameter(x: Any, dtype: str) -> Any:
    """Python's numbers stay, and cost nothing where they are 0 or 1."""
    return x if isinstance(x, (int, float)) else convert_to_tensor(x, dtype)


def _floating(dtype: Any) -> str:
    return standardize_dtype(dtype or floatx())


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    mean, stddev = _parameter(mean, dtype), _parameter(stddev, dtype)
    return tf.random.stateless_normal(shape, pair_of(seed), mean, stddev, dtype)


def truncated_normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    mean, stddev = _parameter(mean, dtype), _parameter(stddev, dtype)
    return tf.random.stateless_truncated_normal(shape, pair_of(seed), mean, stddev, dtype)


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    minval, maxval = _parameter(minval, dtype), _parameter(maxval, dtype)
    return tf.random.stateless_uniform(shape, pair_of(seed), minval, maxval, dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Tensor:
    dtype = standardize_dtype(dtype)
    drawn = dtype if dtype in _WIDE else "int64"
    low, high = [cast(convert_to_tensor(bound), drawn) for bound in (minval, maxval)]
    return cast(tf.random.stateless_uniform(shape, pair_of(seed), low, high, drawn), dtype)


def categorical(logits: Any, num_samples: Any, dtype: Any = "int64", seed: Any = None) -> Tensor:
    dtype = standardize_dtype(dtype)
    drawn = dtype if dtype in ("int32", "int64") else "int32"
    return cast(tf.random.stateless_categorical(convert_to_tensor(logits), num_samples, pair_of(seed), drawn), dtype)


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    counts, probabilities = convert_to_tensor(counts), convert_to_tensor(probabilities)
    if not probabilities.dtype.is_floating:
        probabilities = cast(probabilities, floatx())
    return tf.random.stateless_binomial(shape, pair_of(seed), counts, probabilities, _floating(dtype))


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    dtype = _floating(dtype)
    return tf.random.stateless_gamma(shape, pair_of(seed), convert_to_tensor(alpha, dtype), dtype=dtype)


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Tensor:
    """The share of one gamma distributed number in the sum of two."""
    dtype = _floating(dtype)
    drawn = "float32" if dtype == "bfloat16" else dtype
    pair = pair_of(seed)

    def of(parameter: Any, seed: Tensor) -> Tensor:
        whole = tf.broadcast_to(convert_to_tensor(parameter, drawn), shape)
        return cast(tf.random.stateless_gamma(shape, seed, whole, dtype=drawn), dtype)

    a, b = of(alpha, pair), of(beta, pair + 12)
    return a / (a + b)


def dropout(inputs: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Tensor:
    inputs = convert_to_tensor(inputs)
    if isinstance(rate, (int, float)) and rate >= 1:
        return tf.where(False, inputs, tf.zeros_like(inputs))  # connected: its gradient is zero, not None
    pair = pair_of(seed)
    decide = lambda shape, dtype: tf.random.stateless_uniform(
        shape, pair, dtype="float32" if dtype.name in _HALVES else dtype
    )
    return tf.nn.experimental.general_dropout(inputs, rate, decide, noise_shape)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Tensor:
    x = convert_to_tensor(x)
    return tf.gather(x, tf.argsort(tf.random.stateless_uniform([sizes(x)[axis]], pair_of(seed))), axis=axis)
