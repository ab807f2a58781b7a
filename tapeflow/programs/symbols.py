"""Which names of TensorFlow a program uses, read from its syntax tree: nothing is run.

Names are followed through imports (`from tensorflow.keras import layers as L`), assignments (`K = tf.keras.backend`)
and scopes; a parameter or another value of the same name hides them.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ROOTS = ("tensorflow", "tapeflow")
_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
# Errors that a program catches when it tries whether something is there.
_ABSENCE = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
_Scope = dict[str, str | None]  # what a name stands for: a dotted name of TensorFlow, or something else


@dataclass(frozen=True, order=True)
class Use:
    """One use of a name: `tf.math.sin` in line 3. `guarded` where the program handles that it might not be there."""

    line: int
    name: str
    guarded: bool = False


def uses(tree: ast.AST, is_namespace: Callable[[str], bool], members: Callable[[str], list[str]]) -> list[Use]:
    """The uses of TensorFlow in a program, in the order of lines. `is_namespace` says of a dotted name whether it is a
    module, `members` what a module hands out to `from module import *`.

    >>> import ast
    >>> from tapeflow.programs.symbols import uses
    >>> program = "import tensorflow as tf\\nm = tf.math\\nprint(m.sin(tf.constant(1.).shape))"
    >>> uses(ast.parse(program), lambda name: name in ("tf", "tf.math"), lambda name: [])
    [Use(line=3, name='tf.constant', guarded=False), Use(line=3, name='tf.math.sin', guarded=False)]
    """
    reader = _Reader(is_namespace, members)
    reader.body(tree, [{}])
    while reader.later:  # the bodies of functions, which run when all that is around them is there
        node, scopes = reader.later.pop(0)
        reader.visit(node, scopes)
    return sorted(set(reader.found))


def public(dotted: str) -> str:
    """`tensorflow.math.sin` as `tf.math.sin`.

    >>> from tapeflow.programs.symbols import public
    >>> public("tensorflow.compat.v2.math.sin"), public("tensorflow.python.ops.math_ops")
    ('tf.math.sin', 'tensorflow.python.ops.math_ops')
    """
    root, *rest = dotted.split(".")
    if root not in ROOTS or rest[:1] in (["python"], ["core"]):
        return dotted
    while rest[:2] == ["compat", "v2"]:
        rest = rest[2:]
    return ".".join(["tf", *rest])


class _Reader:
    def __init__(self, is_namespace: Callable[[str], bool], members: Callable[[str], list[str]]) -> None:
        self.is_namespace, self.members = is_namespace, members
        self.found: list[Use] = []
        self.later: list[tuple[ast.AST, list[_Scope]]] = []
        self.guards = 0

    def body(self, node: ast.AST, scopes: list[_Scope]) -> None:
        for child in ast.iter_child_nodes(node):
            self.visit(child, scopes)

    def visit(self, node: ast.AST, scopes: list[_Scope]) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    self._import(node, alias, scopes[-1])
            case ast.ImportFrom(level=0, module=str(module)) if _is_tensorflow(module):
                self._import_from(node, public(module), scopes[-1])
            case ast.ImportFrom():
                if node.level == 0 and (top := str(node.module).split(".")[0]).startswith("tensorflow_"):
                    self._use(node.lineno, top)
                scopes[-1].update({alias.asname or alias.name: None for alias in node.names})
            case ast.Attribute() | ast.Name() if (name := self._dotted(node, scopes)) is not None:
                if isinstance(node.ctx, ast.Load) and not self.is_namespace(name):
                    self._use(node.lineno, name)
            case ast.Assign(targets=[ast.Name(id=target)]):
                self.visit(node.value, scopes)
                scopes[-1][target] = self._dotted(node.value, scopes)
            case ast.Call(func=ast.Name(id="getattr"), args=[space, ast.Constant(value=str(member))]) if (
                name := self._dotted(space, scopes)
            ) is not None:
                self._use(node.lineno, f"{name}.{member}")
            case ast.Try() if any(_catches_absence(handler.type) for handler in node.handlers):
                self.guards += 1
                for statement in node.body:
                    self.visit(statement, scopes)
                self.guards -= 1
                for rest in (*node.handlers, *node.orelse, *node.finalbody):
                    self.visit(rest, scopes)
            case _ if isinstance(node, _SCOPES):
                self._scope(node, scopes)
            case _:
                for target in _bound_here(node):
                    scopes[-1][target] = None
                self.body(node, scopes)

    def _use(self, line: int, name: str) -> None:
        self.found.append(Use(line, name, self.guards > 0))

    def _import(self, node: ast.Import, alias: ast.alias, scope: _Scope) -> None:
        top = alias.name.split(".")[0]
        if not _is_tensorflow(alias.name):
            scope[alias.asname or top] = None
            if top.startswith("tensorflow_"):
                self._use(node.lineno, top)
            return
        scope[alias.asname or top] = public(alias.name) if alias.asname else "tf"
        if not self.is_namespace(public(alias.name)):
            self._use(node.lineno, public(alias.name))

    def _import_from(self, node: ast.ImportFrom, module: str, scope: _Scope) -> None:
        for alias in node.names:
            if alias.name == "*":
                scope.update({name: f"{module}.{name}" for name in self.members(module)})
                continue
            name = (
                public(f"tensorflow{module[2:]}.{alias.name}") if module.startswith("tf") else f"{module}.{alias.name}"
            )
            scope[alias.asname or alias.name] = name
            if not self.is_namespace(name):
                self._use(node.lineno, name)

    def _scope(self, node: ast.AST, scopes: list[_Scope]) -> None:
        arguments = getattr(node, "args", None)
        outside = [*getattr(node, "decorator_list", ()), *getattr(node, "bases", ()), *_outside(arguments)]
        for part in outside:
            self.visit(part, scopes)
        inner: _Scope = {
            argument.arg: None
            for argument in ast.walk(arguments or node)
            if isinstance(argument, ast.arg) and arguments
        }
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scopes[-1][node.name] = None
        children = [child for child in ast.iter_child_nodes(node) if child is not arguments and child not in outside]
        children.sort(
            key=lambda child: not isinstance(child, ast.comprehension)
        )  # loop variables first: they hide names
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            self.later += [(child, [*scopes, inner]) for child in children]
        else:
            for child in children:
                self.visit(child, [*scopes, inner])

    def _dotted(self, node: ast.AST, scopes: list[_Scope]) -> str | None:
        """The name of TensorFlow that an expression is, through any number of attributes."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        base = next((scope[node.id] for scope in reversed(scopes) if node.id in scope), None)
        if base is None:
            return None
        full = ".".join([base, *attributes])
        return public("tensorflow" + full[2:]) if full.startswith("tf.") else full


