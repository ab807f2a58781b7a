"""AutoGraph's `if`: a conditional of the graph when the condition is a symbolic tensor."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.contracts import LoopVariable
from tapeflow.core.convert import to_tensor
from tapeflow.core.errors import ValueNeeded, user_line
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.control import conditions as control

from .containers import region
from .symbolic import Undefined, UndefinedReturnValue, is_negation_of, is_number, is_symbolic, truth

_SIDES = {True: "main", False: "else"}


def if_stmt(
    test: Any,
    body: Callable,
    orelse: Callable,
    get_state: Callable,
    set_state: Callable,
    names: tuple[str, ...],
    count: int,
) -> None:
    """`if test: body() else: orelse()`. The state are the variables that the branches assign; only the first `count`
    are used later."""
    if test is True or test is False or not is_symbolic(test):
        if test:
            body()
        else:
            orelse()
        return
    before = get_state()
    unless = [is_negation_of(test, value) for value in before]
    sure: list[int] = []

    def traced(block: Callable) -> Callable:
        def values() -> tuple:
            set_state(before)
            block()
            after = get_state()[:count]
            if (
                block is body
            ):  # `if not done: done = True`, which is how an early `return` is written: now it is done, for sure
                sure[:] = [k for k, value in enumerate(after) if unless[k] and value is True]
            return after

        return values

    found = choose(test, traced(body), traced(orelse), names[:count])
    after = [True if k in sure else value for k, value in enumerate(found)]
    set_state((*after, *before[count:]))


def if_exp(test: Any, body: Callable, orelse: Callable) -> Any:
    """`body() if test else orelse()`."""
    if not is_symbolic(test):
        return body() if test else orelse()
    return choose(test, lambda: (body(),), lambda: (orelse(),), ("the conditional expression",))[0]


def choose(test: Any, true: Callable, false: Callable, names: tuple[str, ...]) -> tuple:
    """The values that `true` or `false` gives, both of which are traced. What both leave the same stays as it is in
    Python."""
    choice = _Choice({True: true, False: false}, names)
    pred = truth(test)
    while True:
        try:
            return choice.merged(control.cond(pred, lambda: choice.traced(True), lambda: choice.traced(False)))
        except _Again:
            continue


class _Again(Exception):
    """Now it is known what a return value that one branch does not have would be."""


class _Choice:
    def __init__(self, functions: dict[bool, Callable], names: tuple[str, ...]) -> None:
        self.functions, self.names = functions, names
        self.values: dict[bool, tuple] = {}
        self.stand_ins: dict[int, Any] = {}  # for the return values of the branch that does not return

    def traced(self, side: bool) -> list:
        """What the graph of one branch gives: its tensors and numbers, one after the other."""
        with region():
            values = self.functions[side]()
        values = tuple([self.stand_ins.get(k, v) if _is_missing(v) else v for k, v in enumerate(values)])
        self.values[side] = values
        if len(self.values) == 2:
            self._compare()
        return [tensor_of(leaf) for value in values for leaf in nest.flatten(value) if is_dynamic(leaf)]

    def _compare(self) -> None:
        again = False
        for k, (name, a, b) in enumerate(zip(self.names, self.values[True], self.values[False])):
            if a is b or _is_undefined(a) and _is_undefined(b) or _is_missing(a) and _is_missing(b):
                continue
            if _is_missing(a) or _is_missing(b):
                self.stand_ins[k] = nest.map_structure(stand_in, b if _is_missing(a) else a)
                again = True
                continue
            _check_alike(name, a, b)
        if again:
            self.values.clear()
            raise _Again

    def merged(self, outputs: Any) -> tuple:
        rest = iter(outputs)
        return tuple([self._one(a, b, rest) for a, b in zip(self.values[True], self.values[False])])

    def _one(self, a: Any, b: Any, rest: Any) -> Any:
        others = nest.flatten(b)
        leaves = []
        for own, other in zip(nest.flatten(a), others):
            out = next(rest) if is_dynamic(own) else own
            leaves.append(own if own is other or type(own) is type(other) and is_plain(own) and own == other else out)
        return a if a is b else nest.pack_as(a, leaves)


# ---- what may be in a variable


def is_dynamic(value: Any) -> bool:
    """Something that a graph can compute."""
    return (
        isinstance(value, (Tensor, Variable))
        or is_number(value)
        or nest.is_composite(value)
        or isinstance(value, LoopVariable)
    )


def is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, str, bytes))


def tensor_of(value: Any) -> Any:
    if isinstance(value, Variable):
        return value.value()
    return to_tensor(value) if is_number(value) else value


def stand_in(value: Any) -> Any:
    """A value like it, for where nobody will read it."""
    if not is_dynamic(value):
        return value
    if isinstance(value, Variable) or is_number(value):
        value = tensor_of(value)
    if not isinstance(value, Tensor) or None in value.sizes:
        raise ValueNeeded(
            f"A {type(value).__name__} is returned from a branch or loop that depends on a tensor, at {user_line()}."
        )
    return EagerTensor(np.zeros(tuple(value.sizes), value.dtype.np))


def _is_undefined(value: Any) -> bool:
    return type(value) is Undefined


def _is_missing(value: Any) -> bool:
    return type(value) is UndefinedReturnValue


def _check_alike(name: str, a: Any, b: Any) -> None:
    """A variable after one branch, and after the other."""
    where = f"of the `if` whose condition is a tensor, at {user_line()}"
    what = "a value must" if name.startswith("retval_") else f"'{name}' must"
    for value, side in ((a, True), (b, False)):
        if _is_undefined(value):
            raise ValueError(
                f"{what} also be initialized in the {_SIDES[side]} branch {where}: a graph computes both branches, so "
                f"both have to give {name} a value. Assign it there, or before the `if`."
            )
        if value is None:
            raise ValueError(
                f"{what} not be None in one branch and a value in the other; it is None in the {_SIDES[side]} branch "
                f"{where}."
            )
    if not nest.alike(a, b) and (nest.is_nested(a) or nest.is_nested(b)):
        raise TypeError(f"{what} have the same structure in both branches {where}; got {_kind(a)} and {_kind(b)}.")
    for own, other in zip(nest.flatten(a), nest.flatten(b)):
        if own is other:
            continue
        if not is_dynamic(own) and not is_dynamic(other):
            if is_plain(own) and own == other:
                continue
            raise ValueNeeded(
                f"'{name}' is {own!r} or {other!r} {where}: a graph cannot choose between values of Python."
            )
        if not is_dynamic(own) or not is_dynamic(other) or (own is None) != (other is None):
            raise TypeError(
                f"{what} have the same type in both branches {where}; got {_kind(own)} and {_kind(other)}."
            )
        one, two = tensor_of(own), tensor_of(other)
        if isinstance(one, Tensor) and isinstance(two, Tensor) and one.dtype is not two.dtype:
            raise TypeError(
                f"{what} have the same dtype in both branches {where}; it is {one.dtype.name} in the main branch and "
                f"{two.dtype.name} in the else branch. Use tf.cast."
            )


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a {value.dtype.name} tensor of shape {tuple(value.shape)}"
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, (list, tuple, dict)) else f"{value!r}"
