"""Names that TensorFlow has and tapeflow does not: every public namespace says so, and what is nearest, at the line
that uses the name.

`tapeflow/__init__.py` calls `watch_over` once; a namespace that is a package of its own and imported on first use
ends with such a call.
"""

import opcode
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from .public import is_public, listed

_IMPORT_FROM = opcode.opmap["IMPORT_FROM"]


class MissingName(AttributeError):
    """An AttributeError that looks for the nearest name when somebody reads it: `hasattr(tf, name)` throws it away."""

    def __init__(self, name: str) -> None:
        super().__init__(name, name=name.rpartition(".")[2])

    def __str__(self) -> str:
        return words(self.args[0])

    def __reduce__(self) -> Any:
        return AttributeError, (str(self),)


class MissingModule(ModuleNotFoundError):
    """The same of a module: programs that import one if it is there do not wait for the search."""

    def __init__(self, name: str) -> None:
        super().__init__(name, name=name)

    def __str__(self) -> str:
        return f"No module named {self.name!r}: {words('.'.join(['tf', *str(self.name).split('.')[1:]]))}"

    def __reduce__(self) -> Any:
        return ModuleNotFoundError, (str(self),)


# A traceback shows them as what they are for a program.
for _class in (MissingName, MissingModule):
    _plain = _class.__mro__[1].__name__
    _class.__module__, _class.__qualname__, _class.__name__ = "builtins", _plain, _plain


def words(name: str) -> str:
    """What is said of a public name that is not there.

    >>> from tapeflow.names.missing import words
    >>> words("tf.math.sine")
    'tapeflow has no tf.math.sine. The nearest it has: tf.math.sin, tf.math.sinh, tf.math.sign.'
    """
    from .hints import hint, is_tensorflows

    who = "Keras 3 has no" if name.startswith("tf.keras.") else "tapeflow has no"
    yet = " yet" if who == "tapeflow has no" and is_tensorflows(name) else ""
    return f"{who} {name}{yet}. {hint(name)}".rstrip()


def watch_over(module: ModuleType, public: str) -> None:
    """Lets a missing name of the namespace, and of the namespaces in it, fail with `words`. `public` is its name:
    `tf.math`."""
    own: Callable[[str], Any] | None = vars(module).get("__getattr__")
    if own is not None and own.__module__ == __name__:
        return

    def __getattr__(name: str) -> Any:
        missing: AttributeError = MissingName(f"{public}.{name}")
        if own is not None:
            try:
                return _watched(own(name), f"{public}.{name}")
            except MissingName:  # it has looked in another namespace, too
                pass
            except AttributeError as error:
                if _deep(error):
                    missing = error
        if name.startswith("__"):
            raise AttributeError(f"module {public!r} has no attribute {name!r}")
        if _is_import_from(sys._getframe(1)):
            raise ImportError(str(missing), name=f"{public}.{name}")
        raise missing

    module.__getattr__ = __getattr__  # type: ignore[method-assign]
    for name in listed(module):
        if name in vars(module):
            vars(module)[name] = _watched(vars(module)[name], f"{public}.{name}")


def _watched(value: Any, public: str) -> Any:
    if isinstance(value, ModuleType) and is_public(value) and not value.__name__.startswith("tensorflow."):
        watch_over(value, public)
    return SmallNamespace(public, vars(value)) if type(value) is SimpleNamespace else value


class SmallNamespace(SimpleNamespace):
    """A namespace inside a module, such as `tf.config.experimental`, that is watched as well."""

    def __init__(self, public: str, members: dict[str, Any]) -> None:
        super().__init__(
            **{name: _watched(value, f"{public}.{name}") for name, value in members.items()}, __name__=public
        )

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name) if name.startswith("__") else MissingName(f"{self.__name__}.{name}")


def _deep(error: AttributeError) -> bool:
    """Whether the error comes from further down than the namespace's own `__getattr__`: then it is not about its
    name."""
    frames = error.__traceback__
    return bool(frames and frames.tb_next and frames.tb_next.tb_next)


def _is_import_from(frame: Any) -> bool:
    """Whether the caller is a `from namespace import name`, which forgets the words of an AttributeError."""
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM
