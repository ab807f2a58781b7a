"""AutoGraph's `and`, `or`, `not`, chained comparisons and assertions, of symbolic tensors too."""

from collections.abc import Callable
from typing import Any

from tapeflow.core.dtypes import bool_
from tapeflow.core.frames import current
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.function.tracing.effects import AT_EVERY_RUN, later
from tapeflow.function.tracing.graph import Graph
from tapeflow.function.tracing.regions import Region

from .branches import choose
from .symbolic import is_scalar, is_symbolic, negated, truth

# What may be computed although the first operand says that it need not: it cannot fail, and costs next to nothing.
_HARMLESS = frozenset(
    """less less_equal greater greater_equal equal not_equal logical_and logical_or logical_not add sub mul neg abs
    minimum maximum is_finite is_nan is_inf isfinite isnan isinf cast reshape identity""".split()
)


def and_(*operands: Callable) -> Any:
    """`a and b and ...`: each operand is evaluated only if those before it are true."""
    return _joined(operands, True)


def or_(*operands: Callable) -> Any:
    """`a or b or ...`: each operand is evaluated only if those before it are false."""
    return _joined(operands, False)


def _joined(operands: tuple[Callable, ...], goes_on: bool) -> Any:
    done = 0
    for operand in operands:
        value = operand()
        done += 1
        if is_symbolic(value):
            break
        if done < len(operands) and bool(value) is not goes_on:  # of the last one Python does not ask the truth
            return value
    rest = operands[done:]
    if not rest:
        return value
    if _is_truth(value) and _is_harmless(lambda: _joined(rest, goes_on)):
        return (ops.logical_and if goes_on else ops.logical_or)(value, truth(_joined(rest, goes_on)))
    own, others = (lambda: (value,)), (lambda: (_joined(rest, goes_on),))
    name = "the result of `and`" if goes_on else "the result of `or`"
    return choose(value, *(others, own) if goes_on else (own, others), (name,))[0]


def _is_truth(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype is bool_ and is_scalar(value)


def _is_harmless(operand: Callable) -> bool:
    """Is it a single boolean, of operations that cannot fail?"""
    if not isinstance(current().executor, Graph):
        return False
    value: Any = None

    def once() -> None:
        nonlocal value
        value = operand()

    graph = Region(once).graph
    effects = graph.assigned or graph.keys_drawn
    return (
        (isinstance(value, bool) or _is_truth(value))
        and not effects
        and all(n.prim.name in _HARMLESS for n in graph.nodes)
    )


def not_(value: Any) -> Any:
    """`not value`."""
    return negated(value) if is_symbolic(value) else not value


def chained(left: Any, *links: Callable) -> Any:
    """`left < b < c`: links are a comparison, and a function that gives its right operand, by turns."""
    result: Any = None
    for compare, operand in zip(links[::2], links[1::2]):
        right = operand()
        holds = compare(left, right)
        if result is None or not is_symbolic(result):
            result = holds
        else:
            result = ops.logical_and(truth(result), truth(holds))
        if not is_symbolic(result) and not result:
            return result
        left = right
    return result


def assert_stmt(test: Any, message: Callable | None = None) -> None:
    """`assert test, message()`."""
    if not is_symbolic(test):
        _check(test, *[] if message is None or test else [message()])
        return
    said = [] if message is None else [message()]
    words = [m if isinstance(m, str) or is_symbolic(m) else str(m) for m in said]
    later(_check, (truth(test), *words), {}, "assert", checks=True)


def _check(test: Any, *message: Any) -> None:
    if not test:
        raise AssertionError(*message)


AT_EVERY_RUN["assert"] = _check
