"""Operations of `tf.raw_ops` that draw random numbers. They have the distributions of TensorFlow's, not its bits."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from tapeflow.api import random
from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.joining import concat
from tapeflow.api.arrays.shaping import reshape
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32, int64, uint64

__all__ = ["DRAWING"]

_KeyAndCounter = namedtuple("StatelessRandomGetKeyCounter", "key counter")
_Counter = namedtuple("StatelessRandomGetKeyCounterAlg", "key counter alg")


def _key_and_counter(seed: Any) -> Any:
    """The pair itself, in the form that the drawing operations take."""
    pair = cast(seed, int64)
    return _KeyAndCounter(reshape(pair[0], [1]), reshape(concat([pair[1:], pair[:1]], 0), [2]))


def _pair(key: Any, counter: Any) -> Any:
    """Two integers that all of a key and a counter make different."""
    return concat([cast(key, int64), cast(as_tensor(counter), int64)[:1]], 0)


def _seed(seed: int, seed2: int) -> Any:
    """TensorFlow's two seeds of an operation; without either the numbers differ from run to run."""
    return None if not seed and not seed2 else seed * 1000003 + seed2


DRAWING: dict[str, Callable] = dict(
    RandomUniform=lambda shape, dtype=float32, seed=0, seed2=0: random.uniform(
        shape, dtype=dtype, seed=_seed(seed, seed2)
    ),
    RandomStandardNormal=lambda shape, dtype=float32, seed=0, seed2=0: random.normal(
        shape, dtype=dtype, seed=_seed(seed, seed2)
    ),
    TruncatedNormal=lambda shape, dtype=float32, seed=0, seed2=0: random.truncated_normal(
        shape, dtype=dtype, seed=_seed(seed, seed2)
    ),
    RandomUniformInt=lambda shape, minval, maxval, seed=0, seed2=0: random.uniform(
        shape, minval, maxval, as_tensor(minval).dtype, _seed(seed, seed2)
    ),
    RandomShuffle=lambda value, seed=0, seed2=0: random.shuffle(value, _seed(seed, seed2)),
    Multinomial=lambda logits, num_samples, seed=0, seed2=0, output_dtype=int64: random.categorical(
        logits, num_samples, output_dtype, _seed(seed, seed2)
    ),
    RandomGamma=lambda shape, alpha, seed=0, seed2=0: random.gamma(
        shape, alpha, dtype=as_tensor(alpha).dtype, seed=_seed(seed, seed2)
    ),
    StatelessRandomGetKeyCounter=_key_and_counter,
    StatelessRandomGetAlg=lambda: as_tensor(1),
    StatelessRandomGetKeyCounterAlg=lambda seed: _Counter(*_key_and_counter(seed), as_tensor(1)),
    StatelessRandomUniformV2=lambda shape, key, counter, alg, dtype=float32: random.stateless_uniform(
        shape, _pair(key, counter), dtype=dtype
    ),
    StatelessRandomNormalV2=lambda shape, key, counter, alg, dtype=float32: random.stateless_normal(
        shape, _pair(key, counter), dtype=dtype
    ),
    StatelessTruncatedNormalV2=lambda shape, key, counter, alg, dtype=float32: random.stateless_truncated_normal(
        shape, _pair(key, counter), dtype=dtype
    ),
    StatelessRandomUniformIntV2=lambda shape, key, counter, alg, minval, maxval: random.stateless_uniform(
        shape, _pair(key, counter), minval, maxval, as_tensor(minval).dtype
    ),
    StatelessRandomUniformFullIntV2=lambda shape, key, counter, alg, dtype=uint64: random.stateless_uniform(
        shape, _pair(key, counter), None, None, dtype
    ),
    StatelessRandomUniform=lambda shape, seed, dtype=float32: random.stateless_uniform(shape, seed, dtype=dtype),
    StatelessRandomNormal=lambda shape, seed, dtype=float32: random.stateless_normal(shape, seed, dtype=dtype),
    StatelessTruncatedNormal=lambda shape, seed, dtype=float32: random.stateless_truncated_normal(
        shape, seed, dtype=dtype
    ),
    StatelessRandomUniformInt=lambda shape, seed, minval, maxval: random.stateless_uniform(
        shape, seed, minval, maxval, as_tensor(minval).dtype
    ),
)
