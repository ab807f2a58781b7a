"""Where random numbers come from: keys and counters, never hidden state. They are TensorFlow's, number for number.

A *key* is three 64-bit words, a generator's state in TensorFlow's order: counter (low, high) and key proper. A random
primitive is a pure function of its key: it reads Philox blocks (`philox.py`) from the counter on, the same ones on
every engine. Keys come from

- a pair of numbers that the user gives (`tf.random.stateless_*`): `scrambled`;
- the state of a `tf.random.Generator`;
- the program's stream, for everything else. An operation has two seeds, the program's and its own. They say where its
  blocks begin: the program's seed is the key, its own the high word of the counter. Drawn again, it goes on where it
  stopped: a draw says how many blocks it reserves (`Draw.blocks`, 256 for each element, however few it reads). Without
  a seed of its own an operation takes one from Python's generator started with the program's seed, if it is eager; in
  a graph, the number of such operations before it.

    key = streams.next_key(Draw(seed, blocks, "random_uniform"))
    replay = streams.snapshot()               # remember where the stream is
    with replay():                            # draw the same numbers again; the stream itself does not move
        ...
"""

import os
import random
from collections.abc import Callable, Hashable
from contextvars import ContextVar
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tapeflow.core.frames import current
from tapeflow.core.runtime.contexts import context_variable
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.tensor import EagerTensor, Tensor

from . import philox

_MASK = 2**64 - 1
_LARGEST = 2**31 - 1  # seeds of operations are below it
DEFAULT_SEED = 87654321  # the program's seed when only the operation has one
_SCRAMBLER = np.array([0, 0, 0x02461E29_3EC8F720], np.uint64)
RESERVED = 256  # blocks for each element of a result


class Draw(NamedTuple):
    """What an operation asks the program's stream for."""

    seed: int | None = None  # its own
    blocks: int = RESERVED  # how many it reserves
    kind: Hashable = None  # eager operations of one kind and one pair of seeds share a counter


_UNSEEDED = Draw()


class Site:
    """A random operation in a graph: a pair of seeds, and a counter of its own. Without any seed when it was traced,
    it goes by the program's at the time it runs, and by its number in the graph."""

    __slots__ = ("seeds", "blocks", "number", "__weakref__")

    def __init__(self, seeds: tuple[int, int] | None, blocks: int, number: int = 0) -> None:
        self.seeds, self.blocks, self.number = seeds, blocks, number

    def described(self) -> list:
        """In plain numbers, for a saved model."""
        return [None if self.seeds is None else list(self.seeds), self.blocks, self.number]

    @classmethod
    def restored(cls, seeds: Any, blocks: int, number: int) -> "Site":
        return cls(None if seeds is None else tuple(seeds), blocks, number)


class Stream:
    """Keys in a fixed order, from the program's seed: a number, or None for one that differs from run to run."""

    __slots__ = ("seed", "noise", "count", "op_seeds", "used", "sites", "lock")

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.noise = int.from_bytes(os.urandom(8), "little")
        self.count = 0  # draws without any seed
        self.op_seeds = None if seed is None else random.Random(seed)
        self.used: dict[Any, int] = {}  # blocks that eager operations have reserved, by their seeds and kind
        self.sites: WeakKeyDictionary[Site, int] = WeakKeyDictionary()
        self.lock = (
            Lock()
        )  # Python 3.14 can be interrupted between taking a lock and the block: nobody must wait for himself

    def next_key(self, source: "Draw | Site") -> np.ndarray:
        with self.lock:
            if isinstance(source, Site):
                seeds, before = source.seeds, self.sites.get(source, 0)
                if seeds is None and self.seed is not None:
                    seeds = _pair(self.seed, source.number)
                if seeds is not None:
                    self.sites[source] = before + source.blocks
            else:
                seeds = self._seeds(source.seed)
                before = 0
                if source.seed is not None:  # other pairs do not come again, or once in 2**31
                    place = (seeds, source.kind)
                    before = self.used.get(place, 0)
                    self.used[place] = before + source.blocks
            if seeds is None:
                self.count += 1
                return np.array((0, self.count, self.noise), np.uint64)
        counter = (seeds[1] << 64) + before
        return np.array((counter & _MASK, counter >> 64 & _MASK, seeds[0]), np.uint64)

    def seeds(self, own: int | None) -> tuple[int, int]:
        """A pair for who draws from them by itself."""
        with self.lock:
            pair = self._seeds(own)
        return pair or (int.from_bytes(os.urandom(4), "little"), int.from_bytes(os.urandom(4), "little"))

    def _seeds(self, own: int | None) -> tuple[int, int] | None:
        if own is None:
            if self.op_seeds is None or self.seed is None:
                return None
            return _pair(self.seed, self.op_seeds.randint(0, _LARGEST))
        return _pair(DEFAULT_SEED if self.seed is None else self.seed, own)

    def copy(self) -> "Stream":
        twin = Stream.__new__(type(self))
        with self.lock:
            twin.seed, twin.noise, twin.count, twin.op_seeds = self.seed, self.noise, self.count, None
            if self.op_seeds is not None:
                twin.op_seeds = random.Random()
                twin.op_seeds.setstate(self.op_seeds.getstate())
            twin.used, twin.sites = dict(self.used), WeakKeyDictionary(self.sites)
        twin.lock = Lock()
        return twin


