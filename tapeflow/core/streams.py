"""Where random numbers come from: keys and counters, never hidden state.

A *key* is four 64-bit words `(seed, seed, counter, counter)`. A random primitive is a pure function of its key: the first two words key
a Philox generator, the last two say which of its 2**128 blocks to draw from. The global stream hands out a fresh key for each draw:
its words are the program's seed, the operation's seed and how often that pair was drawn from.

    key = streams.next_key(seed)              # for an operation that is given seed=None or a number
    replay = streams.snapshot()               # remember where the stream is
    with replay():                            # draw the same numbers again; the stream itself does not move
        ...
"""

import os
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from .frames import current
from .tensor import EagerTensor, Tensor

_MASK = 2**64 - 1
_DEFAULT_SEED = 0x7A9EF10D  # the program's seed when only the operation has one
_GLOBAL = 1  # the last word of keys from the global stream; user-given keys have 0 there


class Stream:
    """Keys in a fixed order, from the program's seed: a number, or None for one that differs from run to run."""

    __slots__ = ("seed", "noise", "counts", "lock")

    def __init__(self, seed: int | None, counts: dict | None = None) -> None:
        self.seed = seed
        self.noise = int.from_bytes(os.urandom(8), "little")
        self.counts: dict[int | None, int] = counts or {}
        self.lock = threading.Lock()

    def next_key(self, op_seed: int | None) -> np.ndarray:
        with self.lock:
            count = self.counts.get(op_seed, 0)
            self.counts[op_seed] = count + 1
        if self.seed is not None:
            first = self.seed
        else:
            first = self.noise if op_seed is None else _DEFAULT_SEED
        return np.array((first, 0 if op_seed is None else op_seed, count, _GLOBAL + (op_seed is None)), np.uint64)

    def copy(self) -> "Stream":
        twin = Stream(self.seed, dict(self.counts))
        twin.noise = self.noise
        return twin


_program = Stream(None)
_replayed: ContextVar[Stream | None] = ContextVar("tapeflow_replayed_stream", default=None)


def word(value: int) -> int:
    """An integer of any size and sign as 64 bits; those that fit keep their own."""
    while not -(2**63) <= value <= _MASK:
        value = (value & _MASK) ^ (value >> 64)
    return value & _MASK


def set_seed(seed: int | None) -> None:
    """Start the global stream again, from `seed`."""
    global _program
    _program = Stream(None if seed is None else word(seed))


def fixed_key(op_seed: int) -> np.ndarray:
    """The key of an operation that draws the same numbers every time it is made with this seed: a shuffled dataset."""
    return np.array((_DEFAULT_SEED if _program.seed is None else _program.seed, word(op_seed), 0, _GLOBAL), np.uint64)


def next_key(op_seed: int | None = None) -> np.ndarray:
    """The key for the next draw of an operation, `op_seed` being its own seed if it was given one."""
    stream = _replayed.get()
    return (_program if stream is None else stream).next_key(None if op_seed is None else word(op_seed))


def fresh_key(op_seed: int | None = None) -> Tensor:
    """`next_key` as the tensor that random primitives take; whoever executes decides whether it is one key, one for each row, or one
    for each run."""
    executor = current().executor
    return EagerTensor(next_key(op_seed)) if executor is None else executor.fresh_key(op_seed)


def per_row(key: Tensor) -> Tensor:
    """A key for what is drawn now. Where a function is mapped over rows, each row may draw by a key of its own."""
    executor = current().executor
    return key if executor is None else executor.keys(key)


def snapshot() -> Callable[[], "Replay"]:
    """Remember where the global stream is. The result makes contexts in which it is there again, in this thread or task only;
    afterwards it goes on from where it was. `tf.recompute_grad` draws the same dropout masks twice in this way."""
    stream = _replayed.get()
    saved = (_program if stream is None else stream).copy()
    return lambda: Replay(saved.copy())


class Replay:
    """The context that `snapshot()` makes."""

    __slots__ = ("stream", "token")

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        self.token = _replayed.set(self.stream)

    def __exit__(self, *_: Any) -> None:
        _replayed.reset(self.token)


# ---- from a key to a generator

_local = threading.local()


def generator(key: np.ndarray) -> np.random.Generator:
    """NumPy's generator at `key`, for use right away: each thread has one, whose state is set (0.7 us; a new one costs 7)."""
    try:
        made = _local.generator
    except AttributeError:
        made = _local.generator = np.random.Generator(np.random.Philox(0))
    first, second, low, high = key.tolist()  # Python's integers: as arrays they would take three times as long to read
    made.bit_generator.state = {
        "bit_generator": "Philox",
        "state": {"counter": (0, 0, low, high), "key": (first, second)},
        "buffer": (0, 0, 0, 0),
        "buffer_pos": 4,
        "has_uint32": 0,
        "uinteger": 0,
    }
    return made
