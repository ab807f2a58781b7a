"""`TAPEFLOW_AS_TENSORFLOW=1`: `import tensorflow` gives tapeflow in every process that has it in its environment.

The one-line `.pth` file of the distribution imports this module when such a process starts. It imports nothing else:
tapeflow is imported when the program asks for TensorFlow, or for Keras.
"""

import importlib.machinery
import sys
from typing import Any

_NAMES = ("tensorflow", "keras", "tf_keras", "tapeflow")


class Finder:
    """Installs the stand-in at the first import of one of its names, and then leaves everything to it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name in _NAMES:
            sys.meta_path.remove(self)  # type: ignore[arg-type]
            import tapeflow.programs.child  # noqa: F401

            if name in sys.modules:
                return importlib.machinery.ModuleSpec(name, There(sys.modules[name]), is_package=True)
            return importlib.util.find_spec(name)
        return None


class There:
    """A module that was imported while it was looked for."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        pass

    def exec_module(self, module: Any) -> None:
        sys.modules[module.__name__] = self._module


if "tensorflow" not in sys.modules:
    sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
