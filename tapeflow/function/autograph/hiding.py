"""Speed of AutoGraph: expressions are hidden from passes that only need to know which variables they read. Most of the
time of a conversion went there."""

import ast
from typing import Any

from malt.pyct import anno

from .before import OPERATORS

_HIDDEN = anno.Basic.DIRECTIVES  # which passes keep in copies, and look at in loops only
_PLACES = {
    ast.Assign: "value", ast.AugAssign: "value", ast.AnnAssign: "value", ast.Expr: "value", ast.Return: "value",
    ast.If: "test", ast.While: "test", ast.For: "iter", ast.withitem: "context_expr",
}  # fmt: skip
_SMALL = ast.Name, ast.Constant


def hide(node: ast.AST) -> None:
    """Puts `{x, self.y}` in the place of every expression that reads these."""
    for n in list(ast.walk(node)):
        place = _PLACES.get(type(n))
        expression = getattr(n, place) if place else None
        if (
            place is None
            or expression is None
            or isinstance(expression, _SMALL)
            or any(isinstance(e, ast.NamedExpr) for e in ast.walk(expression))
        ):
            continue
        reads: dict[str, ast.expr] = {}
        _find_reads(expression, frozenset({OPERATORS}), reads)
        stand_in = ast.Set(list(reads.values()))
        anno.setanno(stand_in, _HIDDEN, expression)
        setattr(n, place, stand_in)


class Shown(ast.NodeTransformer):
    """Puts them back."""

    def visit_Set(self, node: ast.Set) -> Any:
        return anno.getanno(node, _HIDDEN, default=node)


def _find_reads(node: ast.AST, bound: frozenset[str], reads: dict[str, ast.expr]) -> None:
    """Variables, and what they are the first part of, without those that the expression binds itself."""
    name = _name(node)
    if name is not None:
        if name.partition(".")[0].partition("[")[0] not in bound:
            reads.setdefault(name, node)  # type: ignore[arg-type]
        if isinstance(node, (ast.Name, ast.Attribute)):
            return
    if isinstance(node, ast.Lambda):
        arguments = node.args
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            if default is not None:
                _find_reads(default, bound, reads)
        own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        _find_reads(node.body, bound | {a.arg for a in own if a is not None}, reads)
        return
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        targets = [n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
        _find_reads(node.generators[0].iter, bound, reads)
        bound = bound | set(targets)
    for child in ast.iter_child_nodes(node):
        _find_reads(child, bound, reads)


def _name(node: ast.AST) -> str | None:
    """`x`, `self.y`, `d["a"]`, `d[k]`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _name(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Name, ast.Constant)):
        inner = _name(node.value)
        return None if inner is None else f"{inner}[{ast.dump(node.slice)}]"
    return None
