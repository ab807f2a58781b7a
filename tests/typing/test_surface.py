"""The public names as those see them who read the code and do not run it: type checkers, editors."""

import ast
import inspect
from pathlib import Path

import pytest

import tapeflow as tf
from scripts import keras_types, numpy_types
from tapeflow.names.public import namespaces

ROOT = Path(tf.__file__).parent
# Made when the program runs, of tables and of other namespaces.
MADE = {"tf.compat.v1.random", "tf.experimental.numpy.fft", "tf.experimental.numpy.linalg", "tf.raw_ops"}
MODULES = {name: module for name, module in namespaces(tf, "tf") if inspect.ismodule(module) and name not in MADE}


def imports(tree):
    """(name, the name it was imported from) of everything that a module imports at its top."""
    return [
        (alias.asname or alias.name, alias)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


@pytest.mark.parametrize("name", MODULES)
def test_public_modules_say_what_they_pass_on(name):
    module = MODULES[name]
    assert module.__all__, "a public module lists its names"
    tree = ast.parse(Path(inspect.getfile(module)).read_text(encoding="utf-8"))
    plain = [public for public, alias in imports(tree) if public in module.__all__ and alias.asname is None]
    assert not plain, "what is passed on is imported as itself: from .x import y as y"


def test_names_that_are_imported_on_first_use_are_shown_to_checkers():
    tree = ast.parse(Path(tf.__file__).read_text(encoding="utf-8"))
    [block] = [
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "_typing.TYPE_CHECKING"
    ]
    shown = {public for public, _ in imports(block)}
    assert shown == {*tf._ON_FIRST_USE, *tf._ELSEWHERE, *tf._KERAS}


def test_all_public_names_of_tf_are_listed():
    tree = ast.parse(Path(tf.__file__).read_text(encoding="utf-8"))
    at_once = {public for public, _ in imports(tree) if not public.startswith("_")} | {"newaxis"}
    assert set(tf.__all__) == {*at_once, *tf._ON_FIRST_USE, *tf._ELSEWHERE, *tf._KERAS}
    assert dir(tf) == sorted(tf.__all__)


def test_keras_names_are_those_of_the_keras_that_is_installed():
    """Another Keras has other modules: `python scripts/keras_types.py`, and delete what is left over."""
    there = {
        path.relative_to(ROOT / "keras").as_posix(): path.read_text(encoding="utf-8")
        for path in (ROOT / "keras").rglob("*.py")
    }
    assert there == keras_types.files()


def test_numpy_names_are_those_that_the_table_makes():
    """There are others now: `python scripts/numpy_types.py`."""
    there = {path.name: path.read_text(encoding="utf-8") for path in numpy_types.FOLDER.glob("*.pyi")}
    assert there == numpy_types.files()
