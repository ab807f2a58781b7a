"""Random numbers. Both sides draw by the same algorithm: one key, (counter, key proper), gives the same numbers. Keys
that a function takes from the program's stream come from TensorFlow's generator instead."""

from typing import Any

import numpy as np

from tapeflow.core.sizes import Size
from tapeflow.export.lowering import Unsupported

from .body import Body, Value, kind

_INT, _WORD = np.dtype(np.int64), np.dtype(np.uint64)
_PHILOX = np.int32(1)


def fresh_key(tf: Body) -> Value:
    """A new one in each call."""
    limits = np.iinfo(np.int64)
    words = tf.RandomUniformInt(np.array([3], np.int32), np.int64(limits.min), np.int64(limits.max), seed=0, seed2=0)
    made = tf.Cast(words, DstT=_WORD)
    return Value(made.ref, made.kind, (3,))


def _words(tf: Body, key: Value, start: int, stop: int) -> Value:
    return tf.StridedSlice(key, *[np.array([k], np.int32) for k in (start, stop, 1)])


def _key(tf: Body, key: Value) -> tuple[Value, Value, Any]:
    """The key proper, the counter, and the algorithm."""
    if key.rank != 1:
        raise Unsupported("draws by a key for each row: loop over the rows with tf.map_fn")
    return _words(tf, key, 2, 3), _words(tf, key, 0, 2), _PHILOX


def _drawn(operator: str) -> Any:
    return lambda tf, key, shape, dtype: tf.node(operator, tf.sizes(shape), *_key(tf, key), dtype=np.dtype(dtype))


def _integers(tf: Body, key: Value, low: Value, high: Value, shape: tuple) -> Value:
    """The operator has one pair of bounds; for others, it is what is left of random bits."""
    if low.rank == high.rank == 0:
        return tf.StatelessRandomUniformIntV2(tf.sizes(shape), *_key(tf, key), low, high)
    unsigned = np.dtype(f"u{max(low.dtype.itemsize, 4)}")
    start, stop = tf.Cast(low, DstT=unsigned), tf.Cast(high, DstT=unsigned)
    bits = tf.StatelessRandomUniformFullIntV2(tf.sizes(shape), *_key(tf, key), dtype=unsigned)
    return tf.Cast(tf.AddV2(start, tf.FloorMod(bits, tf.Sub(stop, start))), DstT=low.dtype)


def _scrambled(tf: Body, seed: Value) -> Value:
    if seed.rank != 1:
        raise Unsupported("draws by a seed for each row: loop over the rows with tf.map_fn")
    wide = seed if seed.kind in (kind(np.int32), kind(np.int64)) else tf.Cast(seed, DstT=_INT)
    key, counter = tf.StatelessRandomGetKeyCounter(wide)
    return tf.ConcatV2([counter, key], np.int32(0))


def _advanced(tf: Body, key: Value, blocks: Any) -> Value:
    """The counter has two words: what the first one cannot hold goes to the second."""
    _key(tf, key)
    steps = tf.Cast(tf.size(blocks), DstT=_WORD) if type(blocks) is Size else np.array([blocks], _WORD)
    low = _words(tf, key, 0, 1)
    further = tf.AddV2(low, steps)
    carried = tf.Cast(tf.Less(further, low), DstT=_WORD)
    return tf.ConcatV2([further, tf.AddV2(_words(tf, key, 1, 2), carried), _words(tf, key, 2, 3)], np.int32(0))


RULES: dict[str, Any] = {
    "random_uniform": _drawn("StatelessRandomUniformV2"),
    "random_normal": _drawn("StatelessRandomNormalV2"),
    "random_truncated_normal": _drawn("StatelessTruncatedNormalV2"),
    "random_bits": _drawn("StatelessRandomUniformFullIntV2"),
    "random_integers": _integers,
    "scrambled_key": _scrambled,
    "advance_key": _advanced,
}
