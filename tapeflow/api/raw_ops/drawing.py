"""Operations of `tf.raw_ops` that draw random numbers. Those that are given a key or a seed draw TensorFlow's numbers;
those of its generator have the same distributions."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from tapeflow.api import random
from tapeflow.api.arrays.casting import cast
from tapeflow.api.arrays.joining import concat
from tapeflow.api.random import draws
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32, int32, int64, uint64
from tapeflow.core.primitive import recorded as ops

__all__ = ["DRAWING"]

_KeyAndCounter = namedtuple("StatelessRandomGetKeyCounter", "key counter")
_Counter = namedtuple("StatelessRandomGetKeyCounterAlg", "key counter alg")


def _key_and_counter(seed: Any) -> Any:
    """The key of a pair of integers."""
    words = ops.scrambled_key(as_tensor(seed))
    return _KeyAndCounter(words[2:], words[:2])


def _key(key: Any, counter: Any) -> Any:
    """A key as ours are: the counter comes first."""
    return concat([cast(counter, uint64), cast(key, uint64)], 0)


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
    StatelessRandomUniformV2=lambda shape, key, counter, alg, dtype=float32: draws.uniform(
        _key(key, counter), shape, 0, None, dtype
    ),
    StatelessRandomNormalV2=lambda shape, key, counter, alg, dtype=float32: draws.normal(
        _key(key, counter), shape, 0, 1, dtype
    ),
    StatelessTruncatedNormalV2=lambda shape, key, counter, alg, dtype=float32: draws.truncated_normal(
        _key(key, counter), shape, 0, 1, dtype
    ),
    StatelessRandomUniformIntV2=lambda shape, key, counter, alg, minval, maxval: draws.uniform(
        _key(key, counter), shape, minval, maxval, as_tensor(minval).dtype
    ),
    StatelessRandomUniformFullIntV2=lambda shape, key, counter, alg, dtype=uint64: draws.uniform(
        _key(key, counter), shape, None, None, dtype
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
