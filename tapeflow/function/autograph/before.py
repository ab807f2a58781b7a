"""AutoGraph's first pass over the syntax tree, before control flow is converted: calls, comprehensions, refusals.

Calls become `ag__.called(f)(...)`, so that the functions that are called are converted too. Loops of comprehensions,
assertions and changes of lists ask operators of ours first. What no pass understands is refused, and the function then
runs as it is.
"""

import ast
from collections.abc import Callable
from typing import Any

OPERATORS = "ag__"  # the name under which generated code finds the operators
_NEED_THEIR_FRAME = {"locals", "globals", "eval", "exec", "vars", "dir", "breakpoint", "super"}
_DISPLAYS = ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp
_IN_PLACE = ast.Add, ast.Mult, ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub
_REFUSED = {
    "Yield": "a generator", "YieldFrom": "a generator", "Await": "a coroutine", "AsyncFor": "a coroutine",
    "AsyncWith": "a coroutine", "AsyncFunctionDef": "a coroutine", "Match": "a `match` statement",
    "TryStar": "an `except*` clause", "ClassDef": "a class",
}  # fmt: skip


class NotConvertible(Exception):
    """The code of a function cannot be converted: there is no source, or it uses what conversion does not know."""


def operator(name: str, *args: ast.expr) -> ast.expr:
    """`ag__.name`, called with the arguments if there are any."""
    function = ast.Attribute(ast.Name(OPERATORS, ast.Load()), name, ast.Load())
    return ast.Call(function, list(args), []) if args else function


def call(name: str) -> ast.stmt:
    """The statement `ag__.name()`."""
    return ast.Expr(ast.Call(operator(name), [], []))


def thunk(value: ast.expr, *names: str) -> ast.Lambda:
    """`lambda names: value`."""
    args = [ast.arg(name, None) for name in names]
    return ast.Lambda(ast.arguments([], args, None, [], [], None, []), value)


