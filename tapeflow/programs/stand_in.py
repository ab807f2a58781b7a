"""`import tensorflow` that gives tapeflow: a finder in front of `sys.meta_path`, for `tapeflow run` and for notebooks.

The namespaces of `tensorflow` are tapeflow's own modules, not copies, so a class is the same class whatever it was
imported as. `tensorflow` itself has the same members, each the same object, under a version of its own: programs ask
it which TensorFlow they run on, and `tapeflow.__version__` is tapeflow's.
"""

import functools
import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from tapeflow.core.runtime import settings
from tapeflow.names.missing import MissingModule, watch_over
from tapeflow.names.namespaces import Loader, importable

from . import homes, internals

# Libraries made for TensorFlow's own tensors, and what a program can do without them.
COMPANIONS = {
    "tensorflow_datasets": "Load the data with tf.keras.datasets, or read files with tf.data.",
    "tensorflow_probability": "Write the densities with tf.math and tf.random, or use SciPy's distributions where no "
    "gradient is needed.",
    "tensorflow_hub": "Load a model with tf.keras.models.load_model, or use tf.keras.applications.",
    "tensorflow_addons": "It has been retired; tf.keras has most of its layers, losses, metrics and optimizers.",
    "tensorflow_text": "Use tf.strings, or tf.keras.layers.TextVectorization.",
    "tensorflow_io": "Use tf.io and tf.data.",
    "tensorflow_model_optimization": "There is nothing in its place.",
    "tensorflow_estimator": "Estimators left TensorFlow, too: use tf.keras models.",
    "tensorboard.plugins.hparams": "pip install tensorboard",
}


