"""Makes tapeflow a backend of the Keras that is installed: `KERAS_BACKEND=tapeflow`. Nothing of Keras changes on disk.

Keras chooses its backend in a few modules, by a chain of `if backend() == "jax": … elif …` that ends in a `raise`. A finder in front of
`sys.meta_path` compiles these modules from a syntax tree in which the chain has one more case. The place is found by its shape, so line
numbers stay true and another version's formatting does not matter. Where there is no such place, importing Keras fails, and says so.

Standard library only: the one-line `.pth` file of the distribution imports this module when the environment asks for it.
"""

import functools
import importlib.abc
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
from keras_tapeflow.src.ops.core import Variable as BackendVariable
distribution_lib = None
""",
    "keras.src.layers.layer": "from keras_tapeflow.src.layer import BackendLayer as {name}",
    "keras.src.models.model": "from keras_tapeflow.src.trainer import Trainer as {name}",
    "keras.src.export.saved_model": "from keras_tapeflow.src.export import SavedModelExportArchive as {name}",
    "keras.src.trainers.trainer_test": "from keras_tapeflow.src.trainer import Trainer as {name}",
}


def _know_the_backend(module: ModuleType) -> None:
    """`DynamicBackend`, which layers of preprocessing ask, answers for us, too."""
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


def _keep_64_bits(module: ModuleType) -> None:
    """`set_floatx("float64")` computes in float64, as on TensorFlow."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        for dtype in ("float64", "complex128"):
            module.BIT64_TO_BIT32_DTYPE[dtype] = dtype


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


def _be_its_tensorflow(module: ModuleType) -> None:
    """The old helpers of `tf.keras.backend` are written with TensorFlow's functions: ours have their names."""
    from keras.src.backend.config import backend

    if backend() == NAME:
        import tapeflow

        module.tf = tapeflow


AFTERWARDS = {
    "keras.src.backend.common.dtypes": _keep_64_bits,
    "keras.src.legacy.backend": _be_its_tensorflow,
    "keras.src.utils.backend_utils": _know_the_backend,
    "keras.src.utils.rng_utils": _seed_tensors,
}


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules above where they are, and loads them in our way."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
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
    if len(chains) != 1:
        if name == "keras.src.backend" and not chains:
            return tree  # a Keras that looks backends up by their name: `keras_tapeflow.src`
        raise ImportError(
            f"tapeflow does not find where {name} chooses its backend: this is Keras {_version()}, and tapeflow supports {SUPPORTED}. "
            f"Install one of these, or a newer tapeflow.",
            name=name,
        )
    [last] = chains
    bound = next((a.asname or a.name for s in last.body if isinstance(s, ast.ImportFrom) for a in s.names if a.asname), "")
    case = ast.parse(f"if x == {NAME!r}:\n  pass\nelse:\n  pass").body[0]
    case.test.left, case.orelse = last.test.left, last.orelse
    case.body = ast.parse(GRAFTS[name].format(name=bound)).body
    for new in ast.walk(case):
        if new is not case.test.left and not any(new is old for kept in case.orelse for old in ast.walk(kept)):
            ast.copy_location(new, last.orelse[0])
    last.orelse = [case]
    return ast.fix_missing_locations(tree)


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
            f'Keras {found} does not run on this tapeflow, which supports Keras {SUPPORTED}: pip install "keras>=3.15,<3.17".',
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
