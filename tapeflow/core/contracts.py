"""The three roles in the library: an operation is what is done, one executor does it, and observers look on.

Eager execution is no executor (`Frame.executor` is None): entries compute by themselves then. Everybody else who
executes is an `Executor`: a graph that is traced, a map over rows, one side of a condition in a map. Tapes and forward
accumulators are observers.
"""

from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .record import Broadcasts, Pushforward, Recorder

if TYPE_CHECKING:
    from .errors import InvalidArgumentError
    from .frames import Frame
    from .tensor import Tensor
    from .variables.parts import Part


class Across(NamedTuple):
    """What a collective is to all replicas: `rule` is (ops, the inputs of each, the parameters of each) -> what each
    gets. `same`: all get the same. `each`: every element by itself, so several tensors may be exchanged as one."""

    rule: Callable
    same: bool = True
    each: bool = False


class Operation:
    """What stands in a node of a graph, and what executors and observers are told of: a primitive, an operation with
    graphs inside (a choice, a loop, the user's Python), or a rule of a user's.

    The attributes say what the graph's cleaning, tapes and texts ask of it. The defaults are those of an operation
    that is made of others.
    """

    name: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] | None = None  # the names of several outputs; ("*",) when their number varies
    variadic = True  # any number of inputs
    groups: Sequence[tuple] = ()  # of inputs that share a dtype
    kernel: Any = None  # only primitives have one
    result: Any = None  # "cut", "complex" or "any", or a function of the parameters that says which of these
    clash: type[Exception] = TypeError  # what a Python value of the wrong kind raises
    shape: Callable | None = None
    batch: Callable | None = None  # the batching rule
    elementwise = False  # every element of the output depends on the inputs' elements at the same place alone
    broadcasts: Broadcasts | None = None
    merges: Callable | None = None
    unchanged: Any = None  # True: where shape and dtype stay, the output is the input
    across: Across | None = None  # of a collective
    apart = False  # it is compiled by itself, for several devices: what is around it is not compiled with it
    moves = False  # every element of the output is one of the inputs'
    makes_new = False  # the NumPy kernel never gives back an input
    over: str | None = None  # the input that the NumPy kernel writes over if it gets that as `out`
    takes_none = False  # gradients of outputs that nothing reached come as None, not as zeros
    has_effect = False  # something happens besides what is computed
    checks = False  # an effect that raises, or does nothing
    sized: "Operation | None" = None  # the operation that this is with parameters that are computed when it runs
    guards = False  # a check of what the graph was traced for: whatever of a graph runs, runs with it
    hides_sizes = False  # outputs whose size depends on values are seen by nobody but another of its kind
    body: Sequence[int] | None = None  # a user's rule: the ids of what the user's function computed itself
    extensible = False  # versions of it that give more may take its place (`extends`)
    extends: "Operation | None" = None
    recipe: Any = None  # an effect: the user's function, and what it was called with

    # The function that applies it. (No method here: primitives have theirs written for them.)
    entry: Callable[..., Any]

    def on(self, engine: str, xp: Any, named: Callable | None = None) -> Callable:
        """The function that computes it on an engine, whose array library is `xp`."""
        raise NotImplementedError(f"{self.name} has no kernel for the engine {engine!r}.")

    def infer(self, specs: list, params: dict) -> Any:
        """Shape and dtype of the output, or a tuple of them."""
        raise NotImplementedError(f"{self.name} computes nothing.")

    def recorder(self, mask: int, count: int) -> Recorder | None:
        """How a tape records it when the inputs in `mask` are watched; None where no gradient flows."""
        raise NotImplementedError(f"{self.name} has no derivative.")

    def pushforward(self, mask: int, count: int) -> Pushforward:
        """How the tangents of the inputs in `mask` become those of the outputs."""
        raise NotImplementedError(f"{self.name} has no derivative.")

    def specialized(self, sizes: Any) -> "Operation":
        """The operation, where sizes that were not known are these, by number."""
        return self

    def opened(self, args: list, sizes: Any) -> "tuple[Operation, list, Any]":
        """(The operation, its arguments, the sizes for its parameters), in a replay of its node; `sizes` as in
        `specialized`, or None."""
        return self if sizes is None else self.specialized(sizes), args, sizes

    def root(self) -> "Operation":
        """What this is an extension of, in the end."""
        found: Operation = self
        while found.extends is not None:
            found = found.extends
        return found

    def parts(self) -> list[tuple[str, Any]]:
        """The graphs inside, by name."""
        return []

    def silent(self) -> "Operation":
        """The same without what happens besides what it computes."""
        return self


class BackwardRule(Operation):
    """A rule of a user's: it stands for what the user's function computed, and says how gradients go back."""

    result = "any"

    def gradients(self, gs: tuple) -> list:
        """One for each input, from one for each output."""
        raise NotImplementedError  # each kind of rule says it

    def bound(self, inputs: Sequence["Tensor"], sizes: Any) -> "BackwardRule | None":
        """The rule for a node's inputs, in one replay of its graph; None if a closure is needed for that."""
        return None

    def announce(self, inputs: tuple[Any, ...], outs: tuple[Any, ...], body: Sequence["Tensor"]) -> None:
        """Tell executors and observers that `outs` come from `inputs` by this rule."""
        raise NotImplementedError

    def lifted(self, executor: "RowExecutor", inputs: list[bool], outs: list[bool]) -> "BackwardRule":
        """The rule for all rows of a map; `inputs` and `outs` say which differ from row to row."""
        raise NotImplementedError


