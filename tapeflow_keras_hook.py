"""Makes tapeflow a backend of the Keras that is installed: `KERAS_BACKEND=tapeflow`. Nothing of Keras changes on disk.

Keras chooses its backend in a few modules, by a chain of `if backend() == "jax": … elif …` that ends in a `raise`. A
finder in front of `sys.meta_path` compiles these modules from a syntax tree in which the chain has one more case. The
place is found by its shape, so line numbers stay true and another version's formatting does not matter. Where there is
no such place, importing Keras fails, and says so; unless it is a Keras that looks for backends by their name, as
`keras_tapeflow.src`: then all it needs is to know that name.

Standard library only: the one-line `.pth` file of the distribution imports this module when the environment asks for
it.
"""

import functools
import importlib.machinery
import os
import sys
from types import CodeType, ModuleType
from typing import Any

NAME = "tapeflow"
VERSIONS = {(3, 15), (3, 16)}
SUPPORTED = "3.15 to 3.16"

# What the new case does, by module. `{name}` is what the case before it binds.
GRAFTS = {
    "keras.src.backend": """
from keras_tapeflow.src import *
from keras_tapeflow.src import distribution_lib
from keras_tapeflow.src.ops.core import Variable as BackendVariable
""",
    "keras.src.layers.layer": "from keras_tapeflow.src.layer import BackendLayer as {name}",
    "keras.src.models.model": "from keras_tapeflow.src.trainer import Trainer as {name}",
    "keras.src.export.saved_model": "from keras_tapeflow.src.export import SavedModelExportArchive as {name}",
    "keras.src.trainers.trainer_test": "from keras_tapeflow.src.trainer import Trainer as {name}",
}


def _know_the_name(module: ModuleType) -> None:
    """A Keras that looks backends up by their names has a list of those that it knows."""
    known = getattr(module, "PLUGGABLE_BACKENDS", None)
    if known is not None:
        module.PLUGGABLE_BACKENDS = known | {NAME}


def _know_the_backend(module: ModuleType) -> None:
    """`DynamicBackend`, which layers of preprocessing ask, answers for us, too; and a graph is ours, not
    TensorFlow's."""
    if module.backend_module.backend() == NAME:
        module.in_tf_graph = lambda: False
    if hasattr(module, "PLUGGABLE_BACKENDS"):
        return  # it looks us up
    dynamic = module.DynamicBackend
    get, choose = dynamic.__getattr__, dynamic.set_backend

    def __getattr__(self: Any, name: str) -> Any:
        return getattr(module.backend_module, name) if self.__dict__.get("_backend") == NAME else get(self, name)

    def set_backend(self: Any, backend: str) -> None:
        if backend == NAME:
            self._backend = backend
        else:
            choose(self, backend)

    dynamic.__getattr__, dynamic.set_backend = __getattr__, set_backend


def _know_dtypes(module: ModuleType) -> None:
    """`set_floatx("float64")` computes in float64, and texts in an array (objects, to NumPy) are strings, as on
    TensorFlow."""
    import numpy as np
    from keras.src.backend.config import backend

    if backend() == NAME:
        for dtype in ("float64", "complex128"):
            module.BIT64_TO_BIT32_DTYPE[dtype] = dtype
        module.PYTHON_DTYPES_MAP[np.dtype(object)] = "string"


def _seed_tensors(module: ModuleType) -> None:
    """`keras.utils.set_random_seed` seeds `tf.random`, too, as on TensorFlow."""
    from keras.src.backend.config import backend

    seed_keras = module.set_random_seed

    @functools.wraps(seed_keras)
    def set_random_seed(seed: int) -> None:
        seed_keras(seed)
        if backend() == NAME:
            from tapeflow import random

            random.set_seed(seed)

    module.set_random_seed = set_random_seed


def _know_the_name_and_functions(module: ModuleType) -> None:
    """What Keras does with TensorFlow's functions whatever the backend (datasets from folders, say) is done with ours,
    unless it is there."""
    from importlib.util import find_spec

    from keras.src.backend.config import backend

    _know_the_name(module)
    if backend() == NAME and "tensorflow" not in sys.modules and find_spec("tensorflow") is None:
        from keras_tapeflow.as_tensorflow import names

        module.tensorflow = names(available=False)


def _be_its_tensorflow(module: ModuleType) -> None:
    """Some modules do nothing at all without TensorFlow: ours will do."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        from keras_tapeflow.as_tensorflow import adapt

        adapt(module)


def _write_summaries(module: ModuleType) -> None:
    """Keras' callback for TensorBoard writes with TensorFlow's `tf.summary`: ours has its names."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        from keras_tapeflow.src.tensorboard import adapt

        adapt(module)


