"""The first operation that made a NaN or an infinity: forward or backward, eager or inside a function, with its line
and how it came to it.

The checker is an observer of provenance: it sees every eager operation, those of backward walks too, and knows where
each value came from. Inside functions it looks at every value of a plan; after a compiled program it looks at the
results, and lets the plan find the place.
"""

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import numpy as np

from tapeflow.core.apply import describe
from tapeflow.core.contracts import Operation
from tapeflow.core.errors import invalid
from tapeflow.core.pullbacks import PULLBACK_OF
from tapeflow.core.record import Record
from tapeflow.core.tensor import EagerTensor, identify
from tapeflow.function.tracing.graph import Node
from tapeflow.tape.recording import Recording
from tapeflow.vectorize.mapped import MappedTensor
from tapeflow.vectorize.values import values_of

from .provenance import Attendance, Provenance, Switch, attend, attendance, forget

_LONGEST_CHAIN = 8


def looking_at(nodes: list[Node]) -> Callable[[int], None]:
    """For a plan of these nodes: a function that is called after each of them, and refuses what is not finite."""
    makers = {p: node for node in nodes for p in node.outputs}

    def look(k: int) -> None:
        node, frame = nodes[k], sys._getframe(1)
        if node.prim.moves:
            return
        for p in node.outputs:
            array = frame.f_locals[f"t{p}"]
            if np.asarray(array).dtype.kind in "fcV" and not np.isfinite(array).all():
                raise invalid(_plan_report(node, makers, frame.f_globals | frame.f_locals, array))

    return look


class Checker(Provenance):
    """Refuses results that are not finite."""

    looks_inside = False  # of functions: plans tell of their values
    after_nodes = staticmethod(looking_at)

    def __init__(self) -> None:
        super().__init__()
        self.ranges: dict[int, str] = {}
        self.pulling: tuple[int, int] = (0, 0)  # ids of what is being differentiated and of the target's side of it

    def see(self, prim: Operation, args: tuple, params: dict, out: Any, mask: int) -> None:
        outs = out if type(out) is tuple else (out,)
        # Others hand on what somebody made; so do users' rules, calls, and what has graphs inside.
        made_here = prim.kernel is not None and not prim.moves
        for k, result in enumerate(outs):
            if not result.dtype.is_inexact or not isinstance(result, (EagerTensor, MappedTensor)):
                continue
            array = values_of(result)
            if made_here and not np.isfinite(array).all():
                raise invalid(self._report(prim, args, params, k, array))
            self.ranges[result.serial or identify(result)] = range_text(array)
        forget(self.ranges)
        super().see(prim, args, params, out, mask)

    def read(self, variable: Any, tensor: Any) -> None:
        super().read(variable, tensor)
        if isinstance(tensor, EagerTensor):
            self.ranges[tensor.serial] = range_text(tensor.array)

    def before_walk(self, tape: Recording, records: list) -> list:
        """The same records, which say which of them is being pulled."""
        return [
            Record(out, ids, pullback.around(partial(self._marked, out, ids)), saved)
            for out, ids, pullback, saved in records
        ]

    def _marked(self, out: int, ids: Any, pull: Callable) -> Callable:
        def pulled(ops: Any, g: Any, saved: Any) -> Any:
            self.pulling = out, ids if type(ids) is int else ids[0]
            try:
                return pull(ops, g, saved)
            finally:
                self.pulling = 0, 0

        return pulled

    def _report(self, prim: Operation, args: tuple, params: dict, k: int, array: Any) -> str:
        forward = _differentiated()
        what = f'op "{prim.name}"' + (f', part of the gradient of "{forward}"' if forward else "")
        lines = [
            _first_line(f"output {k} of " if prim.outputs else "", what, array),
            f"  {describe(prim, args, params)}",
        ]
        lines += [f"  input {i}: {range_text(values_of(a))}" for i, a in enumerate(args)]
        lines.append(f"  output: {range_text(array)}")
        out, source = self.pulling
        origin = self.origins.get(out)
        if forward and origin is not None:
            lines.append(
                f"  the forward operation: {origin.operation} at {origin.line}, of values "
                f"{self.ranges.get(source, 'not known')}"
            )
        start = [out] if forward else [a.serial for a in args]
        return "\n".join([*lines, *self._chain(start)])

    def _chain(self, ids: list[int]) -> list[str]:
        """How the values came about, the latest first."""
        found: list[str] = []
        seen: set[int] = set()
        while ids and len(found) < _LONGEST_CHAIN:
            origin = self.origins.get(i := ids.pop(0))
            if origin is None or id(origin) in seen:
                continue
            seen.add(id(origin))
            found.append(f"    {origin.operation} at {origin.line}, in {self.ranges.get(i, 'not known')}")
            ids.extend(origin.inputs)
        return ["  it came from, latest first:", *found] if found else []


