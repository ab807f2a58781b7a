"""The package tests itself: direction of imports, one declaration per primitive, a lean import, documented public
names."""

import ast
import collections
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
# Not those for type checkers, which no program runs (`scripts/keras_types.py`).
FILES = sorted(f for f in PACKAGE.rglob("*.py") if not f.is_relative_to(PACKAGE / "keras"))
NAMES = [f.relative_to(PACKAGE).as_posix() for f in FILES]

# Imports only point to the left.
LAYERS = """names core engines ops vectorize tape transforms function inspect api io feature_column storage export
    saved_model summary debugging data distribute types train experimental compat programs demo""".split()


def executed(tree: ast.AST):
    """All nodes of a program but those under `if TYPE_CHECKING:`."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo.extend(node.orelse)
        else:
            todo.extend(ast.iter_child_nodes(node))


def imports(file: Path):
    """(top-level name, dotted name, imported names) of every import in the file, wherever in it, but not of what only
    type checkers read: a type may be named below where it is made."""
    package = ["tapeflow", *file.relative_to(PACKAGE).parent.parts]
    for node in executed(ast.parse(file.read_text(encoding="utf-8"))):
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


@pytest.mark.parametrize(
    "file", [f for f in FILES if f.parent != PACKAGE], ids=lambda f: f.relative_to(PACKAGE).as_posix()
)
def test_imports_point_down(file):
    layer = file.relative_to(PACKAGE).parts[0]
    assert layer in LAYERS, f"{layer}/ is not a layer; the layers are {LAYERS}"
    allowed = set(LAYERS[: LAYERS.index(layer) + 1])
    above = layers_used(file) - allowed
    assert not above, f"{layer} may import {sorted(allowed)}, not {sorted(above)}"


def test_core_needs_little():
    """Everything rests on core; it knows no operation and no library beyond arrays and nested structures."""
    allowed = set(sys.stdlib_module_names) | {"tapeflow", "numpy", "ml_dtypes", "optree", "typing_extensions"}
    used = {(f.name, top) for f in FILES if f.is_relative_to(PACKAGE / "core") for top, _, _ in imports(f)}
    assert not {u for u in used if u[1] not in allowed}


@pytest.mark.parametrize(
    ("library", "home"), [("jax", "engines/xla"), ("keras", "keras_tapeflow"), ("tensorflow", "nowhere")]
)
def test_big_libraries_stay_at_home(library, home):
    at_home = lambda file: file.relative_to(PACKAGE).as_posix().startswith(home)
    outside = [
        f.relative_to(PACKAGE).as_posix()
        for f in FILES
        if not at_home(f) and any(top == library for top, _, _ in imports(f))
    ]
    assert not outside, f"{library} belongs in {home}"


def test_import_is_lean():
    """`import tapeflow` brings in nothing that is only needed later (how long it takes is for the benchmark)."""
    program = "import sys, json, tapeflow; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    heavy = {
        "scipy",
        "keras",
        "jax",
        "torch",
        "tensorflow",
        "matplotlib",
        "grain",
        "tensorboardX",
        "malt",
        "h5py",
        "rich",
        "pandas",
        "email",
        "http",
        "ssl",
    }
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
                    yield file.relative_to(PACKAGE).as_posix(), found[1]


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
        if dotted.endswith("core.primitive") and "primitive" in names
        or "ops.families" in dotted or "families" in names
    ]  # fmt: skip
    assert not offenders


# ---- size and typing


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_files_are_short(file):
    """Docstrings do not count: what a function takes and raises is said where the function is, at any length."""
    text = file.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            lines -= node.body[0].end_lineno - node.body[0].lineno + 1
    assert lines <= 480, "when a file needs a table of contents, it is two files"


ROOT = PACKAGE.parent
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MOST = 25  # files in a folder that one still takes in at a glance


def test_files_of_tests_are_short():
    lengths = {f.relative_to(ROOT).as_posix(): len(f.read_text(encoding="utf-8").splitlines()) for f in TESTS}
    assert not {name: n for name, n in lengths.items() if n > 500}


def test_tests_are_where_comments_say():
    """`tests/core/test_nest.py`, somewhere in a comment or a docstring, is a file."""
    named = {m for f in [*FILES, *TESTS] for m in re.findall(r"\btests/[\w/]+\.py", f.read_text(encoding="utf-8"))}
    assert len(named) > 5, "the search above no longer recognises a path"
    assert not [path for path in sorted(named) if not (ROOT / path).exists()]


NAMED = re.compile(r"`(?:tapeflow\.)?((?:core|engines|function|vectorize|transforms|ops)(?:\.\w+){2,})")


def test_modules_are_where_docstrings_say():
    """`function.tracing.graph.Graph.finalize`, somewhere in a comment or a docstring, is there."""
    missing, seen = [], 0
    for file in FILES:
        for dotted in NAMED.findall(file.read_text("utf-8")):
            parts, seen = dotted.split("."), seen + 1
            known = [k for k in range(len(parts), 0, -1) if (PACKAGE.joinpath(*parts[:k]).with_suffix(".py")).exists()]
            text = PACKAGE.joinpath(*parts[: known[0]]).with_suffix(".py").read_text("utf-8") if known else ""
            there = PACKAGE.joinpath(*parts).is_dir() or known and all(name in text for name in parts[known[0] :])
            if not there:
                missing.append((file.relative_to(PACKAGE).as_posix(), dotted))
    assert seen > 10, "the search above no longer recognises a name"
    assert not missing


@pytest.mark.parametrize("top", "tapeflow keras_tapeflow tests fuzz scripts benchmarks".split())
def test_folders_are_small(top):
    folders = {file.parent for file in (ROOT / top).rglob("*.py")}
    large = {f.relative_to(ROOT).as_posix(): n for f in folders if (n := len(list(f.glob("*.py")))) > MOST}
    assert not large, f"more than {MOST} files: make rooms of them"


# ---- contracts


def test_contracts_stand_in_signatures():
    """Where an operation, an executor or an observer is meant, a signature says so (`core/contracts.py`)."""
    loose = re.compile(r"\b(prim|executor|observer): Any\b")
    assert not [name for file, name in zip(FILES, NAMES, strict=True) if loose.search(file.read_text("utf-8"))]


def test_core_names_no_operation():
    """It calls whatever it is given: what it needs of operations is in `core.contracts.Supplied`. (The widening of a
    declaration's own primitive, `ops.{prim.name}`, is text of generated code.)"""
    found = [
        (name, ast.unparse(node))
        for file, name in zip(FILES, NAMES, strict=True)
        if name.startswith("core/")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("ops", "recorded")
    ]
    assert not found


def test_references_are_counted_in_one_place():
    counting = [n for f, n in zip(FILES, NAMES, strict=True) if re.search(r"sys\.getrefcount\(", f.read_text("utf-8"))]
    assert counting == ["core/runtime/refcounts.py"]


FEW = 66  # lower it when there are fewer


def test_few_private_attributes_cross_between_packages():
    """An attribute with a leading underscore belongs to the packages of the second level (`tapeflow/core`) that define
    it: in a class, or on `self`. Counted is every use of one on something else than `self` or `cls`, in a package that
    does not."""
    named_tuples = {"_replace", "_asdict", "_fields", "_make"}
    homes: dict[str, set[str]] = collections.defaultdict(set)
    uses = []
    for top in ("tapeflow", "keras_tapeflow"):
        for file in sorted((ROOT / top).rglob("*.py")):
            parts = file.relative_to(ROOT).parts
            room = "/".join(parts[:2]) if len(parts) > 2 else parts[0]
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    for name in [n for member in node.body for n in _defined_by(member)]:
                        homes[name].add(room)
                elif isinstance(node, ast.Attribute) and re.match(r"_[^_]", node.attr):
                    own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                    if own and isinstance(node.ctx, ast.Store):
                        homes[node.attr].add(room)
                    elif not own and node.attr not in {*named_tuples, "_getframe", "_exit"}:
                        uses.append((room, node.attr))

    crossed = collections.Counter(name for room, name in uses if room not in homes[name])
    assert crossed.total() <= FEW, f"make public what is public between packages: {crossed.most_common(20)}"


def _defined_by(member):
    """The names that a statement in a class gives to its objects."""
    if isinstance(member, ast.FunctionDef):
        yield member.name
    elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
        yield member.target.id
    elif isinstance(member, ast.Assign):
        for target in member.targets:
            if isinstance(target, ast.Name):
                yield target.id
                if target.id == "__slots__":
                    yield from [n.value for n in ast.walk(member.value) if isinstance(n, ast.Constant)]


def test_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


# ---- the public names

# TensorFlow's namespaces, and our own `derivatives` and `export`: no other module belongs into `dir(tf)`, except the
# layers, which importing makes visible.
NAMESPACES = set(
    """audio autodiff autograph bitwise compat config data debugging derivatives distribute dtypes errors experimental
    export feature_column graph_util image initializers io keras linalg lite lookup losses math metrics nest nn
    optimizers profiler quantization queue ragged random raw_ops saved_model sets signal sparse strings summary
    sysconfig test tools tpu train types version xla""".split()
)
NESTED = {"experimental", "special", "numpy", "v1", "v2"}  # namespaces inside namespaces
VISIBLE = {*LAYERS, "cli"} - NAMESPACES

# Public names that need no example of their own, and why.
NO_EXAMPLE = {
    "tf.DType": "dtypes are values such as tf.float32, which every other example shows",
    "tf.dtypes.DType": "the same",
    "tf.raw_ops.": "the functions of the other namespaces under TensorFlow's internal names; the module explains it",
}


def public_names():
    """({"tf.math.sin": value, …}, {"tf.math": module, …}, leaks): what can be reached from `tf` through public
    modules, these modules, and what should not be there."""
    todo, seen, found, leaks = [("tf", tf)], {id(tf)}, {}, []
    spaces = {}
    while todo:
        path, module = todo.pop()
        listed = getattr(module, "__all__", None)
        for name in listed or [n for n in dir(module) if not n.startswith("_")]:
            if module is tf and name in tf._KERAS:  # not ours
                continue
            value, where = getattr(module, name), f"{path}.{name}"
            if not isinstance(value, types.ModuleType):
                found[where] = value
                if callable(value) and not str(getattr(value, "__module__", None) or "tapeflow").startswith(
                    ("tapeflow", "keras")
                ):
                    leaks.append(where)
            elif name in (NAMESPACES if module is tf else listed or NESTED):
                spaces[where] = value
                if id(value) not in seen:
                    seen.add(id(value))
                    todo.append((where, value))
            elif module is not tf or name not in VISIBLE:
                leaks.append(where)
    return found, spaces, leaks


PUBLIC, SPACES, LEAKS = public_names()


def needs_example(name, value) -> bool:
    """Values (dtypes, constants), members of enumerations and exceptions explain themselves."""
    if isinstance(value, type) and issubclass(value, BaseException):
        return False
    return (
        callable(value)
        and not isinstance(value, tf.DType)
        and not any(name.startswith(prefix) for prefix in NO_EXAMPLE)
    )


@pytest.mark.parametrize("name", sorted(n for n, v in PUBLIC.items() if needs_example(n, v)))
def test_public_name_has_an_example(name):
    doc = inspect.getdoc(PUBLIC[name]) or ""
    assert doc, f"{name} has no docstring"
    assert ">>>" in doc, f"{name} has no example in its docstring"


def test_no_helper_is_public():
    """A helper among the public names (`tf.math.Any`, `tf.operators`): import it under a name with an underscore, or
    list the module's public names in `__all__`."""
    assert not LEAKS


# ---- a namespace is where its name says

# Namespaces whose file has another place, and why.
ELSEWHERE = {
    "tf.compat.v2": "the library itself, under the name that old programs write",
    "tf.experimental.dlpack": "arrays of other libraries come and go in api/interop, by DLPack as by NumPy",
}


def place(module: types.ModuleType) -> Path:
    """The file of a module without its ending, or the folder of a package."""
    file = Path(module.__file__)
    return file.parent if file.name == "__init__.py" else file.with_suffix("")


# Those with a file: `tf.experimental.numpy.fft` and `linalg` are made of NumPy's names.
OURS = {
    path: place(module)
    for path, module in SPACES.items()
    if module.__name__.startswith("tapeflow") and "__file__" in vars(module)
}


def test_the_walk_finds_the_namespaces():
    assert {
        "tf.math",
        "tf.math.special",
        "tf.data",
        "tf.compat.v1.train",
        "tf.experimental.numpy.random",
    } <= OURS.keys()


@pytest.mark.parametrize("path", sorted(OURS))
def test_a_namespace_is_a_file_or_folder_of_its_name(path):
    """`tf.image` is a file or folder `image`; `tf.data.experimental` is `experimental` in the folder of `tf.data`."""
    if path in ELSEWHERE:
        return
    above, _, name = path.rpartition(".")
    assert OURS[path].name == name
    assert above == "tf" or OURS[path].parent == OURS[above]


def alike(a: str, b: str) -> bool:
    """Names that one confuses: one is the other with something after an underscore, an ending, or an underscore
    before it."""
    short, long = sorted((a.strip("_"), b.strip("_")), key=len)
    return long in (short, short + "s", short + "es") or long.startswith(short + "_")


def test_alike():
    assert alike("special", "special_functions") and alike("image", "_image") and alike("set", "sets")
    assert not alike("io", "ions") and not alike("math", "matrices") and not alike("nn", "nnz")


@pytest.mark.parametrize("path", sorted(OURS))
def test_nothing_private_has_a_name_like_a_namespace_beside_it(path):
    """Beside `special.py`, which is `tf.math.special`, no `special_functions.py`: which of them holds what?"""
    if path in ELSEWHERE:
        return
    here = OURS[path]
    beside = {p.stem for p in here.parent.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    private = beside - {p.name for p in OURS.values() if p.parent == here.parent}
    assert not [name for name in private if alike(name, here.name)]


# ---- the map


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/how-it-works.md"])
def test_paths_in_the_documentation_exist(page):
    """As they are written, from the root, from the package (`core/primitive.py`) or from one of its rooms (`xla/`)."""
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.-]+/)+(?:[\w-]+\.\w+)?)`", text)
    named += re.findall(r"\]\(([\w./-]+)\)", text)
    assert named, "the search above no longer recognises a path"
    places = (ROOT, PACKAGE, (ROOT / page).parent, *(PACKAGE / layer for layer in LAYERS))
    assert not [path for path in named if not any((place / path).exists() for place in places)]


def test_the_map_shows_every_room():
    """The table in CONTRIBUTING.md has the packages of the library, from the bottom to the top."""
    rows = re.findall(r"^\| `tapeflow/(\w+)/` \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M)
    rows.remove("keras")  # of types: it is no layer, and nothing imports it
    assert rows == [layer for layer in LAYERS if (PACKAGE / layer).is_dir()]