class Executor:
    """Does what operations say, in the place of eager execution. Variables and random numbers ask it, too."""

    __slots__ = ()

    def execute(self, prim: Operation, args: tuple[Any, ...], params: dict[Any, Any]) -> Any:
        """The output of the operation, or a tuple of several."""
        raise NotImplementedError

    def read(self, variable: Any) -> "Tensor":
        """The value of a variable now."""
        raise NotImplementedError

    def assign(self, variable: Any, value: "Tensor") -> None:
        raise NotImplementedError

    def initial(self, value: "Tensor") -> Any:
        """The array that a new variable starts from."""
        raise NotImplementedError

    def constant(self, tensor: "Tensor") -> "Tensor":
        """A tensor that was just made, as it is wanted here."""
        return tensor

    def fresh_key(self, source: Any) -> "Tensor":
        """The key for the next draw of random numbers."""
        raise NotImplementedError

    def keys(self, key: "Tensor") -> "Tensor":
        """A key for what is drawn now, or one for each row."""
        return key

    def announce(
        self, rule: BackwardRule, inputs: tuple[Any, ...], outs: tuple[Any, ...], body: Sequence["Tensor"]
    ) -> None:
        """A rule of a user's stands for a computation: whoever is below hears of it."""
        raise NotImplementedError

    def effect(self, what: str) -> None:
        """Something is about to happen that no graph can hold: raises where that cannot be."""

    def happens_once(self, what: str) -> None:
        """The same of what must not happen once for each replica."""

    def wrong_argument(self, message: str) -> "InvalidArgumentError | None":
        """The error for an argument that does not fit; None for the usual one."""
        return None

    def wrong_dtype(self, message: str) -> "InvalidArgumentError | None":
        """The error for dtypes that do not mix; None for the usual one."""
        return None


class RowExecutor(Executor):
    """An executor of a vectorised function: it works in the frame below its own, where tensors hold all rows."""

    __slots__ = ()

    size: int  # how many rows there are

    def frame(self) -> "Frame":
        """The frame for the function, on top of the current one."""
        raise NotImplementedError

    def again(self) -> "RowExecutor":
        """The executor for what belongs to the same rows but is computed later: backward rules."""
        raise NotImplementedError

    def mapped(self, held: "Tensor") -> "Tensor":
        """What the function sees of a tensor of all rows."""
        raise NotImplementedError

    def owns(self, value: Any) -> bool:
        """Does the value differ from row to row?"""
        raise NotImplementedError

    def rows(self, value: "Tensor") -> "Tensor":
        """All rows of what the function gives."""
        raise NotImplementedError


class Observer:
    """Is told of every operation on a watched tensor, after it was executed."""

    __slots__ = ()

    watched: Container[int] = ()  # ids of tensors
    records: list[Any] | None = None  # a tape's, to which entries append by themselves (`core.record.Record`)
    differentiates: bool = True  # not one that only looks: calls of functions need no derivative for it
    looks_inside: bool = False  # of functions: it watches while they are traced, and sees operations, not calls

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        """An operation was executed; bit k of `mask`: argument k is watched."""

    def read(self, variable: Any, tensor: "Tensor | None") -> None:
        """A variable was read into `tensor`, or only touched (None)."""

    def left(self, tensor: "Tensor", how: str) -> None:
        """A value leaves for where no derivative follows."""


class LoopVariable:
    """What branches and loops carry although it is no tensor: a TensorArray. In a graph it goes through as the tensor
    of its entries."""

    def __is_known__(self) -> bool:
        """Is the shape of the entries known?"""
        raise NotImplementedError

    def __entries__(self) -> "Tensor":
        """The entries as one tensor."""
        raise NotImplementedError

    def __with_entries__(self, value: "Tensor") -> "LoopVariable":
        """Another one like this, with these entries."""
        raise NotImplementedError

    def __on_trial__(self) -> "LoopVariable":
        """One that takes anything, from which this one learns the shape."""
        raise NotImplementedError

    # In a loop that runs on for some rows of a vectorised function, while others have finished:

    def __copied__(self) -> "LoopVariable":
        """What is written to the copy does not change this one."""
        raise NotImplementedError

    def __merged__(self, chosen: "Tensor", other: Any) -> "LoopVariable":
        """This one in the rows where `chosen` holds, the other one elsewhere."""
        raise NotImplementedError


class Supplied:
    """What core itself needs of operations, by what it is for: it knows none. `tapeflow.ops.for_core` supplies it."""

    # (the operations to use, rows, their indices, how many there are in all): a tensor with the rows added up
    rows_summed: Callable[[Any, Any, Any, Any], Any]

    # Sizes that are not known yet, as a tensor of the graph they belong to: (sizes, NumPy's dtype).
    sizes_as_tensor: Callable[[Any, Any], "Tensor"]

    # The whole new value of a variable, for who cannot write into its array: (the value now, what is done, in which
    # part or None for everywhere, the values that it is done with). Words: `core.variables.changes`.
    changed: Callable[["Tensor", str, "Part | None", "Tensor"], "Tensor"]

    # The NumPy kernel of a primitive with the native one that it names, which large arrays go to: (the one, the name
    # of the other). None where there are none; `tapeflow.engines.native` supplies it.
    native: Callable[[Callable, str], Callable] | None = None

    # Rows times a number added to those of an array at some indices, in place: (array, indices, rows, number). False
    # where it is not for them, and nothing was done. None or supplied, as `native`.
    add_rows: Callable[[Any, Any, Any, float], bool] | None = None


supplied = Supplied()
