"""Annotations of fields: what a value of a field is, converted and checked, in values and in their specs."""

import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Union

from tapeflow.core.composite import CompositeTensor, TypeSpec
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.nest import sorted_keys
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

_PLAIN = (int, float, bool, str, bytes, type(None))


class ImmutableDict(Mapping):
    """A mapping that stays as it is: what a field annotated as `Mapping` holds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._entries = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._entries[key]

    def __iter__(self) -> Iterator:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"ImmutableDict({self._entries!r})"


# ---- reading annotations


def annotations_of(cls: type) -> dict[str, Any]:
    """The class's own. What is text in them is looked up in its module, and where it is defined; the class itself is
    known, too."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != cls.__module__:
        frame = frame.f_back
    here = {} if frame is None else frame.f_locals
    own = types.SimpleNamespace(__annotations__=_written(cls))
    names = vars(sys.modules.get(cls.__module__, typing))
    return typing.get_type_hints(own, names, {**here, cls.__name__: cls})


def _written(cls: type) -> dict[str, Any]:
    """As they are written; since Python 3.14 they are evaluated when asked for, and may name what is not there yet."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def check(kind: Any, field: str) -> None:
    """Raises TypeError for an annotation that no field may have."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        fine = isinstance(kind, type) and (
            kind in (*_PLAIN, TensorShape, DType) or issubclass(kind, (Tensor, CompositeTensor))
        )
        if fine or kind is None:
            return
    elif origin in (Union, types.UnionType):
        for part in inside:
            check(part, field)
        return
    elif origin is tuple and inside:
        for part in inside[:1] if inside[1:] == (...,) else inside:
            check(part, field)
        return
    elif origin is Mapping and inside:
        check(inside[1], field)
        return
    name = repr(kind.__name__) if origin is None and isinstance(kind, type) else str(kind)
    raise TypeError(
        f"In field {field!r}: Unsupported type annotation {name}. A field is a tf.Tensor, another ExtensionType, a "
        "ragged or sparse tensor, an int, float, bool, str or bytes, a tf.TensorShape or tf.DType, or a Tuple, "
        "Mapping or Union of these."
    )


# ---- values


def converted(value: Any, kind: Any, path: str, spec: bool = False) -> Any:
    """The value of a field, as its annotation wants it. `spec`: it is the spec's field, where a TypeSpec stands for
    each tensor."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        return _one(value, type(None) if kind is None else kind, path, spec)
    if origin is tuple:
        return _tuple(value, inside, path, spec)
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise TypeError(f"{path}: expected mapping, got {_called(value)}")
        return ImmutableDict(
            {
                converted(k, inside[0], f"{path}[<key>]"): converted(v, inside[1], f"{path}[{k!r}]", spec)
                for k, v in value.items()
            }
        )
    for part in inside:
        try:
            return converted(value, part, path, spec)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{path}: expected {kind}, got {_called(value)}")


def _tuple(value: Any, kinds: tuple, path: str, spec: bool) -> tuple:
    if isinstance(value, Mapping) or not hasattr(value, "__iter__"):
        raise TypeError(f"{path}: expected tuple, got {_called(value)}")
    values = tuple(value)
    if kinds[1:] == (...,):
        kinds = (kinds[0],) * len(values)
    if len(values) != len(kinds):
        raise TypeError(f"{path}: expected tuple with length {len(kinds)}, got {_called(value)} of {len(values)}")
    return tuple([converted(v, kind, f"{path}[{k}]", spec) for k, (v, kind) in enumerate(zip(values, kinds))])


def _one(value: Any, kind: type, path: str, spec: bool) -> Any:
    if issubclass(kind, Tensor):
        return _tensor_spec(value, path) if spec else _tensor(value, path)
    if issubclass(kind, CompositeTensor):
        if spec:
            if isinstance(value, TypeSpec) and issubclass(value.value_type, kind):
                return value
            raise TypeError(f"{path}: expected the TypeSpec of a {kind.__name__}, got {_called(value)}")
        if isinstance(value, kind):
            return value
        raise TypeError(f"{path}: expected {kind.__name__!r}, got {_called(value)}")
    if kind is TensorShape:
        try:
            return TensorShape([value] if isinstance(value, int) else value)
        except (TypeError, ValueError):
            raise TypeError(f"{path}: expected 'tf.TensorShape', got {_called(value)}") from None
    if kind is DType:
        try:
            return as_dtype(value)
        except (TypeError, ValueError):
            raise TypeError(f"{path}: expected 'tf.DType', got {_called(value)}") from None
    if not isinstance(value, kind):
        raise TypeError(f"{path}: expected {kind.__name__!r}, got {_called(value)}")
    return value


def _tensor(value: Any, path: str) -> Any:
    if isinstance(value, Tensor):
        return value
    if value is not None and not isinstance(value, CompositeTensor):
        try:
            return value.value() if isinstance(value, Variable) else to_tensor(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{path}: expected a Tensor, got {_called(value)}")


def _tensor_spec(value: Any, path: str) -> Any:
    if isinstance(value, TypeSpec) and issubclass(value.value_type, Tensor):
        return value
    raise TypeError(f"{path}: expected a TensorSpec, got {_called(value)}")


def _called(value: Any) -> str:
    return repr(type(value).__name__)


def mapped(function: Any, value: Any) -> Any:
    """`function` of what is in a field: its containers stay."""
    if isinstance(value, tuple) and not isinstance(value, TensorShape):
        return tuple([mapped(function, part) for part in value])
    if isinstance(value, ImmutableDict):
        parts = {key: mapped(function, value[key]) for key in sorted_keys(value)}  # the order of nests
        return ImmutableDict({key: parts[key] for key in value})
    return function(value)
