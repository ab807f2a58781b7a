"""The package tests itself: direction of imports, one declaration per primitive, a lean import, documented public names."""

import ast
import inspect
import json
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import tapeflow as tf

PACKAGE = Path(tf.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
NAMES = [str(f.relative_to(PACKAGE)) for f in FILES]

# Imports only point to the left.
LAYERS = ["core", "engines", "ops", "tape", "transforms", "function", "inspect", "api"]


def imports(file: Path):
    """(top-level name, dotted name, imported names) of every import in the file, wherever in it."""
    package = ["tapeflow", *file.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.split(".")[0], alias.name, []
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            dotted = ".".join([*base, *([node.module] if node.module else [])])
            yield dotted.split(".")[0], dotted, [alias.name for alias in node.names]


def layers_used(file: Path) -> set[str]:
    used = set()
    for top, dotted, names in imports(file):
        if top == "tapeflow":
            parts = dotted.split(".")
            used.update(parts[1:2] or names)
    return used


# ---- the direction of imports


@pytest.mark.parametrize("file", [f for f in FILES if f.parent != PACKAGE], ids=lambda f: str(f.relative_to(PACKAGE)))
def test_imports_point_down(file):
    layer = file.relative_to(PACKAGE).parts[0]
    assert layer in LAYERS, f"{layer}/ is not a layer; the layers are {LAYERS}"
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    above = layers_used(file) - allowed
    assert not above, f"{layer} may import {sorted(allowed)}, not {sorted(above)}"


def test_core_needs_little():
    """Everything rests on core; it knows no operation and no library beyond arrays and nested structures."""
    allowed = set(sys.stdlib_module_names) | {"tapeflow", "numpy", "ml_dtypes", "optree"}
    used = {(f.name, top) for f in FILES if f.is_relative_to(PACKAGE / "core") for top, _, _ in imports(f)}
    assert not {u for u in used if u[1] not in allowed}


@pytest.mark.parametrize(("library", "home"), [("jax", "engines/xla"), ("keras", "keras_tapeflow"), ("tensorflow", "nowhere")])
def test_big_libraries_stay_at_home(library, home):
    at_home = lambda file: str(file.relative_to(PACKAGE)).startswith(home)
    outside = [str(f.relative_to(PACKAGE)) for f in FILES if not at_home(f) and any(top == library for top, _, _ in imports(f))]
    assert not outside, f"{library} belongs in {home}"


def test_import_is_lean():
    """`import tapeflow` brings in nothing that is only needed later (how long it takes is for the benchmark)."""
    program = "import sys, json, tapeflow; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    heavy = {"scipy", "keras", "jax", "torch", "tensorflow", "matplotlib", "grain", "tensorboardX", "malt", "h5py", "rich", "pandas"}
    assert not heavy & set(json.loads(out.stdout))


# ---- one declaration per primitive


def declarations():
    """(file, name) for every call whose first argument is written like a primitive's signature."""
    makers = {"primitive", *(name for name, value in vars(tf.ops.families).items() if inspect.isfunction(value))}
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in makers and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and (found := re.match(r"(\w+)\(", str(first.value))):
                    yield str(file.relative_to(PACKAGE)), found[1]


def test_primitives_are_declared_once_and_under_ops():
    found = list(declarations())
    names = [name for _, name in found]
    assert not [name for name in set(names) if names.count(name) > 1], "declared twice"
    assert not [entry for entry in found if not entry[0].startswith("ops")], "declarations belong under ops/"
    assert len(names) > 20, "the search above no longer recognises a declaration"


def test_nothing_outside_ops_can_declare():
    allowed = lambda name: name.startswith("ops") or name == "core/primitive.py"
    offenders = [
        name for file, name in zip(FILES, NAMES, strict=True) if not allowed(name)
        for _, dotted, names in imports(file)
        if dotted.endswith("core.primitive") and "primitive" in names or "ops.families" in dotted or "families" in names
    ]  # fmt: skip
    assert not offenders


# ---- size and typing


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_files_are_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 500, "when a file needs a table of contents, it is two files"


def test_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


# ---- the public names

# Layers and files that are attributes of the package because they are imported, not because users need them.
INTERNAL = {*LAYERS, "cli"}

# Public names without an example, and why.
NO_EXAMPLE_NEEDED = {
    tf.DType: "dtypes are values such as tf.float32, which every other example shows",
}


def exempt(value) -> bool:
    """Values (dtypes, constants) and exceptions explain themselves."""
    if isinstance(value, type):
        return issubclass(value, BaseException) or value in NO_EXAMPLE_NEEDED
    return not callable(value) or isinstance(value, tf.DType)


def public_names():
    """("tf.math.sin", value) for everything that can be reached from `tf` through public modules."""
    todo, seen, found = [("tf", tf)], {id(tf)}, {}
    while todo:
        path, module = todo.pop()
        for name in getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]:
            value = getattr(module, name)
            if isinstance(value, types.ModuleType):
                ours = value.__name__.startswith("tapeflow.") and not (module is tf and name in INTERNAL)
                if ours and id(value) not in seen:
                    seen.add(id(value))
                    todo.append((f"{path}.{name}", value))
            else:
                found[f"{path}.{name}"] = value
    return found


PUBLIC = public_names()


@pytest.mark.parametrize("name", sorted(n for n, v in PUBLIC.items() if not exempt(v)))
def test_public_name_has_an_example(name):
    doc = inspect.getdoc(PUBLIC[name]) or ""
    assert doc, f"{name} has no docstring"
    assert ">>>" in doc, f"{name} has no example in its docstring"


def test_no_helper_is_public():
    """A public name that was made elsewhere (`Any`, `np`, `partial`) is a leak: underscore it, or give the module an `__all__`."""
    leaks = [
        name for name, value in PUBLIC.items()
        if (callable(value) or isinstance(value, types.ModuleType)) and not str(getattr(value, "__module__", "tapeflow")).startswith("tapeflow")
    ]  # fmt: skip
    assert not leaks
