"""The executor of `tf.vmap`, and the tensors in it, whose batch axis is hidden.

`Vectorizer` is an executor. Inside its frame the tensors that differ from row to row are `MappedTensor`s, whose first
axis is hidden; an operation on them runs in the frame below, once, by the primitive's batching rule. What is the same
for every row is computed once. Since the frame below is an ordinary one, maps nest, and tapes may be inside, outside
or both.
"""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core.apply import describe
from tapeflow.core.contracts import BackwardRule, Operation, RowExecutor
from tapeflow.core.devices import placed
from tapeflow.core.dtypes import DType
from tapeflow.core.errors import InvalidArgumentError, ValueNeeded, invalid, uneven_rows, user_call, user_line
from tapeflow.core.frames import Frame, below, current, enter, has_an_effect
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.core.random.streams import fresh_key, per_row
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.ops.batching import rule_of, spread


class MappedTensor(Tensor):
    """One tensor for each row, held as a single tensor with the rows along its first axis."""

    __slots__ = ("held", "owner")

    def __init__(self, held: Tensor, owner: "Vectorizer") -> None:
        self.held, self.owner, self.serial = held, owner, 0

    def _twin(self) -> "MappedTensor":
        return MappedTensor(self.held._twin(), self.owner)

    @property
    def shape(self) -> TensorShape:
        return self.held.shape[1:]

    @property
    def sizes(self) -> TensorShape:
        held = self.held
        sizes = held.array.shape if type(held) is EagerTensor else tuple(held.sizes)
        return tuple.__new__(TensorShape, sizes[1:])

    @property
    def ndim(self) -> int:
        return self.held.ndim - 1

    @property
    def dtype(self) -> DType:
        return self.held.dtype

    device = backing_device = property(lambda self: self.held.device)

    @property
    def size(self) -> int:
        """The number of elements of one row."""
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        if not self.sizes:
            raise TypeError("Scalar tensor has no `len()`. Its shape is ().")
        return self.sizes[0]

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor: shape={tuple(self.shape)}, dtype={self.dtype.name}, one for each of {self.owner.size} rows>"
        )

    __str__ = __repr__


def _refused(what: str | None, instead: str = "tf operations") -> Any:
    def refuse(self: MappedTensor, *_: Any, **__: Any) -> Any:
        raise ValueNeeded(
            f"{what or user_call()} needs the value of a tensor, but inside a vectorised function a tensor has one "
            f"value for each of {self.owner.size} rows, at {user_line()}. Use {instead}, or map row by row with "
            "tf.map_fn."
        )

    return refuse


for _name, _what, *_instead in (
    ("__array__", "A NumPy conversion"),
    ("__float__", "float()"),
    ("__int__", "int()"),
    ("__complex__", "complex()"),
    ("__index__", "A Python index or size"),
    ("__bool__", "A Python truth value", "tf.where or tf.cond instead of `if` and `while`"),
):
    setattr(MappedTensor, _name, _refused(_what, *_instead))
setattr(MappedTensor, "array", property(_refused(None, "operations that take a tensor there")))  # noqa: B010
setattr(MappedTensor, "numpy", property(_refused(".numpy()")))  # noqa: B010


class OnTop(RowExecutor):
    """What executors have in common that work in the frame below their own."""

    __slots__ = ()

    def effect(self, what: str) -> None:
        """Things happen once, not for each row."""
        with below():
            has_an_effect(what)

    def happens_once(self, what: str) -> None:
        with below():
            has_an_effect(what, once=True)

    def constant(self, tensor: Tensor) -> Tensor:
        """A tensor that was just made, which is the same for every row."""
        with below():
            return placed(tensor)

    def initial(self, value: Tensor) -> Any:
        """The array that a new variable starts from."""
        with below() as frame:
            return value.array if frame.executor is None else frame.executor.initial(value)

    def read(self, variable: Any) -> Tensor:
        with below():
            return variable.peek()


