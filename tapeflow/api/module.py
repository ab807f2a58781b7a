"""`tf.Module`: an object that finds the variables and modules among its attributes."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tapeflow.core.variable import Variable

from .runtime import name_scope

__all__ = ["Module"]


class Module:
    """Base class for models: variables and modules assigned to attributes, also inside lists and dicts, are found again.

    >>> class Dense(tf.Module):
    ...     def __init__(self, inputs, outputs, name=None):
    ...         super().__init__(name=name)
    ...         self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
    ...         self.b = tf.Variable(tf.zeros([outputs]), name="b", trainable=False)
    ...     def __call__(self, x):
    ...         return x @ self.w + self.b
    >>> class Stack(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.layers = [Dense(2, 3), Dense(3, 1)]
    >>> net = Stack()
    >>> [v.shape.as_list() for v in net.trainable_variables], len(net.submodules), net.name
    ([[2, 3], [3, 1]], 2, 'stack')
    """

    # Attributes that hold no state of the model.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset(("_name", "_name_scope"))

    def __init__(self, name: str | None = None) -> None:
        name = _snake_case(type(self).__name__) if name is None else name
        if not name.replace(".", "_").replace("-", "_").isidentifier():
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers, such as e.g. a valid Python class name."
            )
        self._name = name
        with name_scope(name) as full:  # the scopes that are open where the module is made stay part of it
            self._name_scope = name_scope(full)

    @property
    def name(self) -> str:
        """The name given, or the class's name in snake case."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A `tf.name_scope` of this module's name."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of this module and of its submodules: its own first, attributes by name."""
        return tuple(self._flatten(lambda value: isinstance(value, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that a tape watches by itself."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The other variables."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple["Module", ...]:
        """All modules inside this one, however deep."""
        return tuple(m for m in self._flatten(lambda value: isinstance(value, Module)) if m is not self)

    def _flatten(self, predicate: Callable, recursive: bool = True, **_: Any) -> list:
        """What satisfies `predicate` among the attributes, breadth first and each once: a module's own before its submodules'."""
        found: list = []
        seen = {id(self)}
        modules: list = [self]
        while modules:
            module = modules.pop(0)
            inner: list = []
            ignored = getattr(module, "_TF_MODULE_IGNORED_PROPERTIES", ())
            for key in sorted(vars(module), key=str):
                if key in ignored:
                    continue
                for leaf in _leaves(vars(module)[key]):
                    if id(leaf) in seen:
                        continue
                    seen.add(id(leaf))
                    if predicate(leaf):
                        found.append(leaf)
                    if isinstance(leaf, Module):
                        inner.append(leaf)
            if recursive:
                modules = inner + modules
        return found

    @classmethod
    def with_name_scope(cls, method: Callable) -> Callable:
        """A decorator for methods: runs them inside the module's name scope.

        >>> class Layer(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def scope(self):
        ...         return tf.get_current_name_scope()
        >>> Layer(name="encoder").scope()
        'encoder'
        """

        @functools.wraps(method)
        def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return wrapped


def _leaves(value: Any) -> Iterable:
    """The things inside nested lists, tuples and dicts."""
    if isinstance(value, Mapping):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _leaves(entry)
    else:
        yield value


def _snake_case(name: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()
