"""The passes of AutoGraph in their order: control flow becomes calls of operators, with the help of the package
`malt`."""

import ast
from collections.abc import Callable
from typing import Any

from malt.converters import break_statements, continue_statements, control_flow, return_statements
from malt.core import converter
from malt.lang import directives
from malt.pyct import anno, cfg, naming, qual_names, transformer
from malt.pyct.static_analysis import activity, liveness, reaching_definitions, reaching_fndefs

from .after import After, place, undefined_names
from .before import OPERATORS, Before, NotConvertible, operator
from .hiding import Shown, hide

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
        hide(node)
        _name_errors(node, lambda name: ast.Name(name, ast.Store()))  # as the passes expect them
        if before.has_early_returns:
            _scoped(node)
        if before.has_breaks or any(
            getattr(n, "orelse", None) for n in ast.walk(node) if isinstance(n, (ast.For, ast.While))
        ):
            node = break_statements.transform(node, context)
        if before.has_breaks or before.has_continues:
            node = continue_statements.transform(node, context)
        if before.has_early_returns:
            node = return_statements.transform(node, context)
        node = Shown().visit(_taken_apart(node, context))
        _name_errors(node, lambda name: name.id)
        return node
    except NotConvertible:
        raise
    except Exception as error:
        raise NotConvertible(f"{type(error).__name__}: {error}") from error


def _name_errors(node: Any, named: Callable[[Any], Any]) -> None:
    """Writes the `error` of every `except E as error` in another way."""
    for n in ast.walk(node):
        if isinstance(n, ast.ExceptHandler) and n.name is not None:
            n.name = named(n.name)


def _taken_apart(node: Any, context: Any) -> Any:
    graphs = cfg.build(node)
    node = activity.resolve(qual_names.resolve(node), context, None)
    for analysis in (reaching_definitions, reaching_fndefs, liveness):
        node = analysis.resolve(node, context, graphs)
    return _ControlFlow(context).visit(node)


class _ControlFlow(control_flow.ControlFlowTransformer):
    def _get_block_vars(self, node: Any, modified: Any) -> tuple:
        """(The variables of a block; those without a value before it; how many of the first are used later). Variables
        of the surroundings are, by whoever comes after this function."""
        names, undefined, count = super()._get_block_vars(node, modified)
        scope = self.state[control_flow._Function].scope
        used = [*names[:count], *[n for n in names[count:] if n in scope.nonlocals or n in scope.globals]]
        return [*used, *[n for n in names if n not in used]], undefined, len(used)


def _scoped(node: ast.AST) -> None:
    """Every function's body in a block, `with ag__:`, where the pass for `return` looks for it. It does not stay."""
    for n in ast.walk(node):
        if isinstance(n, ast.FunctionDef):
            documented = (
                isinstance(n.body[0], ast.Expr) and isinstance(n.body[0].value, ast.Constant) and len(n.body) > 1
            )
            kept = n.body[:1] if documented else []
            block = ast.With([ast.withitem(operator("scope"), None)], n.body[len(kept) :])
            n.body = [*kept, block]
            anno.setanno(n, "function_context_name", OPERATORS)


def _line_of(node: ast.AST) -> int | None:
    return anno.getanno(node, _LINE, default=None)
