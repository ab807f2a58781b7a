"""One more case where Keras chooses its backend: syntax trees of these modules, with ours among the backends. Standard
library only."""

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


def grafted(source: bytes, name: str) -> Any:
    """The syntax tree of a module with one more case in its choice of a backend."""
    import ast

    tree = ast.parse(source)
    chains = [last for node in tree.body if (last := _last_case(node)) is not None]
    if not chains and (_mentions(tree, "get_pluggable_backend_module") or _mentions(tree, "import_module")):
        return tree  # a Keras that looks backends up by their name
    if len(chains) != 1:
        raise ImportError(
            f"tapeflow does not find where {name} chooses its backend: this is Keras {version()}, and tapeflow "
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


def check_version() -> None:
    """Another Keras may have other functions, and would fail somewhere inside."""
    found = version()
    parts = found.split(".")[:2]
    if all(part.isdecimal() for part in parts) and tuple(map(int, parts)) not in VERSIONS:
        raise ImportError(
            f"Keras {found} does not run on this tapeflow, which supports Keras {SUPPORTED}: pip install "
            '"keras>=3.15,<3.17".',
            name="keras",
        )


def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("keras")
    except metadata.PackageNotFoundError:
        return "of an unknown version"
