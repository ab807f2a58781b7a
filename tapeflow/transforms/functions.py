"""Arguments and results of `tf.derivatives`: `wrt`, tangents, `has_aux`; checked, with errors that name them."""

import inspect
from collections.abc import Callable
from typing import Any

from tapeflow.core import nest
from tapeflow.core.convert import is_convertible, to_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable, unwrapped

# ---- what is differentiated by


def positions(wrt: Any) -> tuple[int, ...] | None:
    """The numbers of arguments that `wrt` stands for; None for variables."""
    if isinstance(wrt, int):
        return (wrt,)
    return tuple(wrt) if isinstance(wrt, tuple) and all(isinstance(k, int) for k in wrt) else None


def sources_of(f: Callable, wrt: Any, args: tuple) -> tuple[tuple, Any]:
    """The arguments, those of `wrt` as tensors of their own, and the structure of what is differentiated by: tensors
    and `tf.Variable`s."""
    numbers = positions(wrt)
    if numbers is None:
        wrt = nest.map_structure(unwrapped, wrt)
        for k, leaf in enumerate(nest.flatten(wrt)):
            if not isinstance(leaf, (Tensor, Variable)):
                where = f"wrt{nest.paths(wrt)[k]}" if nest.is_nested(wrt) else "wrt"
                raise TypeError(
                    f"{where} is {leaf!r} of type {type(leaf).__name__}; wrt is the number of an argument, a tuple of "
                    "numbers, or a structure of variables."
                )
        return args, wrt
    given = list(args)
    for k in numbers:
        if not -len(given) <= k < len(given):
            raise ValueError(
                f"wrt={wrt!r}: {name_of(f)} was called with {len(given)} positional arguments, and has no number {k}. "
                "What is differentiated by is given by position."
            )
        given[k] = nest.map_structure(lambda leaf, k=k: _source(f, leaf, k), given[k])
    sources = nest.map_structure(unwrapped, [given[k] for k in numbers])
    return tuple(given), sources[0] if isinstance(wrt, int) else tuple(sources)


def _source(f: Callable, leaf: Any, k: int) -> Any:
    if isinstance(unwrapped(leaf), Variable):
        return leaf
    if not isinstance(leaf, Tensor) and not is_convertible(leaf):
        raise TypeError(
            f"Argument {k} of {name_of(f)} is {leaf!r} of type {type(leaf).__name__}: there is no derivative by it."
        )
    x = to_tensor(leaf)
    if not x.dtype.is_inexact:
        raise TypeError(
            f"Argument {k} of {name_of(f)} is {x.dtype.name}: only floating and complex tensors have derivatives. "
            "Cast it."
        )
    return ops.identity(x)  # a tensor of its own: the same one may be given as two arguments


def directed(f: Callable, primals: Any, tangents: Any) -> tuple[Callable, Any, Any]:
    """How to call `f`, and primals and tangents in one structure."""
    plain = nest.map_structure(unwrapped, primals)
    if all(isinstance(leaf, Variable) for leaf in nest.flatten(plain)) and not _takes_arguments(f):
        return (lambda _: f()), plain, tangents
    several = isinstance(primals, tuple) and not hasattr(primals, "_fields")
    args, _ = sources_of(f, tuple(range(len(primals))) if several else 0, primals if several else (primals,))
    if several:
        return (lambda args: f(*args)), args, tuple(tangents) if isinstance(tangents, list) else tangents
    return f, args[0], tangents


def _takes_arguments(f: Callable) -> bool:
    """Must it be given any? Options do not count."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


# ---- what functions return


def with_aux(f: Callable, out: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return out, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(
            f"has_aux=True: {name_of(f)} must return (value, anything else), it returned {type(out).__name__}."
        )
    return out


def one_number(f: Callable, out: Any) -> Tensor:
    out = tensors(f, out)
    if not isinstance(out, Tensor) or out.sizes != () or not out.dtype.is_inexact:
        given = (
            f"a {out.dtype.name} tensor of shape {tuple(out.shape)}"
            if isinstance(out, Tensor)
            else f"a {type(out).__name__}"
        )
        advice = (
            "Reduce it (tf.reduce_sum), or ask for tf.derivatives.jacobian."
            if isinstance(out, Tensor) and out.ndim
            else ""
        )
        raise ValueError(
            f"{name_of(f)} must return one floating number to have a gradient, it returned {given}. {advice}".rstrip()
        )
    return out


def tensors(f: Callable, out: Any) -> Any:
    def as_tensor(leaf: Any) -> Any:
        if isinstance(leaf, Tensor):
            return leaf
        if not isinstance(unwrapped(leaf), Variable) and not is_convertible(leaf):
            raise TypeError(f"{name_of(f)} must return tensors, it returned {leaf!r} of type {type(leaf).__name__}.")
        return to_tensor(leaf)

    return nest.map_structure(as_tensor, out)


def dense(gradients: Any) -> Any:
    return nest.map_structure(lambda g: g.dense() if isinstance(g, IndexedSlices) else g, gradients)


def name_of(f: Callable) -> str:
    return getattr(f, "__name__", repr(f))


def check_function(f: Any, name: str) -> None:
    if not callable(f):
        raise TypeError(f"tf.derivatives.{name} takes a function first, got {f!r} of type {type(f).__name__}.")
