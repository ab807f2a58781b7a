"""`import tapeflow.math`: namespaces that live elsewhere in the package, as modules under their public names."""

import importlib.machinery
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from .missing import MissingModule, watch_over
from .public import is_public


class Loader:
    """Gives the import system modules that are there already."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """None: a new, empty module, for a moment."""

    def exec_module(self, module: ModuleType) -> None:
        """Puts the module that is there into the place of the new one."""
        # The empty module that the import system made is dropped for the one that is there already, whose own spec
        # stays.
        assert module.__spec__ is not None
        sys.modules[module.__spec__.name] = module.__spec__.loader_state

    def spec(self, name: str, module: ModuleType) -> importlib.machinery.ModuleSpec:
        """By which `module` is found as `name`."""
        return importlib.machinery.ModuleSpec(name, self, loader_state=module, is_package=True)  # type: ignore[arg-type]


class Finder(Loader):
    """Finds the namespaces of `tapeflow` that have no folder of their name, and everything under them. It is asked
    first: Python would find the files of such a namespace, and run them once more."""

    def __init__(self, package: ModuleType) -> None:
        self.package = package
        self.folders = {name.partition(".")[0] for name in os.listdir(next(iter(package.__path__)))}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """None for modules of others, and for folders of the package."""
        if not name.startswith("tapeflow."):
            return None
        _, first, *rest = name.split(".")
        if first in self.folders or first not in self.package.__all__:
            return None
        value: Any = self.package
        for part in (first, *rest):
            value = getattr(value, part, None)
        module = importable(value, name)
        if module is None:  # a function is there, and no module
            raise MissingModule(name) if value is None else ModuleNotFoundError(f"No module named {name!r}", name=name)
        return self.spec(name, module)


def importable(value: Any, name: str) -> ModuleType | None:
    """A namespace as a module: what it is, or a module around a small one. Layers of tapeflow are no namespaces."""
    if isinstance(value, SimpleNamespace):
        module = ModuleType(name)
        vars(module).update({key: member for key, member in vars(value).items() if key != "__name__"})
        watch_over(module, ".".join(["tf", *name.split(".")[1:]]))
        return module
    if not isinstance(value, ModuleType) or not is_public(value):
        return None
    if not hasattr(value, "__path__"):
        value.__path__ = []  # so that the import system asks for the namespaces in it
    return value
