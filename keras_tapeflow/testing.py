"""A pytest plugin that runs Keras' own tests from the installed wheel: `pytest -p keras_tapeflow.testing --pyargs
keras.src.ops`.

The wheel has the tests but not the repository's `conftest.py`, and many tests import frameworks that they hardly use.
This plugin is that `conftest`, and puts stand-ins in the place of packages that are not there: whoever touches one is
skipped, everybody else runs.
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from types import CodeType, ModuleType
from typing import Any

import pytest

from tapeflow.programs import children

from . import hook
from .grafting import GRAFTS, NAME, grafted

ABSENT = {
    name
    for name in (
        "tensorflow",
        "torch",
        "grain",
        "pandas",
        "PIL",
        "matplotlib",
        "torchvision",
        "tensorboard",
        "requests",
        "onnxruntime",
        "orbax",
    )
    if importlib.util.find_spec(name) is None
}


class Absent:
    """Stands for something of a package that is not there. While a test module is imported, whatever it takes from
    there is one, too."""

    importing = False

    def __init__(self, package: str) -> None:
        self.__dict__["_package"] = package

    def _skip(self, *_: Any, **__: Any) -> Any:
        if Absent.importing:
            return self
        pytest.skip(f"needs {self._package}, which is not installed")

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):  # pytest itself looks around
            raise AttributeError(name)
        return self._skip()

    __call__ = __getitem__ = __iter__ = _skip

    def __mro_entries__(self, bases: tuple) -> tuple:
        return (object,)


class _Tests(importlib.abc.MetaPathFinder):
    """Finds Keras' test modules, and loads them with stand-ins."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith("keras.src.") or not name.endswith(("_test", "testing.test_case")):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        Absent.importing = True
        try:
            super().exec_module(module)
        except ModuleNotFoundError as error:
            if error.name not in ABSENT:
                raise
            pytest.skip(f"needs {error.name}, which is not installed", allow_module_level=True)
        finally:
            Absent.importing = False

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path)
        tree = grafted(source, fullname) if fullname in GRAFTS else ast.parse(source)
        if _backend() == NAME:
            _TensorFlowsKinds().visit(tree)
            if fullname in DISTRIBUTION:
                _Distribution().visit(tree)
        tree.body = [_stood_in(node) for node in tree.body]
        if fullname == "keras.src.trainers.trainer_test":
            _Devices().visit(tree)
        return compile(ast.fix_missing_locations(tree), self.path, "exec", dont_inherit=True)


DISTRIBUTION = {"keras.src.distribution.distribution_lib_test", "keras.src.backend.jax.distribution_lib_test"}


class _Distribution(ast.NodeTransformer):
    """Tests of `keras.distribution` are for JAX's backend alone. Ours has jax's meshes, too, and datasets of its
    own."""

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        if ast.unparse(node) == "backend.backend() != 'jax'":
            return ast.copy_location(ast.parse("False", mode="eval").body, node)
        return node

    def visit_Import(self, node: ast.Import) -> ast.Import:
        if node.names[0].name == "tensorflow":
            node.names[0].name = "tapeflow"
        return node


class _Devices(ast.NodeTransformer):
    """A table of device names by backend gets one entry more."""

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        names = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if "tensorflow" in names and "jax" in names and NAME not in names:
            node.keys.append(ast.Constant(NAME))
            node.values.append(node.values[names.index("jax")])
        return node


