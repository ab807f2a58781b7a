"""`tf.Module`: an object that finds the variables and modules among its attributes."""

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from tapeflow.api.runtime import name_scope as _name_scope
from tapeflow.core.shapes import TensorShape
from tapeflow.core.variables import arrivals
from tapeflow.core.variables.variable import Variable
from tapeflow.names import attributes

__all__ = ["Module"]

Method = TypeVar("Method", bound=Callable[..., Any])


class Module:
    """Base class for models: variables and modules assigned to attributes, also inside lists and dicts, are found
    again.

    Args:
        name: What the module is called; None: by its class.

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
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name)."
            )
        self._name = name
        with _name_scope(name) as full:  # the scopes that are open where the module is made stay part of it
            self._name_scope = _name_scope(full)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if arrivals.waiting:  # a checkpoint was restored that has a value for an attribute which was not there
            arrivals.attribute_set(self)

    @property
    def name(self) -> str:
        """The name given, or the class's name in snake case."""
        return self._name

    @property
    def name_scope(self) -> _name_scope:
        """A `tf.name_scope` of this module's name."""
        return self._name_scope

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of this module and of its submodules: its own first, attributes by name."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """The variables that a tape watches by itself."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Variable) and value.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """The other variables."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Variable) and not value.trainable))

    @property
    def submodules(self) -> tuple["Module", ...]:
        """All modules inside this one, however deep."""
        return tuple(m for m in self._flatten(predicate=lambda value: isinstance(value, Module)) if m is not self)

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable | None = None,
        attribute_traversal_key: Callable | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator:
        """What satisfies `predicate` among the attributes, each once: a module's own before its submodules'. With its
        path if asked.

        >>> net = tf.Module()
        >>> net.parts = [tf.Variable(1.), {"b": tf.Variable(2.)}]
        >>> [path for path, _ in net._flatten(predicate=lambda part: isinstance(part, tf.Variable), with_path=True)]
        [('parts', 0), ('parts', 1, 'b')]
        """
        seen = {id(self)}
        modules: list[tuple[tuple, Module]] = [((), self)]
        while modules:
            start, module = modules.pop(0)
            inner: list[tuple[tuple, Module]] = []
            ignored = getattr(module, "_TF_MODULE_IGNORED_PROPERTIES", ())
            for key in sorted(vars(module), key=attribute_traversal_key or str):
                if key in ignored:
                    continue
                for path, leaf in _leaves((*start, key), vars(module)[key]):
                    if id(leaf) in seen:
                        continue
                    seen.add(id(leaf))
                    if predicate is None or predicate(leaf):
                        yield (path, leaf) if with_path else leaf
                    if isinstance(leaf, Module):
                        inner.append((path, leaf))
            if recursive:
                modules = inner + modules

    @classmethod
    def with_name_scope(cls, method: Method) -> Method:
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

        return cast(Method, wrapped)

    def _no_dependency(self, value: Any) -> Any:
        """TensorFlow's way to keep a value out of checkpoints; here an attribute is as it was set."""
        return value

    def __dir__(self) -> list[str]:
        return attributes.present(self)


attributes.say_instead(Module, attributes.FOR_MODULES)


def _leaves(path: tuple, value: Any) -> Iterator[tuple[tuple, Any]]:
    """The things inside nested lists, tuples and dicts, with the paths to them."""
    if isinstance(value, Mapping):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves((*path, key), value[key])
    elif isinstance(value, (list, tuple)) and not isinstance(value, TensorShape):  # whose rank may be unknown
        for place, entry in enumerate(value):
            yield from _leaves((*path, place), entry)
    else:
        yield path, value


def _snake_case(name: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)).lower()
