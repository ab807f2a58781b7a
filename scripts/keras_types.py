"""Writes `tapeflow/keras/`, by which type checkers and editors see `tf.keras` as Keras' own modules.

When a program runs, `tapeflow.keras` is the module that `keras_tapeflow/hook.py` finds, and these files are not read;
checkers do not run the hook. There is one for each public module of Keras, in the flavour that TensorFlow shows, which
passes on its names. A test compares them with the Keras that is installed; `python scripts/keras_types.py` writes them
again. (They are no `.pyi` stubs: of those pyright says that the source is missing.)
"""

import ast
from importlib.util import find_spec
from pathlib import Path

FLAVOUR = "keras._tf_keras.keras"
ADDED = ("losses", "metrics")  # to which `tapeflow.api.keras_loading` adds the functions' long names
FOLDER = Path(__file__).resolve().parent.parent / "tapeflow" / "keras"


def files() -> dict[str, str]:
    """The text of each file, by its path in `tapeflow/keras`."""
    spec = find_spec("keras")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("Keras is not installed.")
    root = Path(spec.submodule_search_locations[0], "_tf_keras", "keras")
    found = {}
    for init in sorted(root.rglob("__init__.py")):
        place = init.parent.relative_to(root)
        inside = sorted(child.parent.name for child in init.parent.glob("*/__init__.py"))
        path = place / "__init__.py" if inside else place.with_suffix(".py")
        added = root.parent.parent.joinpath(*place.parts, "__init__.py") if place.name in ADDED else None
        found[path.as_posix()] = passing_on(".".join(("", *place.parts)), init, added, inside)
    return found


def passing_on(name: str, init: Path, added: Path | None, inside: list[str]) -> str:
    """What a module such as `.layers` passes on, whose names are in `init`; `inside` are the modules in it."""
    lines = [f'"""`tf.keras{name}`, to type checkers. Written by `scripts/keras_types.py`."""']
    own = [n for n in names_of(init) if n not in inside]
    more = [n for n in names_of(added) if n not in [*own, *inside]] if added else []
    lines += [_imported(f"keras{name}", more), _imported(f"{FLAVOUR}{name}", own), _imported(".", inside)]
    return "\n".join(filter(None, lines)) + "\n"


def names_of(init: Path) -> list[str]:
    """The public names that a module imports."""
    tree = ast.parse(init.read_text(encoding="utf-8"))
    found = {a.asname or a.name for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names}
    return sorted(n for n in found if not n.startswith("_") or n == "__version__")


def _imported(module: str, names: list[str]) -> str:
    """One by one: mypy finds none in `import *` from Keras, which has no annotations, unless it is told to follow."""
    return "\n".join([f"\nfrom {module} import (", *[f"    {n} as {n}," for n in names], ")"]) if names else ""


if __name__ == "__main__":
    for path, text in files().items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text, encoding="utf-8")
