"""`vmap`: a function of one example becomes a function of a batch of them, computed all at once."""

import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, ParamSpec, TypeVar

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.convert import is_convertible, to_tensor
from tapeflow.core.errors import out_of_memory
from tapeflow.core.frames import entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import snapshot
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.ops.batching import rows_from, rows_to
from tapeflow.vectorize.mapped import Vectorizer

_SHARE = (
    "Say None in in_axes for an argument that is the same for every row; a keyword argument that is belongs into a "
    "lambda or a functools.partial."
)
_RANDOMNESS = ("error", "same", "different")


P = ParamSpec("P")
R = TypeVar("R")


def vmap(
    f: Callable[P, R],
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[P, R]:
    """`f`, written for one example, as a function of a batch.

    `in_axes` says which axis of each positional argument is the batch: an int for all of them, a tuple with one entry
    for each, an entry being an int, None (the argument is the same for every example) or a structure like the
    argument's. Keyword arguments are mapped along axis 0. `out_axes` says where the batch goes in the results.
    Arguments and results may be nested structures of tensors.

    `randomness`: random numbers drawn in `f` are "different" for each example or the "same" for all; by default they
    are an "error", so that the choice is explicit. `chunk_size` limits how many examples are computed together.

    Args:
        f: A function of one example.
        in_axes: The axis of the batch in each argument; None: the argument is the same for all.
        out_axes: The axis of the batch in each result.
        randomness: `different`, `same` or `error`.
        chunk_size: How many examples are computed together, at most; None: all.

    Raises:
        ValueError: If the batches have different sizes, or random numbers are drawn and `randomness` is not set.

    >>> dot = lambda a, b: tf.reduce_sum(a * b)
    >>> x, w = tf.constant([[1., 2.], [3., 4.]]), tf.constant([10., 1.])
    >>> tf.vmap(dot, in_axes=(0, None))(x, w).numpy()
    array([12., 34.], dtype=float32)
    >>> tf.vmap(tf.vmap(dot, in_axes=(None, 0)), in_axes=(0, None))(x, x).numpy().tolist()      # all pairs
    [[5.0, 11.0], [11.0, 25.0]]
    """
    if not callable(f):
        raise TypeError(f"vmap maps a function, got {f!r} of type {type(f).__name__}.")
    if randomness not in _RANDOMNESS:
        raise ValueError(f"randomness must be one of {_RANDOMNESS}, got {randomness!r}.")
    check_chunk_size(chunk_size)

    @functools.wraps(f)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        axes = _axes_of(in_axes, args, "in_axes") + _axes_of(0, kwargs, "in_axes")
        batch = Batch((args, kwargs), axes, functools.partial(_place, f), _SHARE)
        run = lambda args, kwargs: f(*args, **kwargs)
        try:
            return batch.run(lambda given: run(*given), chunk_size, out_axes, randomness=randomness)
        except MemoryError as error:
            together = batch.size if chunk_size is None else min(chunk_size, batch.size)
            raise out_of_memory(
                f"{error}\n  {together} rows are computed at once; a smaller chunk_size takes less."
            ) from None

    return mapped


def check_chunk_size(size: int | None) -> None:
    if size is not None and size < 1:
        raise ValueError(f"chunk_size must be at least 1, got {size!r}.")


class Batch:
    """The arguments of a mapped function: which leaves have rows, along which axis, and how many."""

    def __init__(
        self, structure: Any, axes: list, place: Callable[[Any, int], str], advice: str = "", ones_repeat: bool = False
    ) -> None:
        """`place` names a leaf for the user, `advice` ends errors about one that has no rows. `ones_repeat`: arguments
        with a single row go with any number of rows."""
        self.structure = structure
        self.leaves = nest.flatten(structure)
        name = lambda k: place(structure, k)
        self.rows = {
            k: _rows_first(self.leaves[k], axis, k, name, advice) for k, axis in enumerate(axes) if axis is not None
        }
        if not self.rows:
            raise ValueError(
                "Nothing to map over: no argument has a batch axis. Give at least one tensor that has one."
            )
        sizes = {k: rows.sizes[0] for k, rows in self.rows.items()}
        if ones_repeat and len(sizes) > 1 and any(size != 1 for size in sizes.values()):
            for k in [k for k, size in sizes.items() if size == 1]:
                self.leaves[k] = ops.getitem(self.rows.pop(k), index=(0,))
                del sizes[k]
        first = next(iter(sizes))
        for k, size in sizes.items():
            if size != sizes[first]:
                given = lambda j: f"{name(j)} has {sizes[j]} (shape {_shape(self.leaves[j])}, axis {axes[j]})"
                raise ValueError(
                    f"Mapped arguments must have the same number of rows, but {given(first)} and {given(k)}."
                )
        self.size = sizes[first]

    def run(self, f: Callable[..., Any], chunk_size: int | None = None, out_axes: Any = 0, **how: Any) -> Any:
        """`f` of the structure, once for all rows; or a chunk of rows at a time, and the results one after the other.
        `how` are the options of a Vectorizer."""
        if chunk_size is None or chunk_size >= self.size:
            return self._run(f, self.rows, self.size, out_axes, how)
        parts, replay = [], snapshot()
        how = {**how, "drawn": [] if how["randomness"] == "same" else None}
        for k in range(0, self.size, chunk_size):
            size = min(chunk_size, self.size - k)
            rows = {i: ops.getitem(x, index=((k, k + size, 1),)) for i, x in self.rows.items()}
            # The same numbers for all rows: every chunk draws them again, and with the last one the stream moves on.
            with replay() if how["randomness"] == "same" and k + size < self.size else nullcontext():
                parts.append(self._run(f, rows, size, out_axes, how))
        axes = _axes_of(out_axes, parts[0], "out_axes")
        columns = zip(*map(nest.flatten, parts))
        join = lambda column, axis: (
            None if column[0] is None else ops.concat(*column, axis=axis % max(len(column[0].sizes), 1))
        )
        return nest.pack_as(parts[0], [join(column, axis) for column, axis in zip(columns, axes)])

    def _run(self, f: Callable, rows: dict, size: int, out_axes: Any, how: dict) -> Any:
        vectorizer = Vectorizer(size, **how)
        given = [vectorizer.mapped(rows[k]) if k in rows else leaf for k, leaf in enumerate(self.leaves)]
        with entered(vectorizer.frame()):
            out = f(nest.pack_as(self.structure, given))
            results = [_as_result(leaf, k, out) for k, leaf in enumerate(nest.flatten(out))]
        axes = _axes_of(out_axes, out, "out_axes")
        whole = [None if r is None else _rows_at(vectorizer.rows(r), axis) for r, axis in zip(results, axes)]
        return nest.pack_as(out, whole)

    def one_by_one(self, f: Callable) -> Any:
        """The rows one after the other, and the results stacked."""
        columns = {k: ops.unstack(x, axis=0) for k, x in self.rows.items()}
        outs = []
        for i in range(self.size):
            outs.append(
                f(
                    nest.pack_as(
                        self.structure, [columns[k][i] if k in columns else x for k, x in enumerate(self.leaves)]
                    )
                )
            )
        paths = nest.paths(outs[0])
        for i, out in enumerate(outs):
            if nest.paths(out) != paths or [x is None for x in nest.flatten(out)] != [
                x is None for x in nest.flatten(outs[0])
            ]:
                raise ValueError(
                    f"The function returned {outs[0]!r} for row 0 and {out!r} for row {i}: results must be alike."
                )
        results = zip(*[[_as_result(leaf, k, out) for k, leaf in enumerate(nest.flatten(out))] for out in outs])
        return nest.pack_as(outs[0], [None if r[0] is None else ops.stack(*r, axis=0) for r in results])


def _as_result(leaf: Any, k: int, out: Any) -> Tensor | None:
    if leaf is None or isinstance(leaf, Tensor):
        return leaf
    if isinstance(leaf, IndexedSlices):
        return leaf.dense()
    if not isinstance(leaf, CompositeTensor) and is_convertible(leaf):
        return to_tensor(leaf)
    where = f"result{nest.paths(out)[k]}" if nest.is_nested(out) else "its result"
    raise TypeError(
        f"A mapped function must return tensors (or numbers, or None), but {where} is {leaf!r} of type "
        f"{type(leaf).__name__}."
    )


# ---- axes


def _axes_of(axes: Any, structure: Any, what: str) -> list:
    """The axis for each leaf. `axes` is an int or None for all of them, or has the structure's outer containers."""
    if axes is None or isinstance(axes, int) and not isinstance(axes, bool):
        return [axes] * len(nest.flatten(structure))
    parts, given = nest.children(structure), nest.children(axes)
    same_keys = not isinstance(axes, Mapping) or isinstance(structure, Mapping) and axes.keys() == structure.keys()
    if parts is None or given is None or len(parts) != len(given) or not same_keys:
        have = "a single value" if parts is None else f"{len(parts)} of them"
        entries = "" if given is None else f", {len(given)} entries,"
        raise ValueError(
            f"{what}={axes!r}{entries} does not fit what it is for, {have}. Give one int (or None) for everything, "
            "or one entry for each."
        )
    return [axis for a, part in zip(given, parts) for axis in _axes_of(a, part, what)]


def _rows_first(leaf: Any, axis: int, k: int, name: Callable[[int], str], advice: str) -> Tensor:
    if leaf is None:
        raise ValueError(f"{name(k)} is None, and has no rows. {advice}")
    if nest.is_composite(leaf):
        raise TypeError(f"{name(k)} is a {type(leaf).__name__}, which has no rows of one shape. Use tf.map_fn.")
    x = to_tensor(leaf.operand() if isinstance(leaf, Variable) else leaf)
    rank = len(x.sizes)
    if not -rank <= axis < rank:
        have = (
            "is a scalar and has no axis to map over" if not rank else f"has shape {tuple(x.shape)} and no axis {axis}"
        )
        raise ValueError(f"{name(k)} {have}. {advice}")
    return rows_from(x, axis % rank)


def _rows_at(x: Tensor, axis: int) -> Tensor:
    rank = len(x.sizes)
    if axis is None or not -rank <= axis < rank:
        raise ValueError(
            f"out_axes is {axis} for a result of shape {tuple(x.shape)[1:]}; the batch can go to axis 0 to {rank - 1}."
        )
    return rows_to(x, axis % rank)


def _place(f: Callable, structure: Any, k: int) -> str:
    """How the caller knows leaf number `k` of the arguments: "argument 'x'['weights']"."""
    args, kwargs = structure
    try:
        names = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        names = []
    parts = [(names[i] if i < len(names) else f"#{i}", a) for i, a in enumerate(args)] + sorted(kwargs.items())
    for name, part in parts:
        count = len(nest.flatten(part))
        if k < count:
            return f"argument {name!r}{nest.paths(part)[k] if nest.is_nested(part) else ''}"
        k -= count
    return "an argument"


def _shape(leaf: Any) -> tuple:
    return tuple(to_tensor(leaf).sizes)
