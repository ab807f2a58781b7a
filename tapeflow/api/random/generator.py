"""`tf.random.Generator`: random numbers from a state that is a variable, so that it can be saved, copied and split."""

import enum
import math
import os
import threading
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype, float32, int32, int64, uint64
from tapeflow.core.errors import UnimplementedError
from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random import philox, streams
from tapeflow.core.random.streams import RESERVED
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import DTypeLike, ShapeLike, TensorLike
from tapeflow.core.variables.variable import Variable
from tapeflow.engines.numpy.random.samplers import words

from . import draws


class Algorithm(enum.IntEnum):
    """Names of random algorithms. Philox draws from every distribution; ThreeFry uniform and normal numbers, as
    TensorFlow does where XLA compiles.

    >>> tf.random.Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm(alg: Any) -> int:
    """The number of an algorithm given by name, number or member of `Algorithm`; None and automatic choice mean
    Philox."""
    try:
        found = (
            Algorithm[alg.upper()]
            if isinstance(alg, str)
            else Algorithm.PHILOX
            if alg is None
            else Algorithm(int(alg))
        )
    except (KeyError, ValueError):
        raise ValueError(
            f"Argument `alg` got unsupported value {alg!r}. Supported values are 'philox', 'threefry' and "
            "'auto_select'."
        ) from None
    return 1 if found is Algorithm.AUTO_SELECT else int(found)


def _state_size(alg: int) -> int:
    return 3 if alg == 1 else 2


def by_philox(alg: Any) -> None:
    """Refuses ThreeFry, where TensorFlow has nothing to go by."""
    if algorithm(alg) != Algorithm.PHILOX:
        raise UnimplementedError(
            None,
            None,
            "ThreeFry draws uniform and normal numbers only. Say alg='philox' or leave it out.",
        )


def create_rng_state(seed: TensorLike, alg: Any) -> Tensor:
    """The state of a generator, an int64 vector, made of an integer of any size (low words first) or of a vector
    (zeros in front).

    Args:
        seed: An integer, or a vector of them.
        alg: "philox", "threefry", "auto_select" or a `tf.random.Algorithm`.

    >>> tf.random.create_rng_state(1, "philox").numpy()
    array([1, 0, 0])
    >>> tf.random.create_rng_state([1, 2], "philox").numpy()
    array([0, 1, 2])
    """
    size = _state_size(algorithm(alg))
    if isinstance(seed, int):
        signed = [(seed >> 64 * k) & (2**64 - 1) for k in range(size)]
        return EagerTensor(np.array(signed, np.uint64).view(np.int64))
    given = _signed(to_tensor(seed).array).reshape(-1)[:size]
    return EagerTensor(np.concatenate([np.zeros(size - len(given), np.int64), given]))


def _signed(words: Any) -> np.ndarray:
    words = np.asarray(words)
    return words.view(np.int64) if words.dtype == np.uint64 else words.astype(np.int64)


class Generator:
    """A source of random numbers with a state of its own.

    Args:
        copy_from: A generator to copy; it goes alone.
        state: The words of a state: for Philox three int64.

    >>> g1, g2 = tf.random.Generator.from_seed(7), tf.random.Generator.from_seed(7)
    >>> bool(tf.reduce_all(g1.normal([3]) == g2.normal([3])))
    True
    >>> g2.reset_from_seed(8)
    >>> bool(tf.reduce_all(g1.normal([3]) == g2.normal([3])))
    False

    Make one with `from_seed`, `from_state`, `from_key_counter` or `from_non_deterministic_state`.
    """

    def __init__(self, copy_from: "Generator | None" = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError(
                    "A generator is made from another one or from a state and an algorithm, not from both."
                )
            state, alg = copy_from.state.read_value(), copy_from.algorithm
        elif state is None:
            raise ValueError(
                "A generator needs a state. Use tf.random.Generator.from_seed(1) or from_non_deterministic_state()."
            )
        self._alg = algorithm(alg)
        self._state = Variable(self._checked(state), trainable=False, dtype=int64, name="StateVar")

    @classmethod
    def from_state(cls, state: TensorLike, alg: Any) -> "Generator":
        """A generator that goes on from `state`, as `generator.state` gives it."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: Any = None) -> "Generator":
        """A generator that gives the same numbers for the same seed.

        Args:
            seed: An integer, or a vector of them.
        """
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> "Generator":
        """A generator that differs from run to run."""
        state = np.frombuffer(os.urandom(8 * _state_size(algorithm(alg))), np.int64)
        return cls(state=EagerTensor(state.copy()), alg=alg)

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: Any) -> "Generator":
        """A generator with this key (one integer), at this place (two integers for Philox, the low one first)."""
        return cls(state=_joined(key, counter, algorithm(alg)), alg=alg)

    def _checked(self, state: Any) -> Tensor:
        words = _signed(to_tensor(state).array)
        if words.shape != (_state_size(self._alg),):
            raise ValueError(
                f"Shapes {words.shape} and {(_state_size(self._alg),)} are incompatible: that is no state of this "
                "algorithm."
            )
        return EagerTensor(words)

    # ---- the state

    @property
    def state(self) -> Variable:
        """The variable with the state: counter (low, high) and key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm, as in `tf.random.Algorithm`."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The key, the last word of the state."""
        return EagerTensor(self._state.read_value().array[-1])

    def reset(self, state: TensorLike) -> None:
        """Go on from `state`."""
        self._state.assign(self._checked(state))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Start again, from `seed`.

        Args:
            seed: An integer, or a vector of them.
        """
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Go on with this key at this place."""
        self._state.assign(_joined(key, counter, self._alg))

    def skip(self, delta: TensorLike) -> Tensor:
        """Move on as if `delta` numbers had been drawn. Returns the state before.

        Args:
            delta: How many numbers.
        """
        return self._moved(int(delta) * RESERVED)

    def _moved(self, blocks: int) -> Tensor:
        """The state before it moved on: threads get different ones."""
        if current().executor is None:
            return self._state._exchanged(lambda state: _after(state, blocks))
        before = self._state.value()
        if self._alg == Algorithm.THREEFRY:
            self._state.assign(ops.add(before, EagerTensor(np.array([blocks, 0]))))
            return before
        after = ops.advance_key(ops.bitcast(before, dtype=np.dtype("uint64")), blocks=blocks)
        self._state.assign(ops.bitcast(after, dtype=np.dtype("int64")))
        return before

    def _next_key(self, shape: Any, blocks: int | None = None) -> Tensor:
        count = draws.reserved(draws.sizes(shape))
        before = self._moved(count if blocks is None else blocks)
        return streams.per_row(ops.bitcast(before, dtype=np.dtype("uint64")))

    # ---- numbers

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Normally distributed numbers."""
        return draws.normal(self._next_key(shape), shape, mean, stddev, dtype)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Normally distributed numbers within two standard deviations of the mean."""
        return draws.truncated_normal(self._next_key(shape), shape, mean, stddev, dtype)

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike | None = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Evenly distributed numbers from `minval` up to but without `maxval`; integers need both, or None for
        both.

        Raises:
            ValueError: If the dtype is of integers and one bound is None.
        """
        dtype = as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {dtype.name}, minval and maxval must be both `None` or both non-`None`; got "
                f"minval={minval} and maxval={maxval}"
            )
        return draws.uniform(self._next_key(shape), shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = uint64, name: str | None = None) -> Tensor:
        """Integers over the whole range of `dtype`."""
        return draws.uniform(self._next_key(shape), shape, None, None, dtype)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = int32,
        name: str | None = None,
    ) -> Tensor:
        """How many of `counts` trials succeed with probability `probs`.

        Args:
            shape: The shape of the result; it ends with that of `counts` and `probs`.
        """
        by_philox(self._alg)
        counts, probs = as_tensor(counts), as_tensor(probs)
        sizes, tail = draws.sizes(shape), len(broadcast_shapes(counts.sizes, probs.sizes))
        rows, samples = math.prod(sizes[len(sizes) - tail :]), math.prod(sizes[: len(sizes) - tail])
        return draws.binomial(
            self._next_key(shape, rows * 200 * (samples + 3) // 4 * RESERVED), shape, counts, probs, dtype
        )

    def make_seeds(self, count: TensorLike = 1) -> Tensor:
        """Seeds for `stateless_*` functions: one in each column of the result.

        Args:
            count: How many seeds.

        Returns:
            int64, of shape (2, count).
        """
        first = self.uniform_full_int([int(count)], dtype=int64)
        return ops.stack(first, ops.zeros_like(first), axis=0)

    def split(self, count: TensorLike = 1) -> "list[Generator]":
        """New generators whose numbers have nothing to do with each other or with this one's.

        Args:
            count: How many generators.
        """
        keys = self.uniform_full_int([int(count)], dtype=int64).array
        return [type(self).from_key_counter(int(k), [0] * (_state_size(self._alg) - 1), self._alg) for k in keys]


def _after(state: np.ndarray, blocks: int) -> np.ndarray:
    """The state so many blocks on. The counter of ThreeFry is one word."""
    if len(state) == 2:
        return state + np.array([blocks, 0])
    return philox.advanced(state.view(np.uint64), blocks).view(np.int64)


def _joined(key: Any, counter: Any, alg: int) -> Tensor:
    counter = np.atleast_1d(np.asarray(to_tensor(counter).array)) if np.ndim(counter) else np.asarray(counter)
    if counter.shape != (_state_size(alg) - 1,):
        raise ValueError(
            f"Shapes {counter.shape} and {(_state_size(alg) - 1,)} are incompatible: the counter of this algorithm "
            "has that many words."
        )
    return EagerTensor(np.append(_signed(counter), _signed(to_tensor(key).array)))


_global: Generator | None = None
_making = Lock()


def get_global_generator() -> Generator:
    """The program's own generator, made when it is first asked for: after `tf.random.set_seed` always the same.

    >>> tf.random.get_global_generator().uniform([2]).shape
    TensorShape([2])
    """
    global _global
    with _making:
        if _global is None:
            key = streams.next_key()  # one for the whole program, even if first asked for inside a function
            with entered(Frame()):
                _global = Generator(state=EagerTensor(words.bits(key, 3, np.int64)), alg="philox")
    return _global


def set_global_generator(generator: Generator) -> None:
    """Make `generator` the one that `get_global_generator` returns.

    >>> mine = tf.random.Generator.from_seed(1)
    >>> tf.random.set_global_generator(mine)
    >>> tf.random.get_global_generator() is mine
    True
    """
    global _global
    with _making:
        _global = generator
