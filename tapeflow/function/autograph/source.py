"""The source code of a function, parsed, with the line numbers of its file."""

import ast
import copy
import functools
import inspect
import linecache
import textwrap
from tokenize import TokenError
from types import FunctionType
from typing import Any

from .before import NotConvertible


def parsed(function: FunctionType) -> Any:
    """The definition of a function or lambda."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NotConvertible("its source is not there")
    return _lambda(code, "".join(lines)) if code.co_name == "<lambda>" else _definition(code, lines)


def _definition(code: Any, lines: list[str]) -> Any:
    first = code.co_firstlineno - 1  # of the decorators, if there are any
    try:
        text = textwrap.dedent("".join(inspect.getblock(lines[first:])))
        [node] = ast.parse(text).body
    except (SyntaxError, TokenError, ValueError, IndexError) as error:  # a string at the left margin, for example
        node = _found(code, "".join(lines), error)
    else:
        ast.increment_lineno(node, first)
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        raise NotConvertible("its source is not there any more")
    return node


def _found(code: Any, source: str, error: Exception) -> Any:
    for node in _nodes(source):
        first = min([node.lineno, *[d.lineno for d in getattr(node, "decorator_list", ())]])
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and first == code.co_firstlineno:
            return copy.deepcopy(node)
    raise NotConvertible(f"its source cannot be read: {error}")


def _lambda(code: Any, source: str) -> Any:
    """Several may begin in one line. Instructions know the columns that they come from."""
    columns = [(line, column) for line, _, column, _ in code.co_positions() if line and column]  # column 0: made up
    inside = lambda node: all(
        (node.lineno, node.col_offset) <= p < (node.end_lineno, node.end_col_offset) for p in columns
    )
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    named = lambda node: (
        names == tuple([a.arg for a in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]])
    )
    found = [
        n
        for n in _nodes(source)
        if isinstance(n, ast.Lambda) and n.lineno == code.co_firstlineno and inside(n) and named(n)
    ]
    innermost = [n for n in found if not any(m is not n and m in set(ast.walk(n)) for m in found)]
    if len(innermost) != 1:
        raise NotConvertible(
            "its source is not there" if not found else "there are several lambdas like it in one line"
        )
    return copy.deepcopy(innermost[0])


@functools.lru_cache(maxsize=16)
def _nodes(source: str) -> list[Any]:
    try:
        return [n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.Lambda, ast.FunctionDef))]
    except SyntaxError:  # a cell of a notebook with commands in it
        return []