def _explain_downloads(module: ModuleType) -> None:
    """Without a network, `tf.keras.datasets` and `tf.keras.utils.get_file` say where they look for the file."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        from keras_tapeflow.downloads import explained

        module.urlretrieve = explained(module.urlretrieve)


def _save_whole(function: str, home: str = "whole_saves") -> Any:
    """Files that Keras writes in place are there as they were or as they are to be, whenever a program is killed."""

    def adapt(module: ModuleType) -> None:
        from importlib import import_module

        from keras.src.backend.config import backend

        if backend() == NAME:
            getattr(import_module(f"keras_tapeflow.{home}"), function)(module)

    return adapt


# Modules that do something else, or nothing, for want of TensorFlow's tensors, tables and datasets.
AMONG_TENSORFLOW = """
layers.preprocessing.hashed_crossing layers.preprocessing.hashing layers.preprocessing.index_lookup
layers.preprocessing.integer_lookup layers.preprocessing.string_lookup layers.preprocessing.text_vectorization
legacy.backend trainers.data_adapters.array_slicing trainers.data_adapters.data_adapter_utils utils.dataset_utils
""".split()
AFTERWARDS = {
    "keras.src.backend.config": _know_the_name,
    "keras.src.backend.common.dtypes": _know_dtypes,
    "keras.src.callbacks.backup_and_restore": _save_whole("adapt", "backups"),
    "keras.src.callbacks.csv_logger": _save_whole("adapt_log"),
    "keras.src.callbacks.tensorboard": _write_summaries,
    "keras.src.legacy.saving.legacy_h5_format": _save_whole("adapt_legacy_files"),
    "keras.src.saving.file_editor": _save_whole("adapt_weights_editor"),
    "keras.src.saving.saving_api": _save_whole("adapt_loading"),
    "keras.src.saving.saving_lib": _save_whole("adapt_files"),
    "keras.src.utils.backend_utils": _know_the_backend,
    "keras.src.utils.file_utils": _explain_downloads,
    "keras.src.utils.module_utils": _know_the_name_and_functions,
    "keras.src.utils.rng_utils": _seed_tensors,
    **{f"keras.src.{name}": _be_its_tensorflow for name in AMONG_TENSORFLOW},
}


class Finder:
    """Finds the modules above where they are, and loads them in our way."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name == "tapeflow.keras" or name.startswith("tapeflow.keras."):
            return importlib.machinery.ModuleSpec(name, _Alias(), is_package=True)
        if name not in GRAFTS and name not in AFTERWARDS:
            return None
        if name == "keras.src.backend" and os.environ.get("KERAS_BACKEND") == NAME:
            _check_version()
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


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        if fullname not in GRAFTS:
            return super().get_code(fullname)
        return compile(grafted(self.get_data(self.path), fullname), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        AFTERWARDS.get(module.__name__, lambda _: None)(module)


def grafted(source: bytes, name: str) -> Any:
    """The syntax tree of a module with one more case in its choice of a backend."""
    import ast

    tree = ast.parse(source)
    chains = [last for node in tree.body if (last := _last_case(node)) is not None]
    if not chains and (_mentions(tree, "get_pluggable_backend_module") or _mentions(tree, "import_module")):
        return tree  # a Keras that looks backends up by their name
    if len(chains) != 1:
        raise ImportError(
            f"tapeflow does not find where {name} chooses its backend: this is Keras {_version()}, and tapeflow "
            f"supports {SUPPORTED}. Install one of these, or a newer tapeflow.",
            name=name,
        )
    [last] = chains
    bound = next(
        (a.asname or a.name for s in last.body if isinstance(s, ast.ImportFrom) for a in s.names if a.asname), ""
    )
    case = ast.parse(f"if x == {NAME!r}:\n  pass\nelse:\n  pass").body[0]
    case.test.left, case.orelse = last.test.left, last.orelse
    case.body = ast.parse(GRAFTS[name].format(name=bound)).body
    for new in ast.walk(case):
        if new is not case.test.left and not any(new is old for kept in case.orelse for old in ast.walk(kept)):
            ast.copy_location(new, last.orelse[0])
    last.orelse = [case]
    return ast.fix_missing_locations(tree)


def _mentions(tree: Any, function: str) -> bool:
    """Whether a module calls a function outside of its own functions and classes."""
    import ast

    top = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    calls = [node.func for part in top for node in ast.walk(part) if isinstance(node, ast.Call)]
    return any(getattr(call, "attr", getattr(call, "id", None)) == function for call in calls)


def _last_case(node: Any) -> Any:
    """The last `elif` of a chain that compares the backend's name, and whose `else` raises."""
    import ast

    while isinstance(node, ast.If):
        test = node.test
        call = test.left if isinstance(test, ast.Compare) else None
        function = getattr(call, "func", None)
        if getattr(function, "attr", getattr(function, "id", None)) != "backend":
            return None
        if len(node.orelse) != 1:
            return None
        [rest] = node.orelse
        if isinstance(rest, ast.Raise):
            return node
        node = rest
    return None


def _check_version() -> None:
    """Another Keras may have other functions, and would fail somewhere inside."""
    found = _version()
    parts = found.split(".")[:2]
    if all(part.isdecimal() for part in parts) and tuple(map(int, parts)) not in VERSIONS:
        raise ImportError(
            f"Keras {found} does not run on this tapeflow, which supports Keras {SUPPORTED}: pip install "
            '"keras>=3.15,<3.17".',
            name="keras",
        )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("keras")
    except PackageNotFoundError:
        return "of an unknown version"


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
