"""`tapeflow inspect`: what is in a saved model, as text, without calling any of it."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.core.errors import OpError
from tapeflow.core.variables.variable import Variable
from tapeflow.function.saving.loaded import LoadedFunction, described

from .files import INDEX
from .loading import LoadedObject, ObjectReader

__all__ = ["inspect", "report"]


def inspect(path: str) -> int:
    """Print what is in the folder at a path; gives the exit status: 0, 1 if operations are missing, 2 if it cannot be
    read."""
    try:
        text, complete = report(Path(path))
    except (OpError, OSError, ValueError, NotImplementedError) as error:
        print(f"tapeflow inspect: {error}", file=sys.stderr)
        return 2
    print(text)
    return 0 if complete else 1


def report(folder: Path) -> tuple[str, bool]:
    """The text, and whether all operations are there."""
    root, writer, missing = _loaded(folder)
    parts = dict(_parts(root))
    variables = {name: v for name, v in parts.items() if isinstance(v, Variable)}
    functions = {name: f for name, f in parts.items() if isinstance(f, LoadedFunction)}
    count = sum(int(np.prod(tuple(v.shape))) for v in variables.values())
    lines = [f"{os.fspath(folder)}: a saved model of {writer}", "", "signatures"]
    lines += [f"  {_signature(name, one)}" for name, one in root.signatures.items()] or ["  none"]
    lines += ["", f"variables ({len(variables)}, {count} numbers)"]
    lines += [f"  {_variable(name, v)}" for name, v in variables.items()] or ["  none"]
    lines += ["", "functions"]
    lines += [f"  {name}{call}" for name, f in functions.items() for call in _calls(f)] or ["  none"]
    lines += ["", f"missing operations\n{missing}" if missing else "missing operations: none"]
    return "\n".join(lines), not missing


def _loaded(folder: Path) -> tuple[Any, str, str]:
    """The object, who wrote it, and what cannot run."""
    if (folder / INDEX).is_file() or not (folder / "saved_model.pb").is_file():
        from .files import read_model

        model, arrays = read_model(folder)
        return ObjectReader(model, arrays.__getitem__).root(), "tapeflow", ""
    from .tensorflow import opened

    objects = opened(folder, set())
    root = objects.root(complain=False)
    version = objects.meta.meta_info_def.tensorflow_version
    return root, f"TensorFlow {version}".strip(), objects.missing


def _parts(root: Any) -> Iterator[tuple[str, Any]]:
    """Variables and functions by the shortest way to them, each once."""
    queue: list[tuple[str, Any]] = [("", root)]
    seen: set[int] = set()
    for name, value in queue:  # grows while it is walked
        key = value.serial if isinstance(value, Variable) else id(value)
        if key in seen:
            continue
        seen.add(key)
        join = lambda part, name=name: f"{name}.{part}" if name else str(part)
        if isinstance(value, (Variable, LoadedFunction)):
            yield name, value
        elif isinstance(value, LoadedObject):
            queue += [(join(part), held) for part, held in value._saved_parts(value is root).items()]
        elif isinstance(value, Mapping):
            queue += [(join(part), held) for part, held in value.items()]
        elif isinstance(value, (list, tuple)):
            queue += [(join(part), held) for part, held in enumerate(value)]


def _signature(name: str, one: Any) -> str:
    taken, given = one.structured_input_signature[1], one.structured_outputs
    spec = lambda found: ", ".join(f"{key}: {_spec(value)}" for key, value in sorted(found.items()))
    return f"{name}({spec(taken)}) -> {spec(given)}"


def _spec(spec: Any) -> str:
    if not hasattr(spec, "dtype") or not hasattr(spec, "shape"):
        return repr(spec)
    return f"{spec.dtype.name} {spec.shape}"


def _variable(name: str, variable: Variable) -> str:
    kind = "" if variable.trainable else ", not trainable"
    return f"{name}: {variable.dtype.name} {tuple(variable.shape)}{kind}"


def _calls(function: Any) -> list[str]:
    """The arguments that it was saved for."""
    if hasattr(function, "found"):
        return [trace.call for trace in function.found]
    return [described(f.structure, f) for f in function.concrete_functions]
