"""Writes the `.pyi` files of `tf.experimental.numpy`, by which type checkers and editors see what a table makes.

Its functions are declared in `tapeflow/api/interop/numpy_functions/`, many of them in a line, and come into the
namespace under several names when it is imported. A test compares the files with what is there;
`python scripts/numpy_types.py` writes them again.
"""

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import tapeflow as tf

FOLDER = Path(__file__).resolve().parent.parent / "tapeflow" / "experimental" / "numpy"

HEAD = """from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.api.interop.numpy_functions.linear import EighResult, EigResult, QRResult, SlogdetResult, SVDResult
from tapeflow.core.dtypes import DType
from tapeflow.core.tensor import Tensor
"""


def files() -> dict[str, str]:
    """The text of each file, by its name."""
    numpy = tf.experimental.numpy
    return {"__init__.pyi": text(numpy), "fft.pyi": text(numpy.fft), "linalg.pyi": text(numpy.linalg)}


def text(module: ModuleType) -> str:
    first = (module.__doc__ or "").strip().partition("\n")[0]
    functions = [name for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    others = [line(name, getattr(module, name)) for name in module.__all__ if name not in functions]
    parts = [f'"""{first}\n\nWritten by `scripts/numpy_types.py`.\n"""\n', HEAD, *sorted(filter(None, others))]
    names = "".join(f"    {name!r},\n" for name in module.__all__).replace("'", '"')
    parts.append(f"__all__ = [\n{names}]\n")
    return "\n".join([*parts, *(declaration(name, getattr(module, name)) for name in functions)])


def line(name: str, value: Any) -> str:
    """How a name that is no function is declared."""
    if isinstance(value, ModuleType):
        return f"from . import {name} as {name}"
    if isinstance(value, type):
        return f"from {value.__module__} import {value.__name__} as {name}"
    return f"{name}: {kind(type(value))}"


def declaration(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    parameters = [
        p.replace(annotation=p.empty, default=p.empty).__str__()
        + (": " + kind(p.annotation) if p.annotation is not p.empty else "")
        + (" = " + default(p.default) if p.default is not p.empty else "")
        for p in signature.parameters.values()
    ]
    kinds = [p.kind for p in signature.parameters.values()]
    if inspect.Parameter.POSITIONAL_ONLY in kinds:
        parameters.insert(len(kinds) - kinds[::-1].index(inspect.Parameter.POSITIONAL_ONLY), "/")
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        first = kinds.index(inspect.Parameter.KEYWORD_ONLY)
        parameters.insert(first + ("/" in parameters), "*")
    given = "".join(f"    {p},\n" for p in parameters)
    doc = (inspect.getdoc(function) or "").partition("\n\n>>>")[0]  # without the example
    told = "\n".join(f"    {part}".rstrip() for part in doc.splitlines())[4:]
    raw = "r" if "\\" in doc else ""
    return f'def {name}(\n{given}) -> {kind(signature.return_annotation)}:\n    {raw}"""{told}\n    """\n'.replace(
        "(\n)", "()"
    )


def kind(annotation: Any) -> str:
    """An annotation by the names that the head imports."""
    written = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", written).replace("NoneType", "None")


def default(value: Any) -> str:
    simple = value is None or isinstance(value, (bool, int, float, str, tuple)) and value == value
    return repr(value) if simple else "..."


if __name__ == "__main__":
    for name, written in files().items():
        (FOLDER / name).write_text(written, encoding="utf-8")