def _is_tensorflow(module: str) -> bool:
    return module.split(".")[0] in ROOTS


def _catches_absence(caught: ast.AST | None) -> bool:
    return caught is None or any(isinstance(part, ast.Name) and part.id in _ABSENCE for part in ast.walk(caught))


def _bound_here(node: ast.AST) -> Iterator[str]:
    """Names that a statement gives another meaning: loop variables, `with … as`, targets of assignments, `except …
    as`."""
    targets: list[ast.AST] = []
    match node:
        case ast.Assign():
            targets = list(node.targets)
        case ast.For() | ast.AsyncFor() | ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr() | ast.comprehension():
            targets = [node.target]
        case ast.withitem(optional_vars=ast.AST() as bound):
            targets = [bound]
        case ast.ExceptHandler(name=str(name)):
            yield name
    for target in targets:
        yield from (
            part.id for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        )


def _outside(arguments: ast.AST | None) -> list[ast.AST]:
    """What of a function's parameters is evaluated where the function is defined: defaults and annotations."""
    if arguments is None:
        return []
    notes = [
        argument.annotation
        for argument in ast.walk(arguments)
        if isinstance(argument, ast.arg) and argument.annotation
    ]
    defaults = (*arguments.defaults, *arguments.kw_defaults)  # type: ignore[attr-defined]
    return [*notes, *(default for default in defaults if default is not None)]
