"""What a tape's record looks like, and how gradients are pulled back through it."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Record(NamedTuple):
    """One operation on a tape: `for output, inputs, pullback, saved in records`.

    The code that `core.pullbacks` writes makes a plain tuple in this order, and whoever reads records unpacks them: a
    tuple of a class of its own costs 100 ns more to make, a tenth of a small operation.

    `output`: the id of the output, 0 for several (then `saved` are `SeveralOutputs`). `inputs`: a tuple of the ids of
    the inputs that get a gradient; where there is one, that id itself. `saved`: what the pullback reads.
    """

    output: int
    inputs: Any
    pullback: "Pullback"
    saved: Any


class SeveralOutputs(NamedTuple):
    """In the place of what is saved: the ids of the outputs (0 for one that has no gradient), shape and dtype of each
    (None where the pullback takes None for a gradient that is not there), and what the pullback reads."""

    ids: list[int]
    specs: list[tuple | None]
    saved: tuple


class Inside(NamedTuple):
    """The operations that one record of a call stands for: those that a tape over the function's graph holds (its
    `recording`), between the symbols for the record's inputs and those for its outputs, in their order. `results` are
    the outputs that the program gets; the others are kept for the backward walk.

    A branch or the body of a loop has a `name`. There may be several of them in one record, which joins their results.
    `again`: the record is the second one of a loop or branches, the version that keeps a history."""

    recording: Any
    graph: Any
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    results: tuple[Any, ...]
    name: str = ""
    again: bool = False


class Pullback:
    """How the gradients of an operation's outputs become those of its inputs: `on_tensors(ops, g, saved)` where
    somebody records the walk, `on_arrays(ops, g, saved)` where nobody does.

    Both return one gradient for each of the record's inputs; where there is one input, they return it bare.

    `unusual`: several outputs, or rules that may return None or a sparse gradient. `holomorphic`: the walk conjugates
    around it. `takes_sparse`: a sparse gradient need not be made dense. `restricted(positions)`: the pullback for some
    of the inputs. `title`: what it belongs to, for texts. `inside`: of a call, branches or a loop, says what is in it.
    """

    __slots__ = ("on_tensors", "on_arrays", "unusual", "holomorphic", "takes_sparse", "restricted", "title", "inside")

    def __init__(
        self,
        on_tensors: Callable,
        on_arrays: Callable,
        *,
        unusual: bool,
        holomorphic: bool,
        takes_sparse: bool,
        restricted: "Callable[[tuple[int, ...]], Pullback] | None",
        title: str,
        inside: Callable[[], tuple[Inside, ...]] | None = None,
    ) -> None:
        self.on_tensors, self.on_arrays, self.unusual = on_tensors, on_arrays, unusual
        self.holomorphic, self.takes_sparse, self.restricted, self.title, self.inside = (
            holomorphic,
            takes_sparse,
            restricted,
            title,
            inside,
        )

    def around(self, wrap: Callable[[Callable], Callable]) -> "Pullback":
        """The same, with something more around both functions."""
        return Pullback(
            wrap(self.on_tensors),
            wrap(self.on_arrays),
            unusual=self.unusual,
            holomorphic=self.holomorphic,
            takes_sparse=self.takes_sparse,
            restricted=self.restricted,
            title=self.title,
            inside=self.inside,
        )


class Broadcasts(NamedTuple):
    """How an operation broadcasts its inputs: all axes (`everywhere`), or those before the last ones only.
    `undo(ops, g, shape)` sums a gradient back to the shape of an input, `widen(ops, t, y)` brings the tangent of an
    input to the shape of the output."""

    everywhere: bool
    undo: Callable[..., Any]
    widen: Callable[..., Any]


class Recorder(NamedTuple):
    """How to record an operation of which certain inputs are watched: `record(new_id, out, params, *args)` makes the
    whole record; `record_any` is the same for tensors that are not on arrays."""

    record: Callable[..., Any]
    record_any: Callable[..., Any]
    pullback: Pullback


class Pushforward(NamedTuple):
    """The pushforward of an operation of which certain inputs have a tangent: `run(ops, ts, y, p, *x)` is the tangent
    of the output (a tuple for several); `ts` has the tangent of each input, None where there is none. `rest` is the
    mask of the inputs that need the stand-in, the transposed pullback. `zeros`: the inputs for which `ts` has to have
    zeros where there is no tangent."""

    run: Callable[..., Any] | None
    rest: int
    zeros: tuple[int, ...] = ()
