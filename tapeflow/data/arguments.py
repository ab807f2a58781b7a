"""Does a user's function take the elements of a dataset? Parts of a tuple are arguments of their own;
everything else is one argument."""

import inspect
from collections.abc import Callable
from typing import Any


def check_takes_elements(function: Callable, spec: Any) -> None:
    """TypeError when the dataset is built, as in TensorFlow. `spec`: what its elements are; None: not known yet."""
    if spec is not None:
        check_takes(function, spec)


def check_takes(function: Callable, element: Any) -> None:
    """TypeError with Python's words, and what the elements are, if the function does not take `element`, or its
    spec, for its arguments."""
    parts = element if type(element) is tuple else (element,)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # functions of C need not say what they take
        return
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    needed = [p.name for p in positional if p.default is kinds.empty]
    name = getattr(function, "__name__", type(function).__name__)
    if len(parts) > len(positional) and not any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        takes = f"from {len(needed)} to {len(positional)}" if len(needed) < len(positional) else str(len(positional))
        s = "" if takes == "1" else "s"
        given = f"{len(parts)} {'was' if len(parts) == 1 else 'were'} given"
        raise TypeError(f"{name}() takes {takes} positional argument{s} but {given}. {_told(element)}")
    if missing := needed[len(parts) :]:
        names = " and ".join(filter(None, [", ".join(map(repr, missing[:-1])), repr(missing[-1])]))
        s = "" if len(missing) == 1 else "s"
        raise TypeError(f"{name}() missing {len(missing)} required positional argument{s}: {names}. {_told(element)}")


def _told(element: Any) -> str:
    if type(element) is tuple:
        names = ", ".join("abcdefgh"[: len(element)] if len(element) <= 8 else "*parts")
        return (
            f"The elements of the dataset are tuples of {len(element)}, and each part is an argument of its own "
            f"(def f({names}): …): {_shown(element)}."
        )
    if isinstance(element, dict):
        return f"The elements of the dataset are dicts, and a dict is one argument (def f(d): …): {_shown(element)}."
    return f"The elements of the dataset are one argument (def f(x): …): {_shown(element)}."


def _shown(element: Any) -> str:
    """`(float32 (28, 28), int32 ())`"""
    if isinstance(element, dict):
        return "{" + ", ".join(f"{key!r}: {_shown(value)}" for key, value in element.items()) + "}"
    if isinstance(element, (tuple, list)):
        return "(" + ", ".join(map(_shown, element)) + ("," if len(element) == 1 else "") + ")"
    shape = getattr(element, "shape", None)
    if shape is None or not hasattr(element, "dtype"):
        return type(element).__name__
    sizes = "of unknown rank" if shape.rank is None else str(tuple(shape))
    return f"{element.dtype.name} {sizes}"
