"""AutoGraph's last pass over the syntax tree: conditions and logic become calls, nodes get their source lines.

So the generated code can be compiled under the user's own file name: tracebacks, debuggers and our errors show the
user's lines, and no file is written.
"""

import ast
from collections.abc import Callable
from typing import Any

from .before import OPERATORS, operator, thunk

_STORED = {
    "Assign": ("targets",),
    "AugAssign": ("target",),
    "AnnAssign": ("target",),
    "For": ("target",),
    "withitem": ("optional_vars",),
    "comprehension": ("target",),
    "NamedExpr": ("target",),
    "Delete": ("targets",),
}
_IN_CONTEXT = ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Starred


class After(ast.NodeTransformer):
    def __init__(self, undefined: set[str], line_of: Callable[[ast.AST], int | None]) -> None:
        """`undefined`: variables that may hold a marker instead of a value."""
        self.undefined, self.line_of = undefined, line_of

    def visit_Name(self, node: ast.Name) -> Any:
        if (
            node.id in self.undefined and isinstance(node.ctx, ast.Load) and self.line_of(node)
        ):  # of the source, not put in by a pass
            return operator("ld", node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name) or node.target.id not in self.undefined:
            return node
        name = node.target.id
        return [ast.Assign([ast.Name(name, ast.Store())], operator("ld", ast.Name(name, ast.Load()))), node]

    def visit_Delete(self, node: ast.Delete) -> Any:
        """A variable that is deleted in a branch is undefined after it."""
        self.generic_visit(node)
        names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        made: list[ast.stmt] = [
            ast.Assign([ast.Name(n, ast.Store())], operator("Undefined", ast.Constant(n))) for n in names
        ]
        rest = [t for t in node.targets if not isinstance(t, ast.Name)]
        return [*made, ast.Delete(rest)] if rest else made

    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        return node.body if is_scope(node) else node

    # ---- logic

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if _assigns(node.body, node.orelse):
            return self.generic_visit(node)
        self.generic_visit(node)
        return operator("if_exp", node.test, thunk(node.body), thunk(node.orelse))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if _assigns(*node.values):
            return self.generic_visit(node)
        self.generic_visit(node)
        return operator("and_" if isinstance(node.op, ast.And) else "or_", *map(thunk, node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        return operator("not_", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c`, with each operand evaluated once."""
        if len(node.ops) == 1 or _assigns(*node.comparators):
            return self.generic_visit(node)
        self.generic_visit(node)
        compare = lambda op: thunk(ast.Compare(ast.Name("a", ast.Load()), [op], [ast.Name("b", ast.Load())]), "a", "b")
        links = [part for op, right in zip(node.ops, node.comparators) for part in (compare(op), thunk(right))]
        return operator("chained", node.left, *links)


def is_scope(node: ast.With) -> bool:
    """A block that only tells the passes where a function is."""
    expression = node.items[0].context_expr
    return (
        isinstance(expression, ast.Attribute)
        and isinstance(expression.value, ast.Name)
        and expression.value.id == OPERATORS
    )


def _assigns(*expressions: ast.expr) -> bool:
    """By `:=`, which would assign to another variable inside a lambda."""
    return any(isinstance(n, ast.NamedExpr) for e in expressions for n in ast.walk(e))


def undefined_names(node: ast.AST) -> set[str]:
    """The variables that are assigned `ag__.Undefined(...)`, or deleted."""
    found = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and isinstance(n.value.func, ast.Attribute):
            if n.value.func.attr == "Undefined" and isinstance(n.targets[0], ast.Name):
                found.add(n.targets[0].id)
        elif isinstance(n, ast.Delete):
            found.update(t.id for t in n.targets if isinstance(t, ast.Name))
    return found


def place(node: Any, line: int, line_of: Callable[[ast.AST], int | None]) -> int:
    """Gives the node and all in it a line: its own, or the last that was seen before it. Returns the last one.

    Code that was put together by passes is made well-formed on the way: contexts of names, lists where lists belong.
    """
    line = line_of(node) or line
    if "lineno" in node._attributes:  # no columns: those of the source are not those of this code
        node.lineno = node.end_lineno = line
        node.col_offset = node.end_col_offset = -1
    last = line
    stored = _STORED.get(type(node).__name__, ())
    for field in type(node)._fields:
        value = getattr(node, field, None)
        if isinstance(value, tuple):
            value = list(value)
            setattr(node, field, value)
        parts = value if isinstance(value, list) else [value]
        context: type[ast.expr_context] = ast.Load
        if field in stored:
            context = ast.Del if isinstance(node, ast.Delete) else ast.Store
        if isinstance(node, (ast.Tuple, ast.List, ast.Starred)):  # `a, *b = c` assigns to what is inside
            context = type(node.ctx)
        for part in parts:
            if isinstance(part, ast.AST):
                if isinstance(part, _IN_CONTEXT):
                    part.ctx = context()
                last = place(part, last, line_of)
    return last