class Finder(Loader, importlib.abc.MetaPathFinder):
    """Finds `tensorflow` and everything under it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """The module that is there already, or an error with a hint; None for modules of others."""
        if name == "keras" and os.environ.get("KERAS_BACKEND") == "tensorflow":
            # A program that asks for Keras on TensorFlow means what stands in for it, and is told what it asked for.
            os.environ["KERAS_BACKEND"] = "tapeflow"
            os.environ.setdefault("TAPEFLOW_KERAS_ANSWER", "tensorflow")
        if name == "tf_keras" or name.startswith("tf_keras."):  # Keras 2 needs what is inside TensorFlow
            module = _legacy_keras(name.split(".")[1:])
        elif name == "tensorflow" or name.startswith("tensorflow."):
            module = served(name)
        else:
            return None
        if module is None:
            raise MissingModule(name)
        return self.spec(name, module)


class CompanionFinder(importlib.abc.MetaPathFinder):
    """Asked last: explains what to do without a library that is not installed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Raises for a library in the list; all others are left to Python."""
        if name in COMPANIONS:
            raise ModuleNotFoundError(
                f"No module named {name!r}: tapeflow stands in for TensorFlow, not for the libraries around it. "
                f"{COMPANIONS[name]}",
                name=name,
            )


def served(name: str) -> ModuleType | None:
    """The module that `import name` gives, `name` being `tensorflow` or under it; None when there is no such
    module."""
    first, *rest = name.split(".")[1:] or [""]
    if first == "" or (first, rest) == ("compat", ["v2"]):
        return root()
    if first == "compat" and rest[:1] == ["v2"]:
        return served(".".join(["tensorflow", *rest[1:]]))
    if first == "compat" and rest[:2] == ["v1", "keras"]:
        return served(".".join(["tensorflow", *rest[1:]]))
    if first in ("python", "core", "__internal__"):
        return internals.module(name)
    if first == "keras":
        return _keras(rest)
    value: Any = root()
    for part in (first, *rest):
        value = getattr(value, part, None)
    if "tensorflow" in sys.modules:
        homes.move_in()
    return importable(value, name)


@functools.cache
def root() -> ModuleType:
    """What `import tensorflow` gives."""
    tapeflow = sys.modules["tapeflow"]
    module = ModuleType("tensorflow", tapeflow.__doc__)
    module.__path__ = []
    own = {name: vars(tapeflow)[name] for name in tapeflow.__all__ if name in vars(tapeflow) and name != "compat"}
    vars(module).update(own, __all__=tapeflow.__all__, __file__=tapeflow.__file__)
    vars(module).update(__version__=tapeflow.version.VERSION, __dir__=tapeflow.__dir__)

    def __getattr__(name: str) -> Any:
        if name == "__internal__":
            return vars(module).setdefault(name, served("tensorflow.__internal__"))
        value = getattr(tapeflow, name)
        if name in tapeflow.__all__ and "tensorflow" in sys.modules:
            homes.move_in()
        if name == "compat":
            value.v2 = module if "tensorflow" in sys.modules else tapeflow
        elif name in tapeflow.__all__:
            vars(module)[name] = value
        return value

    module.__getattr__ = __getattr__  # type: ignore[method-assign]
    watch_over(module, "tf")
    return module


def _keras(parts: list[str]) -> ModuleType | None:
    keras = value = sys.modules["tapeflow"].keras  # on tapeflow, or an ImportError that says why not
    for part in parts:
        value = getattr(value, part, None)
    if isinstance(value, ModuleType):
        return value
    full = ".".join([keras.__name__, *parts])
    try:
        return importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name is None or not full.startswith(error.name):
            raise  # a library that this part of Keras needs
    return None


@functools.cache
def _copy_of_keras(name: str) -> ModuleType:
    keras = sys.modules["tapeflow"].keras
    module = ModuleType(name, keras.__doc__)
    vars(module).update({key: getattr(keras, key) for key in dir(keras) if not key.startswith("__")})
    utils = SimpleNamespace(register_symbolic_tensor_type=lambda cls: None)
    vars(module).update(__path__=[], __version__=keras.__version__, __internal__=SimpleNamespace(utils=utils))
    return module


def _legacy_keras(parts: list[str]) -> ModuleType | None:
    """`tf_keras`: Keras 3 under that name, which is a module of its own, so that what is bound to it stays there."""
    if parts[:1] == ["api"]:
        parts = parts[3:] if parts[1:2] in (["_v1"], ["_v2"]) else parts[1:]
    if parts[:1] in (["__internal__"], ["src"]):
        parts = [part for part in parts[1:] if part != "legacy"]
    return _keras(parts) if parts else _copy_of_keras("tf_keras")


def install() -> None:
    """From now on `import tensorflow` gives tapeflow, also where TensorFlow is installed.

    >>> from tapeflow.programs.stand_in import install, uninstall
    >>> install()
    >>> import tensorflow
    >>> tensorflow.GradientTape is tf.GradientTape, tensorflow.__version__
    (True, '2.21.0')
    >>> uninstall()
    """
    import tapeflow  # noqa: F401 - so that there is what stands in

    loaded = sys.modules.get("tensorflow")
    if loaded is not None and loaded is not root():
        raise ImportError(
            "TensorFlow itself has been imported already; tapeflow can stand in for it only from the start of a "
            "program."
        )
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())
        sys.meta_path.append(CompanionFinder())
        # Not left to the import system, which would make it an attribute of tapeflow, in the place of its layer
        # `core`.
        sys.modules["tensorflow.core"] = internals.PrivateModule("tensorflow.core", "core")
        settings.arrays_may_change = True
        homes.move_in()


def uninstall() -> None:
    """Takes `install` back."""
    homes.move_out()
    settings.arrays_may_change = False
    root.cache_clear()  # what it was given since goes with it
    if "tapeflow.compat" in sys.modules:
        sys.modules["tapeflow.compat"].v2 = sys.modules["tapeflow"]  # type: ignore[attr-defined]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, (Finder, CompanionFinder))]
    for name in [name for name in sys.modules if name == "tensorflow" or name.startswith("tensorflow.")]:
        del sys.modules[name]
