"""Whether tapeflow has a name of TensorFlow, for `tapeflow check` and the support table."""

import functools
import importlib.util
import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.names.hints import hint
from tapeflow.names.public import listed, value_of

from . import stand_in

SUPPORTED, PARTLY, MISSING = "supported", "partly", "missing"


_CONCRETE = {Tensor: EagerTensor}  # the class that has the members of a public one


@dataclass(frozen=True)
class Answer:
    """What is known about one name: its status, a reason or a hint, and in how many files of the survey it was
    found."""

    name: str
    status: str
    note: str = ""
    files: int = 0


@functools.cache
def table() -> dict[str, dict[str, Any]]:
    """The support table, made by `scripts/support_table.py`: {"tf.sin": {"status": …, "files": …, "note": …}, …}."""
    return json.loads(Path(__file__).with_name("support.json").read_text(encoding="utf-8"))


@functools.cache
def answer(name: str) -> Answer:
    """Looks a public name up, here and now.

    >>> from tapeflow.programs.support import answer
    >>> answer("tf.math.sin").status, answer("tf.Session").status
    ('supported', 'missing')
    """
    known = table().get(name, {})
    try:
        find(name)
        if (refused := refusal(name)) is not None:
            return Answer(name, MISSING, refused, known.get("files", 0))
    except (AttributeError, ImportError) as error:
        note = str(error) if isinstance(error, ModuleNotFoundError) or name.startswith("tensorflow") else hint(name)
        return Answer(name, MISSING, note, known.get("files", 0))
    partly = known if known.get("status") == PARTLY else {}
    return Answer(name, PARTLY if partly else SUPPORTED, partly.get("note", ""), known.get("files", 0))


def find(name: str) -> Any:
    """The value of a name; AttributeError or ImportError when it is not there. Members of a class count, those of a
    value do not."""
    if name.startswith("tensorflow_"):
        if importlib.util.find_spec(name) is None:
            stand_in.CompanionFinder().find_spec(name)
            raise ModuleNotFoundError(f"No module named {name!r}: tapeflow stands in for TensorFlow alone.")
        return name
    parts = name.split(".")
    if parts[0] == "tensorflow":  # tensorflow.python.…, tensorflow.core.…: the longest prefix that is a module
        size = next(size for size in range(len(parts), 0, -1) if stand_in.served(".".join(parts[:size])))
        value, rest = stand_in.served(".".join(parts[:size])), parts[size:]
    else:
        value, rest = value_of("tf"), parts[1:]
    for part in rest:
        if not isinstance(value, (ModuleType, SimpleNamespace, type)):
            break  # such as tf.__version__.split
        value = getattr(_CONCRETE.get(value, value) if isinstance(value, type) else value, part)
    return value


# How the documentation of something that is there only to say what to do instead begins, or what its first example
# shows.
_REFUSES = re.compile(r"Raises (?:RuntimeError|NotImplementedError|UnimplementedError)[:,] *(?P<why>[^\n]*)")
_FAILS = re.compile(
    r"[^>]*>>> .*\n(?:\.\.\. .*\n)*Traceback.*\n[\w.]*(?:NotImplemented|Unimplemented|Runtime)Error: (?P<why>.*)"
)


def refusal(name: str) -> str | None:
    """What to do instead, where a name only raises an error with the answer: `tf.compat.v1.placeholder`; None for all
    others."""
    parts = name.split(".")
    for size in range(2, len(parts) + 1):
        value = find(".".join(parts[:size]))
        if (
            parts[0] == "tf"
            and callable(value)
            and str(getattr(value, "__module__", "")).startswith(("tapeflow", "tensorflow"))
        ):
            doc = inspect.getdoc(value) or ""
            if refuses := _REFUSES.match(doc) or _FAILS.match(doc):
                return hint(name, spelling=False) or refuses["why"]
    return None


def without_members(name: str) -> str:
    """A name up to the value that it stands for, whose own members are not asked about: `tf.__version__.split` is
    `tf.__version__`."""
    parts = name.split(".")
    for size in range(2, len(parts)):
        try:
            value = find(".".join(parts[:size]))
        except (AttributeError, ImportError):
            return name
        if not isinstance(value, (ModuleType, SimpleNamespace, type)):
            return ".".join(parts[:size])
    return name


@functools.cache
def is_namespace(name: str) -> bool:
    """Whether a name stands for a module: `tf.math`, `tf.keras.layers`."""
    try:
        return isinstance(find(name), (ModuleType, SimpleNamespace))
    except (AttributeError, ImportError):
        return False


def members(name: str) -> list[str]:
    """What `from name import *` would bring."""
    return listed(find(name)) if is_namespace(name) else []