def _pair(program: int, own: int) -> tuple[int, int]:
    pair = program % _LARGEST, own % _LARGEST
    return pair if any(pair) else (0, _LARGEST)


_program = Stream(None)
_replayed: ContextVar[Any] = context_variable("tapeflow_replayed_stream", None)
_shared: ContextVar[Any] = context_variable("tapeflow_shared_places", None)  # the Places of what is traced


def _forked() -> None:
    """In a child process: without a seed, numbers of its own and not its parent's; and a lock that no thread of the
    parent holds."""
    _program.noise, _program.lock = int.from_bytes(os.urandom(8), "little"), Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def set_seed(seed: int | None) -> None:
    """Start the global stream again, from `seed`."""
    global _program
    _program = Stream(seed)


def dataset_seeds(own: int | None) -> tuple[int, int]:
    """The seeds of a dataset that draws: with a seed of its own the same ones each time."""
    return (_replayed.get() or _program).seeds(own)


def site(source: Draw | Site, number: int) -> Site:
    """The operation that a graph writes down now, `number` being how many without a seed it has already."""
    if isinstance(source, Site):
        return Site(source.seeds, source.blocks, source.number)
    seed = _program.seed
    if source.seed is None:
        return Site(None if seed is None else _pair(seed, number), source.blocks, number)
    return Site(_pair(DEFAULT_SEED if seed is None else seed, source.seed), source.blocks)


def shared(made: Site, before: list[Site]) -> Site:
    """The site for a graph to draw at, after those `before`: perhaps one at which the function drew already."""
    places = _shared.get()
    return made if places is None else places.of(made, before)


def next_key(source: Draw | Site = _UNSEEDED) -> np.ndarray:
    """The key for the next draw of an operation."""
    stream = _replayed.get()
    return (_program if stream is None else stream).next_key(source)


def fresh_key(source: Draw | Site = _UNSEEDED) -> Tensor:
    """`next_key` as the tensor that random primitives take; whoever executes decides whether it is one key, one for
    each row, or one for each run."""
    executor = current().executor
    return EagerTensor(next_key(source)) if executor is None else executor.fresh_key(source)


def per_row(key: Tensor) -> Tensor:
    """A key for what is drawn now. Where a function is mapped over rows, each row may draw by a key of its own."""
    executor = current().executor
    return key if executor is None else executor.keys(key)


def scrambled(seed: np.ndarray) -> np.ndarray:
    """The key that belongs to two numbers, given as 64-bit words: any two pairs give unrelated ones."""
    first, second = seed.tolist()
    a, b, c, d = philox.block(first, second, int(_SCRAMBLER[2]))
    return np.array((0, c | d << 32, a | b << 32), np.uint64)


def snapshot() -> Callable[[], "Replay"]:
    """Remember where the global stream is. The result makes contexts in which it is there again, in this thread or
    task only; afterwards it goes on from where it was. `tf.recompute_grad` draws the same dropout masks twice in this
    way."""
    stream = _replayed.get()
    saved = (_program if stream is None else stream).copy()
    return lambda: Replay(saved.copy())


class Places:
    """The sites of a function that runs in several ways, eagerly at first and as graphs later: each goes on where the
    others stopped, as if one graph had drawn all along."""

    def __init__(self) -> None:
        self._known: dict[tuple, Site] = {}

    def of(self, made: Site, before: list[Site]) -> Site:
        """The site that stands where `made` does, after those `before`."""
        pair = (made.seeds, made.number)
        return self._known.setdefault((*pair, sum((s.seeds, s.number) == pair for s in before)), made)

    def eagerly(self) -> "Replay":
        """A context whose eager draws are those of a graph."""
        stream = _replayed.get()
        return Replay(_AsTraced(_program if stream is None else stream, self, []))

    def traced(self) -> "Replay":
        """A context in which graphs are traced that draw at these sites."""
        return Replay(self, _shared)


class _AsTraced:
    """A stream that serves eager operations as it would serve those of one graph."""

    def __init__(self, stream: Any, places: Places, before: list[Site]) -> None:
        self.stream, self.places, self.before = stream, places, before
        self.unseeded = 0

    def next_key(self, source: Draw | Site) -> np.ndarray:
        if not isinstance(source, Site):
            made = self.places.of(site(source, self.unseeded), self.before)
            self.unseeded += source.seed is None
            self.before.append(made)
            source = made
        return self.stream.next_key(source)

    def seeds(self, own: int | None) -> tuple[int, int]:
        return self.stream.seeds(own)

    def copy(self) -> "_AsTraced":
        twin = _AsTraced(self.stream.copy(), self.places, list(self.before))
        twin.unseeded = self.unseeded
        return twin


class Replay:
    """The context that `snapshot()` makes: in it keys come from a stream of its own."""

    __slots__ = ("stream", "variable", "token")

    def __init__(self, stream: Any, variable: ContextVar = _replayed) -> None:
        self.stream, self.variable = stream, variable

    def __enter__(self) -> None:
        before = self.variable.get()
        try:
            self.token = self.variable.set(self.stream)
        except BaseException:  # Ctrl-C: nobody will call __exit__
            self.variable.set(before)
            raise

    def __exit__(self, *_: Any) -> None:
        self.variable.reset(self.token)