class Before(ast.NodeTransformer):
    def __init__(
        self, is_loop_options: Callable[[ast.expr], bool], class_name: str, first_argument: str | None
    ) -> None:
        """`is_loop_options`: does an expression mean `set_loop_options`? The class and the first argument are for
        `super()`."""
        self.is_loop_options, self.class_name, self.first_argument = is_loop_options, class_name, first_argument
        self.has_branches = self.has_breaks = self.has_continues = self.has_early_returns = False
        self.loops: list[Any] = []
        self.tries = 0
        self.options: dict[ast.AST, dict[str, ast.expr]] = {}  # of loops, as `set_loop_options` says them

    def visit(self, node: ast.AST) -> Any:
        refused = _REFUSED.get(type(node).__name__)
        if refused is not None:
            raise NotConvertible(f"it contains {refused}")
        return super().visit(node)

    # ---- functions

    def whole(self, node: Any) -> Any:
        """The function itself: decorators, defaults and annotations were evaluated when it was defined."""
        if isinstance(node, ast.Lambda):
            node.args = _bare(node.args)
            node.body = self.visit(node.body)
            return node
        node.decorator_list, node.returns, node.args = [], None, _bare(node.args)
        return self._defined(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        self._visit_defaults(node.args)
        return self._defined(node)

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(d) for d in arguments.defaults]
        arguments.kw_defaults = [d and self.visit(d) for d in arguments.kw_defaults]

    def _defined(self, node: ast.FunctionDef) -> ast.FunctionDef:
        last = node.body[-1]
        returns = [n for n in _own(node) if isinstance(n, ast.Return)]
        self.has_early_returns |= bool(returns) and returns != [last]
        loops, self.loops = self.loops, []
        node.body = self._block(node.body)
        self.loops = loops
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        self._visit_defaults(node.args)
        node.body = self.visit(node.body)
        return node

    # ---- names that Python mangles in a class, where this code no longer is

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        node.attr = self._mangled(node.attr)
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        node.id = self._mangled(node.id)
        return node

    def _mangled(self, name: str) -> str:
        private = self.class_name and name.startswith("__") and not name.endswith("__")
        return f"_{self.class_name.lstrip('_')}{name}" if private else name

    # ---- calls

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name == "super" and not node.args:  # finds its arguments in the frame, which is another one here
            if self.first_argument is None:
                raise NotConvertible("it calls super() where there is no argument")
            node.args = [ast.Name("__class__", ast.Load()), ast.Name(self.first_argument, ast.Load())]
        if name in _NEED_THEIR_FRAME or _dotted(node.func) in ("pdb.set_trace", "ipdb.set_trace"):
            return node
        node.func = operator("called", node.func)
        return node

    # ---- statements

    def visit_If(self, node: ast.If) -> Any:
        self.has_branches = True
        node.test = self.visit(node.test)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> Any:
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)):
            raise NotConvertible("the condition of a loop assigns by `:=`")
        node.test = self.visit(node.test)
        return self._loop(node)

    def visit_For(self, node: ast.For) -> Any:
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        called = node.iter.func if isinstance(node.iter, ast.Call) else None
        if isinstance(called, ast.Call) and isinstance(called.func, ast.Attribute):
            called.func.attr = "called_for_loop"  # a range need not be a tensor there
        return self._loop(node)

    def _loop(self, node: Any) -> Any:
        self.has_branches = True
        self.loops.append(node)
        node.body = self._block(node.body)
        self.loops.pop()
        node.orelse = self._block(node.orelse)
        return node

    def visit_Break(self, node: ast.Break) -> Any:
        self.has_breaks = True
        return node

    def visit_Continue(self, node: ast.Continue) -> Any:
        self.has_continues = True
        return node

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            got = self.visit(statement)
            if got is not None:
                made.extend(got if isinstance(got, list) else [got])
        return made or [ast.Pass()] if statements else []

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = node.value
        if isinstance(call, ast.Call) and self.is_loop_options(call.func):
            if not self.loops:
                raise ValueError(
                    f"set_loop_options says how a loop runs; call it first thing in a loop, not at line {node.lineno}."
                )
            names = ["parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants"]
            given = dict(zip(names, call.args)) | {k.arg: k.value for k in call.keywords if k.arg}
            self.options[self.loops[-1]] = {name: self.visit(value) for name, value in given.items()}
            return None
        return self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        if not __debug__:  # python -O leaves assertions out
            return node
        message = [] if node.msg is None else [thunk(node.msg)]
        return ast.Expr(operator("assert_stmt", node.test, *message))

    def visit_Raise(self, node: ast.Raise) -> Any:
        self.generic_visit(node)
        return node if self.tries or node.exc is None else [call("raises"), node]

    def visit_Try(self, node: ast.Try) -> Any:
        self.tries += 1
        node.body = self._block(node.body)
        self.tries -= 1
        node.handlers = [self.visit(h) for h in node.handlers]
        node.orelse, node.finalbody = self._block(node.orelse), self._block(node.finalbody)
        return node

    # ---- lists: in code that is traced once and runs often, changing one goes wrong

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if isinstance(node.value, _DISPLAYS):
            node.value = operator("made", node.value)
        changed = [t.value for t in node.targets if isinstance(t, ast.Subscript) and not _has_a_name(t)]
        return [*[ast.Expr(operator("changed", c)) for c in map(_loaded, changed)], node] if changed else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not isinstance(node.op, _IN_PLACE) or isinstance(node.value, ast.Constant):
            return node
        target = (
            node.target.value
            if isinstance(node.target, ast.Subscript) and not _has_a_name(node.target)
            else node.target
        )
        return [ast.Expr(operator("changed", _loaded(target))), node]

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        node.iter = operator("rows", node.iter)
        return node


def _bare(arguments: ast.arguments) -> ast.arguments:
    """Without defaults, which the function keeps as values, and annotations."""
    none = lambda values: [v and ast.Constant(None) for v in values]
    arguments.defaults, arguments.kw_defaults = none(arguments.defaults), none(arguments.kw_defaults)
    for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if a is not None:
            a.annotation = None
    return arguments


def _own(function: ast.FunctionDef):
    """The nodes of the function, without those of functions in it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            stack.extend(ast.iter_child_nodes(node))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else "?"


def _has_a_name(node: ast.Subscript) -> bool:
    """`d["a"]`, `self.d[k]`: then it is part of the state of a branch or a loop, like a variable."""
    return "?" not in _dotted(node.value) and isinstance(node.slice, (ast.Constant, ast.Name))


def _loaded(node: Any) -> Any:
    """A copy of a target, to be read."""
    copy = ast.parse(ast.unparse(node), mode="eval").body
    for n in ast.walk(copy):
        if hasattr(n, "lineno"):
            ast.copy_location(n, node)
    return copy
