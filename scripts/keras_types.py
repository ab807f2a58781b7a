"""Writes `tapeflow/keras/`, by which type checkers and editors see `tf.keras` as Keras' own modules.

When a program runs, `tapeflow.keras` is the module that `keras_tapeflow/hook.py` finds, and these files are not read;
checkers do not run the hook. There is one for each public module of Keras, in the flavour that TensorFlow shows, which
passes on its names. A test compares them with the Keras that is installed; `python scripts/keras_types.py` writes them
again. (They are no `.pyi` stubs: of those pyright says that the source is missing.)
"""

from importlib.util import find_spec
from pathlib import Path

FLAVOUR = "keras._tf_keras.keras"
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
        found[path.as_posix()] = passing_on(".".join(("", *place.parts)), inside)
    return found


def passing_on(name: str, inside: list[str]) -> str:
    """What a module such as `.layers` passes on; `inside` are the modules in it."""
    lines = [f'"""`tf.keras{name}`, to type checkers. Written by `scripts/keras_types.py`."""\n']
    if name in (".losses", ".metrics"):  # to which `tapeflow.api.keras_loading` adds the functions' long names
        lines += [f"from keras{name} import *"]
    lines += [f"from {FLAVOUR}{name} import *"]
    if inside:
        lines += [
            "\nfrom . import (  # type: ignore[no-redef]",
            *[f"    {child} as {child}," for child in inside],
            ")",
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path, text in files().items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text, encoding="utf-8")
