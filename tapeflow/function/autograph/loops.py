"""AutoGraph's `while` and `for`: loops of the graph when the condition, or what is iterated over, is a symbolic
tensor."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import bool_, int32
from tapeflow.core.errors import ValueNeeded, user_line
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.core.variables.variable import Variable
from tapeflow.function.control import conditions as control
from tapeflow.function.tracing.regions import Region

from .branches import if_stmt, is_dynamic, is_plain, stand_in, tensor_of
from .containers import region
from .ranges import TensorRange
from .symbolic import Undefined, UndefinedReturnValue, is_symbolic, tracing, truth

_MOST_UNROLLED = 1000  # iterations of a Python loop that may each be the last


def while_stmt(
    test: Callable, body: Callable, get_state: Callable, set_state: Callable, names: tuple[str, ...], options: dict
) -> None:
    """`while test(): body()`. The state are the variables that the body assigns, and that are used elsewhere."""
    while True:
        holds = test()
        if is_symbolic(holds):  # perhaps only now: then what went before was unrolled
            _Loop(body, get_state, set_state, names, options).run(lambda: truth(test()))
            return
        if not holds:
            return
        body()


def for_stmt(
    values: Any,
    more: Callable | None,
    body: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple[str, ...],
    options: dict,
) -> None:
    """`for target in values: body(target)`, as long as `more()`."""
    if isinstance(values, (Tensor, Variable)) and tracing():
        tensor = values.value() if isinstance(values, Variable) else values
        if not tensor.ndim:
            raise TypeError(f"Cannot iterate over a scalar tensor, at {user_line()}.")
        count: Any = tensor.sizes[0]
        if type(count) is Size:
            count = ops.size_tensor(sizes=count, dtype=int32.np)
        rows = [tensor]
        element: Callable[..., Any] = lambda k, row: row
    elif isinstance(values, TensorRange):
        rows, count, element = [], values.count(), values.element
    else:
        _python_for(values, more, body, get_state, set_state, names)
        return
    if isinstance(count, int) and count == 0:
        return
    loop = _Loop(body, get_state, set_state, names, options)
    loop.run(None if more is None else (lambda: truth(more())), count, element, rows)


def _python_for(
    values: Any,
    more: Callable | None,
    body: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple[str, ...],
) -> None:
    if more is None:
        for value in values:
            body(value)
        return
    unrolled = 0
    for value in values:
        going = more()
        if is_symbolic(going):  # whether the loop has ended by now depends on a tensor
            unrolled += 1
            if unrolled > _MOST_UNROLLED:
                raise ValueNeeded(
                    f"Where a loop over {type(values).__name__} ends depends on a tensor, at {user_line()}."
                )
            if_stmt(going, lambda value=value: body(value), lambda: None, get_state, set_state, names, len(names))
        elif going:
            body(value)
        else:
            return


class _Loop:
    """One loop of a graph. Its variables are the tensors and numbers in the state; everything else has to stay as it
    is."""

    def __init__(
        self, body: Callable, get_state: Callable, set_state: Callable, names: tuple[str, ...], options: dict
    ) -> None:
        self.body, self.get_state, self.set_state, self.names, self.options = (
            body,
            get_state,
            set_state,
            names,
            options,
        )
        self.start = get_state()

    def run(
        self,
        more: Callable[..., Any] | None,
        count: Any = None,
        element: Callable[..., Any] | None = None,
        rows: Sequence[Tensor] = (),
    ) -> None:
        """As long as `more()` (None: always), `count` times at most; the body gets `element(k, a row of each)` in
        iteration k."""
        static = count if isinstance(count, int) else None
        invariants = self._invariants()  # before the state changes: it tells variables by their values
        zero = EagerTensor(np.int32(0))
        step = self.body if element is None else lambda k, *row: self.body(element(k, *row))
        sample = lambda: step(zero, *[ops.getitem(tensor, index=(0,)) for tensor in rows])
        self.start = self._defined(sample if element else step, static is not None)
        first = [tensor_of(leaf) for value in self.start for leaf in nest.flatten(value) if is_dynamic(leaf)]
        limit = _least(static, self.options.get("maximum_iterations"))
        counted = more is None and (limit is None or static is not None)
        counter = [] if element is None else [zero]

        def test(*variables: Any) -> Any:
            self._set(variables[len(counter) :])
            holds = to_tensor(True if more is None else more(), bool_)
            if counter and static is None:
                holds = ops.logical_and(ops.less(variables[0], ops.cast(count, dtype=int32.np)), holds)
            return (
                ops.logical_and(ops.less(variables[0], np.int32(static)), holds)
                if counter and static is not None
                else holds
            )

        def body(*given: Any) -> tuple:
            variables, row = given[: len(given) - len(rows)], given[len(given) - len(rows) :]
            self._set(variables[len(counter) :])
            with region():
                step(*variables[: len(counter)], *row)
                after = self.get_state()
            given = variables[len(counter) :]
            return (
                *[ops.add(k, np.int32(1)) for k in variables[: len(counter)]],
                *self._checked(given, after, invariants),
            )

        out = control.while_loop(
            None if counted else test, body, (*counter, *first), self._shapes(counter, first, invariants),
            count if counted and limit is None else limit, rows=rows,
        )  # fmt: skip
        self._set(tuple(out)[len(counter) :])

    # ---- the state, and the variables of the loop in it

    def _set(self, variables: Any) -> None:
        rest = iter(variables)
        replaced = lambda leaf: next(rest) if is_dynamic(leaf) else leaf
        self.set_state(tuple([nest.map_structure(replaced, value) for value in self.start]))

    def _checked(self, given: Any, after: tuple, invariants: dict[int, Any]) -> list:
        """What an iteration leaves in the variables of the loop, which must be like what it found in them."""
        out: list = []
        where = f"in the loop over tensors at {user_line()}"
        rest = iter(given)
        for k, (name, before, now) in enumerate(zip(self.names, self.start, after)):
            if not nest.alike(before, now) and (nest.is_nested(before) or nest.is_nested(now)):
                raise ValueNeeded(f"'{name}' changes its structure {where}: from {_short(before)} to {_short(now)}.")
            for old, new in zip(nest.flatten(before), nest.flatten(now)):
                if not is_dynamic(old):
                    same = (
                        old is new
                        or type(old) is type(new)
                        and (is_plain(old) and old == new or type(old) in _MARKERS)
                    )
                    if not same:
                        raise ValueNeeded(f"'{name}' is {_short(old)} before, and {_short(new)} {where}.")
                    continue
                variable = next(rest)
                if not is_dynamic(new):
                    raise ValueNeeded(f"'{name}' is a tensor before, and {_short(new)} {where}.")
                out.append(self._fits(name, variable, tensor_of(new), where, invariants.get(k)))
        return out

    def _fits(self, name: str, old: Any, new: Any, where: str, invariant: Any) -> Any:
        if not isinstance(old, Tensor) or not isinstance(new, Tensor):
            return new
        if old.dtype is not new.dtype:
            raise TypeError(
                f"'{name}' has dtype {old.dtype.name} before, but {new.dtype.name} after an iteration, {where}. Use "
                "tf.cast, or give it a value of the right dtype before the loop."
            )
        wanted = TensorShape(old.sizes) if invariant is None else TensorShape(invariant)
        if not wanted.is_compatible_with(new.sizes):
            raise ValueError(
                f"'{name}' has shape {wanted} before, but shape {tuple(new.shape)} after an "
                f"iteration, {where}. If it is meant to change, say so by "
                "tf.autograph.experimental.set_loop_options(shape_invariants=[(" + name + ", ...)])."
            )
        return new

    # ---- variables that only the body defines

    def _defined(self, step: Callable, runs: bool) -> tuple:
        """The state with something in the place of what the first iteration will define; `runs`: there surely is
        one."""
        missing = [k for k, value in enumerate(self.start) if type(value) in _MARKERS]
        if not missing:
            return self.start
        found: tuple = ()

        def once() -> None:
            nonlocal found
            self.set_state(
                tuple([nest.map_structure(lambda v: tensor_of(v) if is_dynamic(v) else v, v) for v in self.start])
            )
            with region():
                step()
            found = self.get_state()

        Region(once)  # only to see what they will be
        self.set_state(self.start)
        out = list(self.start)
        for k in missing:
            if type(found[k]) in _MARKERS:
                continue
            if type(out[k]) is Undefined and not runs:
                raise ValueNeeded(
                    f"'{self.names[k]}' has no value before the loop over tensors at {user_line()}, and none after it "
                    "if there is no iteration. Give it a value before the loop."
                )
            out[k] = nest.map_structure(stand_in, found[k])
        return tuple(out)

    # ---- what set_loop_options says

    def _invariants(self) -> dict[int, Any]:
        """The shapes that variables keep, by place in the state."""
        pairs = self.options.get("shape_invariants") or ()
        return {k: shape for value, shape in pairs for k, own in enumerate(self.start) if own is value}

    def _shapes(self, counter: list, first: list, invariants: dict[int, Any]) -> Any:
        if not invariants:
            return None
        shapes: list[Any] = []
        for k, value in enumerate(self.start):
            leaves = [leaf for leaf in nest.flatten(value) if is_dynamic(leaf)]
            shapes.extend(TensorShape(invariants[k]) if k in invariants else _shape(leaf) for leaf in leaves)
        return (*[TensorShape(()) for _ in counter], *shapes)


_MARKERS = (Undefined, UndefinedReturnValue)


def _shape(leaf: Any) -> TensorShape:
    tensor = tensor_of(leaf)
    return sizes_of(tensor) if isinstance(tensor, Tensor) else TensorShape(None)


def _least(*bounds: Any) -> Any:
    given = [b for b in bounds if b is not None]
    symbols = [ops.cast(to_tensor(b), dtype=int32.np) for b in given if is_symbolic(b) or type(b) is Size]
    known = [int(b) for b in given if not (is_symbolic(b) or type(b) is Size)]
    least: Any = min(known) if known else None
    for symbol in symbols:
        least = symbol if least is None else ops.minimum(symbol, np.int32(least) if type(least) is int else least)
    return least


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"
