"""Private names about composites and their specs: a registry by name, the spec of a variable."""

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor, parts_of

BY_NAME: dict[str, type] = {}
NAMES: dict[type, str] = {}


def register(name: str) -> Callable[[type], type]:
    """A decorator that gives a kind of spec a name of the form "project.Name"."""

    def remember(kind: type) -> type:
        if not (isinstance(kind, type) and issubclass(kind, tf.TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {kind!r}")
        if kind in NAMES:
            raise ValueError(
                f"Class {kind.__module__}.{kind.__name__} has already been registered with name {NAMES[kind]}."
            )
        if name in BY_NAME:
            raise ValueError(f"Name {name} has already been registered for class {BY_NAME[name].__name__}.")
        BY_NAME[name], NAMES[kind] = kind, name
        return kind

    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    return remember


def get_name(cls: type) -> str:
    """The name of a kind of spec."""
    if cls not in NAMES:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return NAMES[cls]


def lookup(name: str) -> type:
    """The kind of spec of this name."""
    if name not in BY_NAME:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return BY_NAME[name]


def register_converter(type_object: type, converter_fn: Callable, allow_subclass: bool = False) -> None:
    """`tf.type_spec_from_value` of values of this type asks `converter_fn`."""
    setattr(type_object, "_type_spec", property(converter_fn))  # noqa: B010 - what every composite has


class VariableSpec(tf.TypeSpec):
    """The shape and dtype of a variable, and whether it is trainable. It has no parts: the variable stays itself."""

    __slots__ = ("alias_id", "dtype", "shape", "trainable")
    value_type = tf.Variable

    def __init__(self, shape: Any, dtype: Any = tf.float32, trainable: bool = True, alias_id: Any = None) -> None:
        self.shape, self.dtype = tf.TensorShape(shape), tf.as_dtype(dtype)
        self.trainable, self.alias_id = trainable, alias_id

    def _serialize(self) -> tuple:
        return (self.shape, self.dtype, self.trainable, self.alias_id)

    @classmethod
    def from_value(cls, value: tf.Variable) -> "VariableSpec":
        """The spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Can a variable be described by both?"""
        other = spec_or_value
        return (
            isinstance(other, (VariableSpec, tf.Variable))
            and self.dtype == other.dtype
            and self.trainable == other.trainable
            and self.shape.is_compatible_with(other.shape)
        )

    def __batch__(self, size: int | None) -> "VariableSpec":
        return VariableSpec(tf.TensorShape([size]).concatenate(self.shape), self.dtype, self.trainable)

    def __unbatch__(self) -> "VariableSpec":
        return VariableSpec(self.shape[1:], self.dtype, self.trainable)

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable}, "
            f"alias_id={self.alias_id})"
        )


def tensor_or_composite(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A composite as it is; anything else as a tensor."""
    return value if isinstance(value, CompositeTensor) else tf.convert_to_tensor(value, dtype, name=name)


def with_components(value: Any) -> Any:
    """A composite as what it is made of."""
    return parts_of(value) if nest.is_composite(value) else nest.flatten(value)


def read_variables(values: Any) -> Any:
    """A structure with the values of its variables in their places, those of composites too."""
    return tf.nest.map_structure(_read, values)


def _read(value: Any) -> Any:
    if isinstance(value, tf.Variable):
        return tf.convert_to_tensor(value)
    own = getattr(value, "_convert_variables_to_tensors", None)
    if isinstance(value, CompositeTensor):
        return own() if own is not None else value.__with_each__(_read)
    return value


def constant_value_as_shape(tensor: Any) -> tf.TensorShape:
    """The shape that a tensor of sizes says, as far as it is known."""
    known = tf.get_static_value(tensor, partial=True)
    if known is None:
        return tf.TensorShape([None] * tensor.shape[0] if tensor.shape.rank == 1 and tensor.shape[0] else None)
    return tf.TensorShape([None if size is None or size == -1 else int(size) for size in known])
