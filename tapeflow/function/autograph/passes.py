"""From a function's code to code in which control flow is calls of operators, with the passes of the package `malt`."""

import ast
from typing import Any

from malt.converters import break_statements, continue_statements, control_flow, return_statements
from malt.core import converter
from malt.lang import directives
from malt.pyct import anno, naming, transformer

from .after import After, place, undefined_names
from .before import OPERATORS, Before, NotConvertible, operator

_LINE = anno.Basic.ORIGIN  # copies of nodes keep it, and what takes the place of a node inherits it


def transformed(node: Any, before: Before, names: Any) -> Any:
    """A function definition or lambda, converted; `names` are those that generated variables must not have."""
    for n in ast.walk(node):
        if isinstance(n, (ast.stmt, ast.Name)):  # the rest of an expression is where its names are
            anno.setanno(n, _LINE, n.lineno)
    first = node.lineno
    is_lambda = isinstance(node, ast.Lambda)
    node = before.whole(node)
    if before.has_branches and not is_lambda:
        info = transformer.EntityInfo(
            name=OPERATORS, source_code="", source_file="", future_features=(), namespace={},
        )  # fmt: skip
        context = transformer.Context(info, naming.Namer(names), converter.ProgramContext(converter.STANDARD_OPTIONS))
        node = _control_flow(node, before, context)
    place(node, first, _line_of)
    node = After(undefined_names(node), _line_of).visit(node)
    place(node, first, _line_of)
    return node


def _control_flow(node: Any, before: Before, context: Any) -> Any:
    for loop, options in before.options.items():
        anno.setanno(loop, anno.Basic.DIRECTIVES, {directives.set_loop_options: options})
    try:
        if before.has_early_returns:
            _scoped(node)
        if before.has_breaks or any(getattr(n, "orelse", None) for n in ast.walk(node) if isinstance(n, (ast.For, ast.While))):
            node = break_statements.transform(node, context)
        if before.has_breaks or before.has_continues:
            node = continue_statements.transform(node, context)
        if before.has_early_returns:
            node = return_statements.transform(node, context)
        return control_flow.transform(node, context)
    except NotConvertible:
        raise
    except Exception as error:
        raise NotConvertible(f"{type(error).__name__}: {error}") from error




def _scoped(node: ast.AST) -> None:
    """Every function's body in a block, `with ag__:`, where the pass for `return` looks for it. It does not stay."""
    for n in ast.walk(node):
        if isinstance(n, ast.FunctionDef):
            documented = isinstance(n.body[0], ast.Expr) and isinstance(n.body[0].value, ast.Constant) and len(n.body) > 1
            kept = n.body[:1] if documented else []
            block = ast.With([ast.withitem(operator("scope"), None)], n.body[len(kept) :])
            n.body = [*kept, block]
            anno.setanno(n, "function_context_name", OPERATORS)


def _line_of(node: ast.AST) -> int | None:
    return anno.getanno(node, _LINE, default=None)