def _plan_report(node: Any, makers: dict, values: dict, array: Any) -> str:
    known = lambda p: range_text(values[f"t{p}"]) if f"t{p}" in values else "not known"
    name = node.prim.name
    lines = [_first_line("", f'op "{name}" inside a tf.function', array), f"  In {name} at {node.line}"]
    lines += [f"  input {k}: {known(p)}" for k, p in enumerate(node.inputs)]
    lines.append(f"  output: {range_text(array)}")
    found: list[str] = []
    seen: set[int] = set()
    indices = list(node.inputs)
    while indices and len(found) < _LONGEST_CHAIN:
        maker = makers.get(p := indices.pop(0))
        if maker is None or id(maker) in seen:
            continue
        seen.add(id(maker))
        found.append(f"    {maker.prim.name} at {maker.line}, in {known(p)}")
        indices.extend(maker.inputs)
    return "\n".join([*lines, *(["  it came from, latest first:", *found] if found else [])])


def _first_line(output: str, what: str, array: Any) -> str:
    array = np.asarray(array)
    tests = (("infinite", np.isinf), ("NaN", np.isnan))
    counts = ", ".join(f"{int(test(array).sum())} {word}" for word, test in tests if test(array).any())
    return (
        f"Detected Infinity or NaN in {output}{what}: {counts} of {array.size} elements of a tensor of shape "
        f"{array.shape}."
    )


def range_text(array: Any) -> str:
    """`float32 (3, 4) from -1 to 2.5`, of the finite values, and what is not."""
    array = np.asarray(array)
    text = f"{array.dtype.name} {array.shape}"
    if array.dtype.kind not in "fciubV" or not array.size:
        return text
    numbers = np.abs(array) if array.dtype.kind == "c" else array
    if numbers.dtype.kind == "V" or numbers.dtype.name in ("bfloat16", "float16"):
        numbers = numbers.astype(np.float32)
    finite = numbers[np.isfinite(numbers)]
    if finite.size:
        low, high = finite.min(), finite.max()
        text += (
            f" from {low:.6g} to {high:.6g}"
            if low != high
            else f", all {low:.6g}"
            if array.size > 1
            else f" {low:.6g}"
        )
    rest = [
        f"{n} {word}" for n, word in ((np.isnan(numbers).sum(), "NaN"), (np.isinf(numbers).sum(), "infinite")) if n
    ]
    return f"{text} ({', '.join(rest)})" if rest else text


def _differentiated() -> str | None:
    """The operation whose rule is being run, if a backward walk is: the globals of what calls a rule say it."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if PULLBACK_OF in frame.f_globals:
            return frame.f_globals[PULLBACK_OF]
        frame = frame.f_back
    return None


class enable_check_numerics(Switch):
    """Makes operations that produce an infinity or a NaN raise InvalidArgumentError, also in gradients and inside
    functions.

    The message names the operation, its line, the ranges of its inputs, the chain of operations that led there and, in
    a backward pass, the forward operation. The check applies to this thread, until `disable_check_numerics()` or for
    the length of a `with` block.

    Args:
        stack_height_limit: Taken and not used.
        path_length_limit: Taken and not used.

    >>> with tf.debugging.enable_check_numerics():
    ...     try:
    ...         tf.math.log(tf.constant([1., 0.]))
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(str(error).splitlines()[0])
    Detected Infinity or NaN in op "log": 1 infinite of 2 elements of a tensor of shape (2,).
    """

    _kind = Checker

    def __init__(self, stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
        before = attendance(Checker)
        try:
            super().__init__()
        except BaseException:  # Ctrl-C, perhaps when it was done
            attend(Checker, before)
            raise


def disable_check_numerics() -> None:
    """Switches off what `enable_check_numerics` switched on.

    >>> tf.debugging.disable_check_numerics()
    >>> tf.math.log(0.).numpy()
    np.float32(-inf)
    """
    attend(Checker, Attendance(None, None))
