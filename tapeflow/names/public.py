"""The public names: which there are under `tf`, and what a dotted name stands for."""

import functools
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

# What is in no public namespace: the layers under them, and what runs programs.
_INSIDE = frozenset(
    "names core engines ops vectorize tape transforms function inspect storage programs demo cli".split()
)

Namespace = ModuleType | SimpleNamespace  # small ones, such as `tf.config.experimental`, are no modules of their own


def listed(module: Namespace) -> list[str]:
    """The public names of one namespace."""
    return list(getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")])


def is_public(module: ModuleType) -> bool:
    """Is it a public namespace of ours, or of Keras, or one that stands in for TensorFlow's?"""
    top, *rest = module.__name__.split(".")
    return top in ("keras", "tensorflow") or top == "tapeflow" and rest not in ([], ["api"]) and rest[0] not in _INSIDE


def namespaces(root: Namespace, public: str) -> Iterator[tuple[str, Namespace]]:
    """(name, module) of a namespace and of all in it, the nearest to the root first."""
    todo: list[tuple[str, Namespace]] = [(public, root)]
    seen = {id(root)}
    while todo:
        path, module = todo.pop(0)
        yield path, module
        for name in listed(module):
            keras = path == "tf" and name in sys.modules["tapeflow"]._KERAS  # not ours to list, and slow to import
            value: Any = None if keras else _member(module, name)
            if _is_namespace(value) and id(value) not in seen:
                seen.add(id(value))
                todo.append((f"{path}.{name}", value))


def _is_namespace(value: Any) -> bool:
    return is_public(value) if isinstance(value, ModuleType) else isinstance(value, SimpleNamespace)


def _member(module: Namespace, name: str) -> Any:
    try:
        return getattr(module, name, None)
    except ImportError:  # a namespace that needs a library which is not installed
        return None


@functools.cache
def public_names() -> tuple[str, ...]:
    """Every public name outside Keras, a namespace's own before those of the namespaces in it: `tf.abs`, …,
    `tf.math.sin`, ….

    >>> from tapeflow.names.public import public_names
    >>> {"tf.sin", "tf.math.sin", "tf.config.experimental.set_memory_growth"} <= set(public_names())
    True
    """
    tf = sys.modules["tapeflow"]
    names = []
    for path, module in namespaces(tf, "tf"):
        if path != "tf.raw_ops":  # the same functions under names that nobody means
            names += [f"{path}.{name}" for name in listed(module)]
    return tuple(names)


@functools.cache
def keras_names() -> tuple[str, ...]:
    """Every public name of `tf.keras`. Imports Keras."""
    keras = sys.modules["tapeflow"].keras
    return tuple(f"{path}.{name}" for path, module in namespaces(keras, "tf.keras") for name in listed(module))


def value_of(name: str) -> Any:
    """What `tf.a.b.c` stands for; AttributeError when there is no such thing.

    >>> from tapeflow.names.public import value_of
    >>> value_of("tf.math.sin") is tf.sin
    True
    """
    value: Any = sys.modules["tapeflow"]
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value
