"""What `tf.autograph` offers."""

import functools
import logging
import sys
from collections.abc import Callable
from typing import Any

from tapeflow.core.runtime import settings

from . import convert
from .before import NotConvertible


def to_code(function: Callable[..., Any]) -> str:
    try:
        return convert.generated_code(_plain(function))
    except NotConvertible as error:
        raise ValueError(f"{function!r} cannot be converted: {error}.") from error


def to_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    made = convert.converted(_plain(function))
    if made is _plain(function) and not convert.is_converted(made):
        raise ValueError(
            f"{function!r} cannot be converted: it is not a function in Python with its source, or belongs to a "
            "library. tf.autograph.set_verbosity(1) makes the log tell why."
        )
    return made


def _plain(function: Any) -> Callable:
    if not callable(function):
        raise TypeError(f"A function is converted, got {function!r} of type {type(function).__name__}.")
    return getattr(function, "python_function", function)


def as_it_is(function: Callable) -> Callable:
    """A function that is called, and not converted: code of this library never is."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return functools.update_wrapper(called, function)


def set_verbosity(level: int, to_screen: bool) -> None:
    settings.autograph_verbosity = level
    log = logging.getLogger("tapeflow")
    ours = [h for h in log.handlers if isinstance(h, _ToScreen)]
    if to_screen and not ours:
        log.addHandler(_ToScreen(sys.stdout))
    for handler in () if to_screen else ours:
        log.removeHandler(handler)


class _ToScreen(logging.StreamHandler):
    pass
