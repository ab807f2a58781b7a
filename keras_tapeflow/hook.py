"""Makes tapeflow a backend of the Keras that is installed: `KERAS_BACKEND=tapeflow`. Nothing of Keras changes on disk.

Keras chooses its backend in a few modules, by a chain of `if backend() == "jax": … elif …` that ends in a `raise`. A
finder in front of `sys.meta_path` compiles these modules from a syntax tree in which the chain has one more case. The
place is found by its shape, so line numbers stay true and another version's formatting does not matter. Where there is
no such place, importing Keras fails, and says so; unless it is a Keras that looks for backends by their name, as
`keras_tapeflow.src`: then all it needs is to know that name.

Standard library only, here and in `grafting` and `adaptations`: the one-line `.pth` file of the distribution imports
this module when a program starts whose environment asks for it.
"""

import importlib
import importlib.machinery
import os
import sys
from types import CodeType, ModuleType
from typing import Any

from .adaptations import AFTERWARDS
from .grafting import GRAFTS, NAME, check_version, grafted


class Finder:
    """Finds the modules above where they are, and loads them in our way."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name == "tapeflow.keras" or name.startswith("tapeflow.keras."):
            return importlib.machinery.ModuleSpec(name, _Alias(), is_package=True)
        if name == "keras_tapeflow.src" and "keras" not in sys.modules:
            importlib.import_module("keras")  # our modules are made of its, and it imports them when it is ready
            if name in sys.modules:
                return importlib.machinery.ModuleSpec(name, _There(sys.modules[name]), is_package=True)
        if name not in GRAFTS and name not in AFTERWARDS:
            return None
        if name == "keras.src.backend" and os.environ.get("KERAS_BACKEND") == NAME:
            check_version()
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None:
            return None
        if not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            raise ImportError(f"tapeflow needs the source of {name}, and this Keras comes without it.", name=name)
        spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Alias:
    """`from tapeflow.keras.layers import Dense`: the module that `tf.keras.layers` is."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        pass  # Python's own way

    def exec_module(self, module: ModuleType) -> None:
        from importlib import import_module

        from tapeflow import keras

        rest = module.__name__.removeprefix("tapeflow.keras")
        try:
            sys.modules[module.__name__] = import_module(keras.__name__ + rest) if rest else keras
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"No module named {module.__name__!r}", name=module.__name__) from error


class _There:
    """A module that was imported while it was looked for."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        pass

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = self._module


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        if fullname not in GRAFTS:
            return super().get_code(fullname)
        return compile(grafted(self.get_data(self.path), fullname), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        AFTERWARDS.get(module.__name__, lambda _: None)(module)


def install() -> None:
    """Be the first who is asked for Keras' modules."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def choose() -> None:
    """Make tapeflow the backend, unless the environment names another, or Keras is there already."""
    install()
    if "keras" not in sys.modules:
        os.environ.setdefault("KERAS_BACKEND", NAME)


install()
