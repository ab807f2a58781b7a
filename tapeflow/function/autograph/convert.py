"""Which functions AutoGraph converts, and how the converted function is made and cached.

A function is converted once for its code; what it closes over, its globals and its defaults stay those of the
original.
"""

import ast
import functools
import logging
import os
import sysconfig
from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from tapeflow.core.runtime import settings
from tapeflow.core.runtime.locks import Lock

from .before import OPERATORS, Before, NotConvertible
from .source import parsed

_LIBRARIES = {"tapeflow", "numpy", "keras", "keras_tapeflow", "jax", "malt", "optree", "scipy"}
_FUTURE = 0x1FF0000  # the flags of `from __future__` in a code object
_log = logging.getLogger("tapeflow")
_lock = Lock()
_made: WeakKeyDictionary[CodeType, Any] = WeakKeyDictionary()  # code -> what makes the converted function, or None
_generated: WeakSet[CodeType] = WeakSet()


def converted(function: Callable) -> Callable:
    """A function that does the same, and whose branches and loops may depend on tensors that have no value yet.

    The function itself if it is not the user's own, is marked by `do_not_convert`, or has no source.
    """
    own = getattr(function, "_converted", None)  # says itself what it becomes
    if own is not None:
        return own()
    if isinstance(function, FunctionType):
        make = _maker(function)
        return function if make is None else make(function)
    if isinstance(function, MethodType):
        inner = converted(function.__func__)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    if isinstance(function, functools.partial):
        inner = converted(function.func)
        return function if inner is function.func else functools.partial(inner, *function.args, **function.keywords)
    call = type(function).__call__ if callable(function) else None
    if isinstance(call, FunctionType) and not isinstance(function, type):
        inner = converted(call)
        return function if inner is call else MethodType(inner, function)
    return function


def is_ours(function: Any) -> bool:
    """Is it a function of this library?"""
    return (getattr(function, "__module__", None) or "").partition(".")[0] in ("tapeflow", "tensorflow")


def is_converted(function: Callable) -> bool:
    """Has `converted` made it, or is it part of what it made?"""
    return getattr(getattr(function, "__func__", function), "__code__", None) in _generated


def generated_code(function: Callable) -> str:
    """The code of a converted function, as text."""
    while not isinstance(function, FunctionType):
        function = getattr(function, "__func__", None) or getattr(function, "func", None) or type(function).__call__
    return ast.unparse(_transformed(function))


def _maker(function: FunctionType) -> Callable[[FunctionType], FunctionType] | None:
    code = function.__code__
    make = _made.get(code, _made)
    if make is not _made:
        return make
    if code in _generated or not _is_users(function.__globals__.get("__name__", ""), code.co_filename):
        return None
    with _lock:
        if code not in _made:
            try:
                _made[code] = _Maker(function)
            except NotConvertible as error:
                _made[code] = None
                level = logging.WARNING if settings.autograph_verbosity else logging.INFO
                _log.log(
                    level, "AutoGraph does not convert %s, and runs it as it is: %s.", function.__qualname__, error
                )
        return _made[code]


class _Maker:
    """Makes converted functions of one code."""

    def __init__(self, function: FunctionType) -> None:
        from . import operators  # which convert what is called

        self.operators = operators
        code = function.__code__
        node = _transformed(function)
        if isinstance(node, ast.Lambda):
            name = f"{OPERATORS}lambda"
            definition: ast.stmt = ast.Assign([ast.Name(name, ast.Store())], node)
        else:  # under a name of its own, since the function may call itself by its name
            name = node.name = f"{OPERATORS}{node.name}"
            definition = node
        module = ast.parse(_factory(code.co_freevars))
        outer = module.body[0]
        inner = outer.body[-2]
        inner.body = [definition, ast.Return(ast.Name(name, ast.Load()))]
        for n in ast.walk(module):
            if "lineno" in n._attributes and (not hasattr(n, "lineno") or n in (outer, inner)):
                n.lineno = n.end_lineno = code.co_firstlineno
                n.col_offset = n.end_col_offset = -1
        flags = code.co_flags & _FUTURE
        whole = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
        space: dict[str, Any] = {}
        exec(whole, space)
        factory = space[f"{OPERATORS}outer"]().__code__
        # In tracebacks it goes by its own name again, and so does what is in it.
        made_so = next(
            (c.co_qualname for c in factory.co_consts if getattr(c, "co_name", "") in (name, "<lambda>")), ""
        )

        def named(c: Any) -> Any:
            if not isinstance(c, CodeType) or not made_so or not c.co_qualname.startswith(made_so):
                return c
            return c.replace(
                co_name=code.co_name if c.co_name == name else c.co_name,
                co_qualname=code.co_qualname + c.co_qualname.removeprefix(made_so),
                co_consts=tuple(map(named, c.co_consts)),
            )

        self.factory = factory.replace(co_consts=tuple(map(named, factory.co_consts)))
        _remember(self.factory)

    def __call__(self, function: FunctionType) -> FunctionType:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
        closure = tuple([cells[name] for name in self.factory.co_freevars])
        made = FunctionType(self.factory, function.__globals__, closure=closure)(self.operators)
        made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
        functools.update_wrapper(made, function, updated=())
        return made


def _factory(names: tuple[str, ...]) -> str:
    """A function that makes the converted one, in which the names that the original closes over are closed over,
    too."""
    cells = "".join(f" {name} = None\n" for name in names)
    return f"def {OPERATORS}outer():\n{cells} def {OPERATORS}inner({OPERATORS}):\n  pass\n return {OPERATORS}inner\n"


def _transformed(function: FunctionType) -> Any:
    try:
        from .passes import transformed  # only who traces a function needs `malt`
    except ImportError as error:
        raise NotConvertible("the package it needs is not there; pip install diastatic-malt") from error
    code = function.__code__
    node = parsed(function)
    first = code.co_varnames[0] if code.co_argcount else None
    return transformed(
        node, Before(_is_loop_options, _class_of(function), first), {*function.__globals__, *code.co_freevars}
    )


def _class_of(function: FunctionType) -> str:
    outside = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    return "" if outside == "<locals>" else outside


def _is_loop_options(expression: ast.expr) -> bool:
    """`tf.autograph.experimental.set_loop_options`, by whatever name the modules go."""
    return getattr(expression, "attr", getattr(expression, "id", "")) == "set_loop_options"


def _remember(code: CodeType) -> None:
    """The code and all in it: not to be converted again."""
    _generated.add(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _remember(constant)


@functools.cache
def _is_users(module: str, file: str) -> bool:
    """Python's own library, installed packages and this one are left as they are."""
    if file.startswith("<doctest"):
        return True
    if module.partition(".")[0] in _LIBRARIES or file.startswith("<frozen"):
        return False
    directories = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    inside = any(file.startswith(os.path.join(d, "")) for d in directories if d)
    installed = {"site-packages", "dist-packages"}.isdisjoint(file.replace("\\", "/").split("/"))
    return not inside and installed
