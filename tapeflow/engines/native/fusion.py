"""Expressions of elementwise operations as one call: a block of every value at a time, which stays in the cache."""

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import FLOAT32
from .calling import POINTER, function
from .layout import readable
from .library import library

# How an operand is spread over the result.
ELEMENT_BY_ELEMENT, ONE_ROW, ONE_NUMBER = range(3)

_LENGTHS = (512, 256, 128, 64)  # of blocks
_ROOM, _OPERANDS = 24576, 500  # floats that a thread keeps at a time; operands of an expression


class Step(NamedTuple):
    """An operation by its primitive's name; values are by any names."""

    name: str
    inputs: tuple
    output: Any


_call = function("fused", POINTER, POINTER, returns=True) if readable else None
_NUMBERS = {name: k for k, name in enumerate(library.instructions)} if _call is not None else {}


def has(name: str) -> bool:
    """Is there an instruction for the primitive of this name?"""
    return name in _NUMBERS


def expression(
    steps: Sequence[Step],
    spread: dict[Any, int | None],
    constants: dict[Any, float],
    results: Sequence[Any],
    shape: tuple,
) -> Callable | None:
    """The function from arrays and numbers, in the order of `spread`, to results of one shape; None where it would
    take too much at a time. `spread`: how each argument is spread over the result; one number that has no axes is
    given as such."""
    elements = int(np.prod(shape, dtype=np.int64))
    slots, kept = _kept(steps, results)
    arrays = [name for name, how in spread.items() if how is not None]
    numbers = [name for name, how in spread.items() if how is None]
    laid_out = len(spread) + len(constants)
    length = next((n for n in _lengths(elements) if (kept + laid_out) * n <= _ROOM), None)
    if length is None or kept + laid_out + len(results) > _OPERANDS:
        return None
    place = {name: kept + k for k, name in enumerate([*arrays, *numbers, *constants, *results])} | slots
    code: list[int] = []
    for step in steps:
        where = [place[name] for name in step.inputs]
        code += _NUMBERS[step.name], place[step.output], where[0], where[-1]
    counts = kept, len(arrays), len(numbers), len(constants), len(results), len(steps)
    head = elements, shape[-1] if shape else 1, length, *counts
    body = struct.pack(f"={len(head)}q{len(arrays)}q", *head, *[how for how in spread.values() if how is not None])
    body += struct.pack(f"={len(constants)}d{len(code)}q", *constants.values(), *code)
    return _written(body, list(spread), arrays, numbers, len(results), shape)


def _lengths(elements: int) -> list[int]:
    """Of blocks, the best first: no longer than what there is, in whole vectors."""
    whole = max(16, -(-elements // 16) * 16)
    return [min(n, whole) for n in _LENGTHS]


def _kept(steps: Sequence[Step], results: Sequence[Any]) -> tuple[dict[Any, int], int]:
    """Where values are kept that are no results, by name, and how many places that takes: a place is free again after
    the last use of its value."""
    last = {name: k for k, step in enumerate(steps) for name in step.inputs}
    places: dict[Any, int] = {}
    free: list[int] = []
    count = 0
    for k, step in enumerate(steps):
        free += {places[name] for name in step.inputs if name in places and last[name] == k}
        if step.output not in results:
            if not free:
                free.append(count)
                count += 1
            places[step.output] = free.pop()
    return places, count


def _written(body: bytes, arguments: list, arrays: list, numbers: list, results: int, shape: tuple) -> Callable:
    """The function, written out for as many arguments: that takes a microsecond less than loops would. Memory that
    results may be written to is given by `y0`, `y1`, …"""
    names = {name: f"x{k}" for k, name in enumerate(arguments)}
    given, outs = [names[a] for a in arrays], [f"y{k}" for k in range(results)]
    packed = ", ".join([f"id({x})" for x in given + outs] + [names[n] for n in numbers])
    lines = [f"def run({', '.join([*names.values(), *[f'{y}=None' for y in outs]])}):"]
    lines += [f"    {y} = empty(shape, dtype) if {y} is None else {y}" for y in outs]
    lines += [f"    if call(expression, pack({packed})):"]
    lines += [f"        {x} = whole({x}, dtype)" for x in given] + [f"        {y} = empty(shape, dtype)" for y in outs]
    lines += [f"        redo(expression, pack({packed}))"]
    lines += [f"    return {', '.join(outs)},"]
    env: dict[str, Any] = {
        "call": _call, "redo": _redo, "expression": body, "whole": _whole, "empty": np.empty,
        "shape": shape, "dtype": FLOAT32, "pack": struct.Struct(f"={len(given) + len(outs)}q{len(numbers)}d").pack,
    }  # fmt: skip
    exec("\n".join(lines), env)
    return env["run"]


def _whole(x: Any, dtype: Any) -> np.ndarray:
    fits = type(x) is np.ndarray and x.dtype is dtype and x.flags.c_contiguous and x.flags.aligned
    return x if fits else np.array(x, dtype, order="C")


def _redo(expression: bytes, call: bytes) -> None:
    assert _call is not None
    if _call(expression, call):
        raise SystemError("An array does not have the shape that the graph has for it. Please report this.")
