"""`tf.experimental.dispatch_for_api` and its kin: what functions of `tf` do with values of other types.

A function that somebody dispatches on is changed in place, so that whoever holds it asks its handlers first; all
others stay as they are, and cost nothing more.
"""

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, Union

from tapeflow.core.contracts import Operation

H = TypeVar("H", bound=Callable[..., Any])


class _Api:
    """A function that asks handlers: `original` does what it did before."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function, self.name = function, function.__name__
        self.signature = inspect.signature(function)
        self.handlers: list[tuple[dict[str, Any], Callable]] = []
        self.original = _intercepted(function, self)

    def __call__(self, args: tuple, kwargs: dict) -> Any:
        answer = self.asked(args, kwargs)
        return self.original(*args, **kwargs) if answer is NotImplemented else answer

    def asked(self, args: tuple, kwargs: dict) -> Any:
        """What a handler answers; NotImplemented if none does."""
        try:
            given = self.signature.bind(*args, **kwargs).arguments
        except TypeError:  # the function will say it
            return NotImplemented
        found = [h for wanted, h in self.handlers if all(n in given and fits(given[n], t) for n, t in wanted.items())]
        found = list(dict.fromkeys(found))
        if len(found) > 1:
            raise ValueError(
                f"Multiple dispatch targets that were registered with tf.dispatch_for "
                f"({' and '.join(map(str, found))}) match the arguments to {self.name}. Take one back by "
                "tf.experimental.unregister_dispatch_for."
            )
        if found:
            answer = found[0](*args, **kwargs)
            if answer is not NotImplemented:
                return answer
        return _elementwise(self, args, kwargs)


_apis: dict[Callable, _Api] = {}
# kind -> [(the types of the first arguments, handler)]
_handlers: dict[str, list[tuple[tuple, Callable]]] = {"unary": [], "binary": [], "assert": []}


def _intercepted(function: types.FunctionType, api: _Api) -> Callable:
    """Makes the function ask `api`; the result is the function as it was."""
    code = function.__code__
    was = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    was.__kwdefaults__ = function.__kwdefaults__
    function.__signature__ = api.signature  # type: ignore[attr-defined]
    # A function's code may be exchanged, its closure not: the new one has the same free variables.
    free = ", ".join(code.co_freevars)
    source = (
        f"def make({free}):\n"
        f"    def asking(*args, **kwargs):\n        {f'({free},)' if free else 'pass'}\n"
        f"        return __dispatched__[{id(api)}](args, kwargs)\n    return asking\n"
    )
    made: dict[str, Any] = {}
    exec(compile(source, code.co_filename, "exec"), {}, made)
    asking = made["make"](*[None] * len(code.co_freevars))
    function.__globals__.setdefault("__dispatched__", {})[id(api)] = api
    function.__code__ = asking.__code__.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    function.__defaults__ = function.__kwdefaults__ = None
    return was


def _api_of(function: Any) -> _Api:
    if function not in _apis:
        if not isinstance(function, types.FunctionType) or not (function.__module__ or "").startswith("tapeflow"):
            raise ValueError(f"{function} does not support dispatch.")
        _apis[function] = _Api(function)
    return _apis[function]


# ---- matching


def fits(value: Any, kind: Any) -> bool:
    """Is the value of the annotated type?"""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in inside)
    if origin is list:
        return isinstance(value, (list, tuple)) and bool(value) and all(fits(part, inside[0]) for part in value)
    return isinstance(value, kind)


def _check(kind: Any) -> None:
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType, list):
        for part in typing.get_args(kind):
            _check(part)
    elif not isinstance(kind, type):
        raise ValueError(
            f"Type annotation {kind} is not currently supported by dispatch.  Supported annotations: type objects,  "
            "List[...], and Union[...]"
        )


def _elementwise(api: _Api, args: tuple, kwargs: dict) -> Any:
    if not any(_handlers.values()):
        return NotImplemented
    from .elementwise_apis import KINDS  # which imports all of them

    kind = KINDS.get(api.function)
    if kind is None or not _handlers[kind]:
        return NotImplemented
    count = 1 if kind == "unary" else 2
    given = dict(zip(api.signature.parameters, args)) | kwargs
    names = list(api.signature.parameters)[:count]
    if not all(name in given for name in names):
        return NotImplemented
    first, rest = [given[n] for n in names], {n: v for n, v in given.items() if n not in names}
    for wanted, handler in _handlers[kind]:
        if all(map(fits, first, wanted)):
            function = api.function if not rest else lambda *values: api.function(*values, **rest)
            return handler(function, *first)
    return NotImplemented


def of_primitive(prim: Operation, args: tuple, params: dict) -> Any:
    """What handlers answer for a primitive, met by an operator: those of the public function that it is."""
    if any(_handlers.values()) or _apis:
        for api in _apis.values():
            if getattr(api.function, "primitive", None) is prim and len(args) <= len(api.signature.parameters):
                answer = api.asked(args, {n: v for n, v in params.items() if n in api.signature.parameters})
                if answer is not NotImplemented:
                    return answer
    return NotImplemented


# ---- registering


def dispatch_for_api(api: Callable[..., Any], *signatures: Mapping[Any, Any]) -> Callable[[H], H]:
    """A decorator: its function is called in the place of `api` where arguments are of the types of a signature.

    Args:
        api: A function of `tf`.
        *signatures: Types of parameters, by their name or place; `List[T]` and `Union[…]` stand for what they say.
            None given: the annotations of the decorated function.

    Returns:
        The decorator. Its function takes the parameters of `api`; it may leave out `name`.

    Raises:
        ValueError: If the function cannot be dispatched on, or the parameters are not those of `api`.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.shape, {"input": Masked})
    ... def masked_shape(input, out_type=tf.int32):
    ...     return tf.shape(input.values, out_type)
    >>> tf.shape(Masked([1., 2.], [True, False])).numpy()
    array([2], dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(masked_shape)
    """
    asked = _api_of(api)
    parameters = list(asked.signature.parameters)

    def by_name(signature: Mapping[Any, Any]) -> dict[str, Any]:
        found = {}
        for key, kind in signature.items():
            name = parameters[key] if isinstance(key, int) and key < len(parameters) else key
            if name not in parameters:
                raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
            _check(kind)
            found[name] = kind
        if not found:
            raise ValueError(
                "The dispatch_for_api decorator must be called with at least one signature, or applied to a function "
                "that has type annotations on its parameters."
            )
        return found

    wanted = [by_name(signature) for signature in signatures]

    def decorator(handler: H) -> H:
        own = inspect.signature(handler)
        takes = list(own.parameters)
        if takes != parameters and [*takes, "name"] != parameters:
            raise ValueError(
                f"Dispatch function's signature {_bare(own)} does not match API's signature {_bare(asked.signature)}."
            )
        types_of = wanted or [by_name({n: k for n, k in typing.get_type_hints(handler).items() if n in parameters})]
        call = handler if takes == parameters else _without_name(handler)
        _handler_of[call] = handler
        asked.handlers += [(kinds, call) for kinds in types_of]
        return handler

    return decorator


def _bare(signature: inspect.Signature) -> inspect.Signature:
    """Without annotations."""
    empty = inspect.Signature.empty
    bare = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return signature.replace(parameters=bare, return_annotation=empty)


_handler_of: dict[Callable, Callable] = {}  # what is called -> what was decorated


def _without_name(handler: Callable) -> Callable:
    def call(*args: Any, name: Any = None, **kwargs: Any) -> Any:
        return handler(*args, **kwargs)

    return call


def _register(kind: str, what: str, wanted: tuple) -> Callable[[H], H]:
    from .elementwise_apis import KINDS

    for one in wanted:
        _check(one)

    def decorator(handler: H) -> H:
        for known, other in _handlers[kind]:
            if known == wanted:
                names = ", ".join(map(str, wanted))
                raise ValueError(f"A {what} dispatch handler ({other}) has already been registered for {names}.")
        _handlers[kind].append((wanted, handler))
        for function, own in KINDS.items():
            if own == kind:
                _api_of(function)
        return handler

    return decorator


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[H], H]:
    """A decorator: its function `handler(api, x)` is called for every function of one number (`tf.abs`, `tf.cast`,
    `tf.nn.relu`, …) of a value of the type.

    Args:
        x_type: The type of the first argument.

    Returns:
        The decorator. The handler calls `api` with what a tensor is; other arguments are already in it.

    Raises:
        ValueError: If the type has a handler already.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    ... def values_only(api, x):
    ...     return Masked(api(x.values), x.mask)
    >>> tf.abs(Masked([-1., 2.], [True, False])).values.numpy()
    array([1., 2.], dtype=float32)
    >>> tf.experimental.unregister_dispatch_for(values_only)
    """
    return _register("unary", "unary elementwise", (x_type,))


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[H], H]:
    """A decorator: its function `handler(api, x, y)` is called for every function of two numbers (`tf.add`,
    `tf.maximum`, `tf.equal`, …) of values of these types.

    Args:
        x_type: The type of the first argument.
        y_type: The type of the second argument.

    Returns:
        The decorator.

    Raises:
        ValueError: If the types have a handler already.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    ... def both(api, x, y):
    ...     return Masked(api(x.values, y.values), x.mask & y.mask)
    >>> m = Masked([-1., 2.], [True, False])
    >>> tf.add(m, m).values.numpy()
    array([-2.,  4.], dtype=float32)
    >>> tf.experimental.unregister_dispatch_for(both)
    """
    return _register("binary", "binary elementwise", (x_type, y_type))


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[H], H]:
    """A decorator: its function `handler(assert_func, x, y)` is called for `tf.debugging.assert_equal`, `assert_less`
    and the other assertions about two values, of these types.

    Args:
        x_type: The type of the first argument.
        y_type: The type of the second argument.

    Returns:
        The decorator.

    Raises:
        ValueError: If the types have a handler already.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    ... def where_both_are(assert_func, x, y):
    ...     return assert_func(x.values[x.mask & y.mask], y.values[x.mask & y.mask])
    >>> tf.debugging.assert_equal(Masked([1., 2.], [True, False]), Masked([1., 3.], [True, True]))
    >>> tf.experimental.unregister_dispatch_for(where_both_are)
    """
    return _register("assert", "binary elementwise assert", (x_type, y_type))


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Takes back what a `dispatch_for_…` decorator registered.

    Args:
        dispatch_target: The decorated function.

    Raises:
        ValueError: If it was not decorated, or is unregistered already.

    >>> @tf.experimental.dispatch_for_api(tf.reduce_max, {"input_tensor": set})
    ... def largest(input_tensor, axis=None, keepdims=False):
    ...     return max(input_tensor)
    >>> tf.reduce_max({3, 4})
    4
    >>> tf.experimental.unregister_dispatch_for(largest)
    """
    known = False
    for api in _apis.values():
        kept = [(kinds, h) for kinds, h in api.handlers if _handler_of[h] is not dispatch_target]
        known |= len(kept) < len(api.handlers)
        api.handlers[:] = kept
    for handlers in _handlers.values():
        left = [(wanted, h) for wanted, h in handlers if h is not dispatch_target]
        known |= len(left) < len(handlers)
        handlers[:] = left
    if not known:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")