class _TensorFlowsKinds(ast.NodeTransformer):
    """Tests make sparse tensors, and take gradients, in the way of their backend, by its name. Ours is TensorFlow's:
    where a test takes `tf.SparseTensor` or `tf.GradientTape`, it takes ours, and the case of TensorFlow is ours, too.
    What is then checked stays as it is.

    A choice between iterators over batches, which for us are those of NumPy, stays as it is unless it knows nothing
    else.
    """

    NAMES = ("SparseTensor", "IndexedSlices", "sparse", "GradientTape")
    OTHERS = (
        "backend.backend() != 'tensorflow'",
        "not backend.backend() == 'tensorflow'",
        "backend.backend() not in ('tensorflow', 'jax', 'torch')",
        "backend.backend() not in ['tensorflow', 'jax', 'torch']",
    )  # skipped, because of that

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        uses = self._uses(node.body)
        for mark in node.decorator_list:
            if uses or "sparse" in ast.unparse(mark).lower():
                self._not_skipped(mark, node)
                self.generic_visit(mark)
        if uses:
            imports = [i for i in ast.walk(node) if isinstance(i, ast.Import) and i.names[0].name == "tensorflow"]
            for found in imports:
                found.names[0].name = "tapeflow"
            if not imports:
                node.body.insert(0, ast.copy_location(ast.parse("import tapeflow as tf").body[0], node.body[0]))
            self.generic_visit(node)
        return node

    def _not_skipped(self, mark: ast.expr, test: ast.FunctionDef) -> None:
        if (
            not isinstance(mark, ast.Call)
            or "skipif" not in ast.unparse(mark.func)
            or ast.unparse(mark.args[0]) not in self.OTHERS
        ):
            return
        if "get_tf_dataset" not in ast.unparse(test):
            mark.args[0] = ast.parse(f"backend.backend() not in ('tensorflow', {NAME!r})", mode="eval").body

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        test = node.test
        if (
            not isinstance(test, ast.Compare)
            or ast.unparse(test) != "backend.backend() == 'tensorflow'"
            or not self._uses(node.body)
        ):
            return node
        iterators = [
            a
            for part in node.body
            for a in ast.walk(part)
            if isinstance(a, ast.Attribute) and a.attr == "get_tf_dataset"
        ]
        if iterators and _has_other_cases(node):
            return node
        for asked in iterators:
            asked.attr = "get_numpy_iterator"
        node.body = [
            part for part in node.body if not (isinstance(part, ast.If) and "pytest.skip(" in ast.unparse(part))
        ]  # TensorFlow's gaps
        test.ops, test.comparators = (
            [ast.In()],
            [ast.Tuple([*test.comparators, ast.Constant(NAME)], ast.Load())],
        )
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        """Cases with `sparse=True`, which only TensorFlow has."""
        if ast.unparse(node) == "[True, False] if backend.backend() == 'tensorflow' else [False]":
            node.test = ast.parse(f"backend.backend() in ('tensorflow', {NAME!r})", mode="eval").body
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        """A test that watches who assigns to variables looks at Keras' class, as it does on JAX: ours also assigns in
        another way."""
        if ast.unparse(node) == "model_variable._value.__class__":
            node.value = node.value.value
        return node

    def _uses(self, body: list) -> bool:
        found = [a for part in body for a in ast.walk(part) if isinstance(a, ast.Attribute) and a.attr in self.NAMES]
        return any(isinstance(a.value, ast.Name) and a.value.id == "tf" for a in found)


def _has_other_cases(node: ast.If) -> bool:
    """Whether a choice ends in an `else`."""
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
    return bool(node.orelse)


def _stood_in(node: ast.stmt) -> ast.stmt:
    """An import of a package that is not there, as assignments of stand-ins."""
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        package = node.module.partition(".")[0]
        names = [alias.asname or alias.name for alias in node.names]
    elif isinstance(node, ast.Import) and len(node.names) == 1:
        package = node.names[0].name.partition(".")[0]
        names = [node.names[0].asname or package]
    else:
        return node
    if package not in ABSENT:
        return node
    made = f"{', '.join(names)} = " + ", ".join(
        f"__import__('keras_tapeflow.testing').testing.Absent({package!r})" for _ in names
    )
    return ast.copy_location(ast.parse(made).body[0], node)


# ---- what the tests import from `conftest`, and marks


def skip_if_backend(backend: str, reason: str) -> Any:
    return pytest.mark.skipif(_backend() == backend, reason=reason)


def _backend() -> str:
    return os.environ.get("KERAS_BACKEND", "tensorflow")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "requires_trainable_backend: the test trains")
    config.addinivalue_line("markers", "multi_device: the test wants several devices")
    if _has_several_devices():  # which are counted before a test clears the environment
        import jax

        jax.devices()


def _has_several_devices() -> bool:
    return "device_count" in os.environ.get("XLA_FLAGS", "")


def pytest_collection_modifyitems(config: Any, items: list) -> None:
    for item in items:
        if "requires_trainable_backend" in item.keywords and _backend() in ("numpy", "openvino"):
            item.add_marker(pytest.mark.skip("this backend does not train"))
        if "multi_device" in item.keywords and not _has_several_devices():
            item.add_marker(pytest.mark.skip("there is one device"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Any:
    """A test that imports a package inside, which is not there, is skipped."""
    outcome = yield
    kept = getattr(item, "_excinfo", None)  # a unittest's error is kept there, not raised
    error = outcome.excinfo[1] if outcome.excinfo else kept[0].value if kept else None
    while error is not None:
        wants = isinstance(error, ImportError) and any(package in str(error) for package in ABSENT)
        if wants or "requires installing TensorFlow" in str(error) and "tensorflow" in ABSENT:
            item._excinfo = None
            outcome.force_exception(pytest.skip.Exception(f"needs a package that is not installed: {error}"))
            return
        error = error.__cause__


sys.modules.setdefault("conftest", sys.modules[__name__])
sys.meta_path.insert(0, _Tests())
hook.install()
# Processes that tests start import their modules, too. (They were forks, which have everything, before Python 3.14.)
children.prepare("keras_tapeflow.testing")
