"""Objects whose fields are declared by annotations and set once, in the constructor: extension types and their
specs."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from .annotations import annotations_of, check, converted

_NO_FIELDS = ("self", "Spec", "_type_spec")
_INSIDE = "_tf_extension_type_in_constructor"  # how many constructors are running
_PREFIX = "_tf_extension_type"


class Fields:
    """`_fields` are the annotations by name; a constructor sets them, whether the user's or the one made here."""

    _fields: ClassVar[dict[str, Any]] = {}
    _of_specs = False  # do TypeSpecs stand in the place of tensors?

    def __validate__(self) -> None:
        """Called when an object is made: raise an error here if its fields do not go together."""

    def _convert_fields(self) -> None:
        """After a constructor: all fields are there, and become what their annotations say."""
        state = self.__dict__
        missing = {name for name in self._fields if name not in state}
        if missing:
            raise ValueError(f"Missing required fields: {missing}")
        values = {name: converted(state[name], kind, name, self._of_specs) for name, kind in self._fields.items()}
        state.clear()
        state.update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        if _INSIDE not in self.__dict__ or name not in self._fields:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of {self._immutable}."
            )
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        if _INSIDE not in self.__dict__ or name not in self._fields:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of {self._immutable}."
            )
        del self.__dict__[name]

    _immutable = "ExtensionType"

    def __repr__(self) -> str:
        values = ", ".join([f"{name}={_plain(self.__dict__[name], self._of_specs)!r}" for name in self._fields])
        return f"{type(self).__qualname__}({values})"


def _plain(value: Any, spec: bool) -> Any:
    return dict(value) if spec and hasattr(value, "_entries") else value


def of_fields(cls: type, values: dict[str, Any]) -> Any:
    """An object with these fields, as they are: no constructor is called."""
    made = object.__new__(cls)
    made.__dict__.update(values)
    return made


def declared(cls: type, base: type) -> dict[str, Any]:
    """The fields of a class: its own after those of the classes that it is derived from."""
    own = annotations_of(cls)
    what = f"The field annotations for {cls.__name__} are invalid."
    for name, value in vars(cls).items():
        if name not in own and not _is_a_member(name, value):
            raise ValueError(f"{what} Field {name} is missing a type annotation.")
    for name, kind in own.items():
        if name in _NO_FIELDS or name.startswith(_PREFIX) or hasattr(base, name):
            raise ValueError(f"{what} Field '{name}' is reserved.")
        check(kind, name)
    found: dict[str, Any] = {}
    for parent in reversed(cls.__mro__[1:]):
        found.update(vars(parent).get("_fields", {}))
    return found | own


def _is_a_member(name: str, value: Any) -> bool:
    """A method, a property, a class: no field."""
    return (
        name.startswith("__")
        and name.endswith("__")
        or name == "_abc_impl"
        or callable(value)
        or hasattr(type(value), "__get__")
    )


def with_constructor(cls: Any, defaults: dict[str, Any], returns: type) -> None:
    """Gives a class its constructor: the user's, after which fields are converted and checked, or one that takes the
    fields."""
    if "__init__" in vars(cls):
        cls.__init__ = _finishing(vars(cls)["__init__"])
    elif not _has_users_constructor(cls):
        signature = _signature(cls, defaults)
        cls.__init__ = _finishing(_made_of_fields(signature))
        cls.__init__.made_of_fields = True
        cls.__signature__ = signature.replace(return_annotation=returns)
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = [itself, *signature.parameters.values()]
        cls.__init__.__signature__ = cls.__signature__.replace(parameters=parameters)


def _has_users_constructor(cls: type) -> bool:
    """Does it come from a class that it is derived from?"""
    found = [vars(parent)["__init__"] for parent in cls.__mro__[1:-1] if "__init__" in vars(parent)]
    return bool(found) and not hasattr(found[0], "made_of_fields")


def _signature(cls: Any, defaults: dict[str, Any]) -> inspect.Signature:
    """The fields in order. One without a default after one that has one goes by keyword, and so do those after it."""
    parameters, kind, optional = [], inspect.Parameter.POSITIONAL_OR_KEYWORD, False
    for name, annotation in cls._fields.items():
        default = defaults.get(name, inspect.Parameter.empty)
        if default is not inspect.Parameter.empty:
            optional = True
        elif optional:
            kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    return inspect.Signature(parameters)


def _made_of_fields(signature: inspect.Signature) -> Callable:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        self.__dict__.update(given.arguments)

    return __init__


def _finishing(constructor: Callable) -> Callable:
    """The constructor; the outermost one, where they call each other, ends with the checks."""

    @functools.wraps(constructor)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        state = self.__dict__
        depth = state.get(_INSIDE, 0)
        state[_INSIDE] = depth + 1
        try:
            constructor(self, *args, **kwargs)
        finally:
            if depth:
                state[_INSIDE] = depth
            else:
                state.pop(_INSIDE, None)
        if not depth:
            self._convert_fields()
            self.__validate__()

    return __init__