class Vectorizer(OnTop):
    """The executor of a map over `size` rows. It runs operations in the frame below its own.

    `randomness`: "different" draws for each row, the "same" for all, or "error". `loops`: may rows be computed one by
    one where a primitive has no batching rule? `warn`: is it worth a line in the log? `drawn`: the keys of random
    numbers that are the same for all rows, where the rows come in chunks: the first chunk fills the list.
    """

    __slots__ = ("size", "randomness", "loops", "warn", "drawn", "draws")

    def __init__(
        self,
        size: int,
        randomness: str = "same",
        loops: bool = True,
        warn: bool = False,
        drawn: list[Tensor] | None = None,
    ) -> None:
        self.size, self.randomness, self.loops, self.warn = size, randomness, loops, warn
        self.drawn, self.draws = drawn, 0

    def frame(self) -> Frame:
        """The frame for the mapped function, on top of the current one. Nobody watches from inside yet."""
        return Frame(self, (), current())

    def again(self) -> "Vectorizer":
        """The executor for what belongs to the same map but is computed later: backward rules that were made inside of
        it."""
        return self

    # ---- values

    def mapped(self, held: Tensor) -> MappedTensor:
        return MappedTensor(held, self)

    def owns(self, value: Any) -> bool:
        return type(value) is MappedTensor and value.owner is self

    def rows(self, value: Tensor) -> Tensor:
        """All rows of a result, in the frame below; one that is the same for every row is repeated."""
        if type(value) is MappedTensor and value.owner is self:
            return value.held
        return spread(value, self.size)

    # ---- the executor

    def execute(self, prim: Operation, args: tuple[Any, ...], params: dict[Any, Any]) -> Any:
        batched = [type(a) is MappedTensor and a.owner is self for a in args]
        above = current()
        assert above.below is not None
        enter(above.below)
        try:
            if True not in batched:
                return prim.entry(*args, **params)
            held = [a.held if b else a for a, b in zip(args, batched)]
            rule = prim.batch or rule_of(prim)
            if rule is None:
                out = self._one_by_one(prim, held, batched, params)
            else:
                out = rule(prim.entry, held, batched, params)
        except InvalidArgumentError as error:
            raise _of_a_row(error, prim, args, params, self.size) from error
        finally:
            enter(above)
        return tuple([MappedTensor(o, self) for o in out]) if type(out) is tuple else MappedTensor(out, self)

    def assign(self, variable: Any, value: Tensor) -> None:
        if self.owns(value):
            raise ValueError(
                f"Variable '{variable.name}' has one value, but inside a vectorised function it was given one for "
                f"each row, at {user_line()}. Return the tensor, and assign the sum or the mean over the rows outside."
            )
        with below():
            variable.put_value(value)

    def fresh_key(self, source: Any) -> Tensor:
        with below():
            key = fresh_key(source)
        return self._own_key(key)

    def keys(self, key: Tensor) -> Tensor:
        """A key for random numbers, or one for each row."""
        with below():
            key = per_row(key)
        return self._own_key(key)

    def _own_key(self, key: Tensor) -> Tensor:
        with below():
            if self.randomness == "same":
                return key if self.drawn is None else self._key_of_all_chunks(key, self.drawn)
            if self.randomness == "different":
                return MappedTensor(ops.split_key(key, count=self.size), self)
        raise ValueError(
            f"Random numbers are drawn inside a mapped function, at {user_line()}. Say what is meant: "
            "randomness='different' for new numbers in each row, randomness='same' for the same ones in all."
        )

    def _key_of_all_chunks(self, key: Tensor, drawn: list[Tensor]) -> Tensor:
        if self.draws == len(drawn):
            drawn.append(key)
        self.draws += 1
        return drawn[self.draws - 1]

    def announce(self, rule: BackwardRule, inputs: tuple[Any, ...], outs: tuple[Any, ...], body: Any) -> None:
        """A rule of the user's stands for a computation in here: those below are told of it for the whole batch."""
        held = lambda values: tuple(v.held if self.owns(v) else v for v in values)
        batched = [self.owns(v) for v in inputs], [self.owns(v) for v in outs]
        with below():
            rule.lifted(self, *batched).announce(held(inputs), held(outs), held(body))

    # ---- the stand-in for a missing rule

    def _one_by_one(self, prim: Operation, held: list, batched: list[bool], params: dict) -> Any:
        self.must_loop(prim.name)
        if not self.size:
            specs = prim.infer(
                [Spec(shape=tuple(sizes_of(a))[b:], dtype=a.dtype.np) for a, b in zip(held, batched)], params
            )
            empty = lambda s: EagerTensor(np.zeros((0, *(d or 0 for d in s.shape)), s.dtype))
            return tuple(map(empty, specs)) if isinstance(specs, tuple) else empty(specs)
        return stacked(lambda *row: prim.entry(*row, **params), held, batched, self.size)

    def must_loop(self, name: str) -> None:
        """What `name` computes has no batching rule: say so, or refuse."""
        if not self.loops:
            raise ValueError(
                f"{name} has no batching rule, and fallback_to_while_loop=False does not allow to compute its rows "
                "one by one."
            )
        if self.warn:
            logging.getLogger("tapeflow").warning("%s has no batching rule: its rows are computed one by one.", name)
            self.warn = False


def _of_a_row(
    error: InvalidArgumentError, prim: Operation, args: tuple, params: dict, size: int
) -> InvalidArgumentError:
    """The error of a whole batch, with the shapes of a row, which are those of the user's program."""
    if type(error) is not InvalidArgumentError:
        return error
    text = (
        f"{error.message}\n  That is with a first axis of {size} rows, in a vectorised function. For a row: "
        f"{describe(prim, args, params)}"
    )
    return invalid(text)


def stacked(function: Callable, held: list, batched: list[bool], size: int) -> Any:
    """`function` of each row, in the current frame; the results stacked."""
    columns = [ops.unstack(a, axis=0) if b else (a,) * size for a, b in zip(held, batched)]
    found = [function(*row) for row in zip(*columns)]
    if isinstance(found[0], tuple):
        return tuple(_one_tensor(part) for part in zip(*found))
    return _one_tensor(found)


def _one_tensor(rows: Any) -> Tensor:
    shapes = {tuple(row.sizes) for row in rows}
    if len(shapes) > 1:
        raise uneven_rows(f"At {user_line()} rows have different shapes: {', '.join(map(str, sorted(shapes)[:3]))}.")
    return ops.stack(*rows, axis=0)
