"""`tf.saved_model.save(…, format="tensorflow")`: what an object holds, given to the writer of TensorFlow's format."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tapeflow.core.errors import InternalError
from tapeflow.core.variables.variable import Variable
from tapeflow.export.lowering import CannotBeExported
from tapeflow.export.to_tensorflow.saved_models import Held, Signature, Traced, write
from tapeflow.export.to_tensorflow.structures import signature_of
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.polymorphic import BoundFunction
from tapeflow.function.tracing.ranks import RankedFunction

from .files import INDEX
from .writing import ObjectWriter, has_signature, kind_of, name_of, traces

__all__ = ["save"]


def save(writer: ObjectWriter, obj: Any, folder: Path, signatures: Mapping[str, Signature]) -> None:
    """Write an object, and what it holds, into a folder."""
    objects = _Tree(writer)
    objects.add(obj, "")
    write(folder, objects.found, signatures, _check)
    (folder / INDEX).unlink(missing_ok=True)  # of a model in our own format, which `load` would read


def _check(folder: Path) -> None:
    """Read the model again. What it does not say is whether TensorFlow has operators that our reader lacks."""
    from .tensorflow import opened

    try:
        opened(folder, set()).root(complain=False)
    except Exception as error:
        raise InternalError(
            None, None, f"The model was not saved, since it could not be read again: {type(error).__name__}: {error}. "
            "This is a fault of tapeflow; please report it. Nothing was written."
        ) from error  # fmt: skip


class _Tree:
    """Objects by number, each once; what it holds comes after it."""

    def __init__(self, writer: ObjectWriter) -> None:
        self.writer = writer
        self.found: list[Held] = []
        self.numbers: dict[Any, int] = {}
        self.kept: list[Any] = []  # so that no identity is used twice

    def add(self, value: Any, path: str) -> int | None:
        """The number of what is worth saving; None for all else."""
        value = value.__tf_variable__() if hasattr(value, "__tf_variable__") else value
        value = value.function if isinstance(value, BoundFunction) else value
        key = ("variable", value.serial) if isinstance(value, Variable) else id(value)
        if key in self.numbers:
            return self.numbers[key]
        kind = "table" if hasattr(value, "__tf_table__") else kind_of(value)
        if kind in ("list", "tuple", "dict"):
            return self._container(value, kind, key, path)
        if kind in ("function", "concrete"):
            return self._new(key, value, Held("function", _traced(value, path), {}))
        if kind == "table":
            return self._new(key, value, Held("table", value.__tf_table__, {}))
        if kind is None:
            return None
        children: dict[str, int] = {}
        number = self._new(key, value, Held(kind, value, children))
        if kind == "object":
            self._fill(children, self.writer.parts(value), path)
        return number

    def _new(self, key: Any, value: Any, held: Held) -> int:
        self.numbers[key] = len(self.found)
        self.kept.append(value)
        self.found.append(held)
        return self.numbers[key]

    def _fill(self, children: dict[str, int], parts: Mapping, path: str) -> None:
        for name, part in parts.items():
            number = self.add(part, f"{path}.{name}" if path else str(name))
            if number is not None:
                children[str(name)] = number

    def _container(self, value: Any, kind: str, key: Any, path: str) -> int | None:
        """One that holds something worth saving. It comes before that."""
        parts = dict(value) if kind == "dict" else dict(enumerate(value))
        if not self._worth(parts):
            return None
        if kind == "dict" and not all(isinstance(name, str) for name in parts):
            raise ValueError(
                f"Unable to save the object {value!r} (a dictionary wrapper constructed automatically on attribute "
                f"assignment). The wrapped dictionary, {path or 'the object'}, contains a non-string key which maps "
                "to a trackable object or mutable data structure, and TensorFlow's format names what a dict holds by "
                "texts. Use texts as keys, or save with the default format."
            )
        children: dict[str, int] = {}
        number = self._new(key, value, Held(kind, value, children))
        self._fill(children, parts, path)
        return number

    def _worth(self, parts: Mapping) -> bool:
        """Is there a variable, a module, a table or a function in it, however deep?"""
        waiting, seen = list(parts.values()), set()
        while waiting:
            part = waiting.pop()
            kind = kind_of(part.function if isinstance(part, BoundFunction) else part)
            if kind in ("list", "tuple", "dict") and id(part) not in seen:
                seen.add(id(part))
                waiting += part.values() if kind == "dict" else part
            elif kind is not None or hasattr(part, "__tf_variable__") or hasattr(part, "__tf_table__"):
                return True
        return not parts


def _traced(function: Any, path: str) -> Traced:
    """A function with its traces."""
    if isinstance(function, RankedFunction):
        raise CannotBeExported(
            f"{path} cannot be exported to TensorFlow's format as one concrete function, since it takes tensors of "
            "any rank. Save the tf.function itself, or a concrete function for a rank."
        )
    if isinstance(function, ConcreteFunction):
        return Traced(path.rpartition(".")[2], signature_of(function), False, [function])
    found = [trace for trace, _ in traces(function)]
    if not found:
        logging.getLogger("tapeflow").warning(
            "Found untraced functions such as %s while saving. These functions will not be directly callable after "
            "loading: call %s, or give it an input_signature, before saving.", name_of(function), path,
        )  # fmt: skip
    return Traced(name_of(function), signature_of(function), has_signature(function), found)
