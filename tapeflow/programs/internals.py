"""`tensorflow.python.…` and `tensorflow.core.…`: modules that TensorFlow keeps private and programs import all the
same.

Such a module is made when it is asked for. It finds its names in public namespaces: first where `RENAMED` says, then
in those of `PLACES`, then among all names of TensorFlow 2 and of `tf.compat.v1`. What is not there fails at the line
that asks for it.
"""

import functools
import importlib
import sys
from types import ModuleType
from typing import Any

from tapeflow.names.missing import _is_import_from
from tapeflow.names.public import keras_names, value_of

from . import homes, internal_names


def module(name: str) -> ModuleType | None:
    """The stand-in for one private module; None when TensorFlow has nothing of the kind."""
    top, *parts = name.split(".")[1:]
    if top == "core":
        return _protocol(name, parts)
    inside = ".".join(parts)
    if top == "__internal__":
        return _internal(inside) if inside in internal_names.INTERNAL else None
    if parts[:1] == ["autograph"] and parts[1:2] in (["pyct"], ["converters"]):
        return importlib.import_module(".".join(["malt", *parts[1:]]))  # which began as TensorFlow's AutoGraph
    public = "tf.keras." + ".".join(parts[1:]) if parts[:1] == ["keras"] else internal_names.MODULES.get(inside, "")
    if public.startswith("tf."):
        from .stand_in import served

        found = served(public.rstrip(".").replace("tf.", "tensorflow.", 1))
        if found is not None:
            return Alias(name, found)
    elif public:
        return importlib.import_module(public)
    return PrivateModule(name, inside) if inside in internal_names.known_modules() else None


class Alias(ModuleType):
    """A module under another name: what the import system binds to that name does not reach the module itself.

    (`import tensorflow.python.keras.layers.core` would otherwise leave a `core` in `tf.keras.layers`.)
    """

    def __init__(self, name: str, module: ModuleType) -> None:
        super().__init__(name, module.__doc__)
        vars(self).update(_module=module, __path__=[])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or sys.modules.get(f"{self.__name__}.{name}") is value:  # by the import system
            super().__setattr__(name, value)
        else:
            setattr(self._module, name, value)

    def __dir__(self) -> list[str]:
        return dir(self._module)


class PrivateModule(ModuleType):
    """A module that looks its names up where they are public."""

    def __init__(self, name: str, inside: str) -> None:
        super().__init__(name, f"Names of {name}, from tapeflow's public namespaces.")
        self.__path__: list[str] = []
        self._inside = inside

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            inside = f"{self._inside}.{name}".lstrip(".")
            if inside in internal_names.known_modules() and not self.__name__.startswith("tensorflow.core"):
                return importlib.import_module(f"{self.__name__}.{name}")
            for place in self._places(name):
                try:
                    return value_of(place) if place.startswith("tf.") else _own(place)
                except (AttributeError, ImportError):
                    continue
            if (kind := homes.unnamed(f"{self._inside}.{name}")) is not None:
                return kind
        message = (
            f"tapeflow has no {self.__name__}.{name}, a private name of TensorFlow. Is there a public one that does?"
        )
        if not name.startswith("__") and _is_import_from(sys._getframe(1)):
            raise ImportError(message, name=self.__name__)
        raise AttributeError(message, name=name)

    def _places(self, name: str) -> list[str]:
        inside = self._inside
        if inside.startswith("keras"):
            today = internal_names.RENAMED_IN_KERAS.get(name, name)
            return [known for known in keras_names() if known.rpartition(".")[2] == today][:1]
        if inside.startswith("ops.gen_"):
            return ["tf.raw_ops." + "".join(part[:1].upper() + part[1:] for part in name.split("_"))]
        if (renamed := internal_names.RENAMED.get(f"{inside}.{name}")) is not None:
            return [renamed]
        if (public := homes.listed(inside).get(name)) is not None:
            return [public]
        spaces = [
            *internal_names.PLACES.get(inside, "").split(),
            "tf",
            "tf.math",
            "tf.nn",
            "tf.linalg",
            "tf.compat.v1",
        ]
        return [f"{space}.{name}" for space in spaces] if "." in inside else []


def _own(place: str) -> Any:
    """A value by its module and its name."""
    module, _, name = place.rpartition(".")
    return getattr(importlib.import_module(module), name)


@functools.cache
def _internal(space: str) -> ModuleType:
    return Internal(space)


class Internal(ModuleType):
    """`tf.__internal__` and the namespaces in it: names of private modules, by the table of them."""

    def __init__(self, space: str = "") -> None:
        super().__init__(f"tensorflow.__internal__.{space}".rstrip("."))
        self.__path__: list[str] = []
        self._space = space

    def __getattr__(self, name: str) -> Any:
        if not self._space and name in internal_names.INTERNAL:
            return _internal(name)
        for place in internal_names.INTERNAL[self._space].split():
            inside, _, own = place.rpartition(".")
            if own == name:
                return getattr(module(f"tensorflow.python.{inside}"), name)
        raise AttributeError(f"tapeflow has no {self.__name__}.{name}, a private name of TensorFlow.", name=name)


def _protocol(name: str, parts: list[str]) -> ModuleType | None:
    """`tensorflow.core.framework.summary_pb2` and its like, which TensorBoard has as well."""
    if not parts or not parts[-1].endswith("_pb2"):
        return PrivateModule(name, "core") if len(parts) < 3 else None
    if parts[0] == "example":
        return PrivateModule(name, "core.example")
    try:
        return importlib.import_module(f"tensorboard.compat.proto.{parts[-1]}")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(f"{name} is taken from TensorBoard: pip install tensorboard.", name=name) from None
