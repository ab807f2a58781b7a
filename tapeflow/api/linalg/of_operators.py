"""Functions of matrices that take a `tf.linalg.LinearOperator` for the matrix, and leave the work to it."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def is_operator(value: Any) -> bool:
    """Is it a linear operator? Its class says so: it is above, and few programs have one."""
    return getattr(type(value), "__is_linear_operator__", False)


def or_operator(answer: Callable[..., Any]) -> Callable[[F], F]:
    """A decorator: where the first argument is an operator, `answer(operator, …)` is what the function gives. `answer`
    takes the function's other parameters, or those of them that an operator knows what to do with."""
    taken = list(inspect.signature(answer).parameters)[1:]

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        first = next(iter(signature.parameters))

        @functools.wraps(function)
        def either(*args: Any, **kwargs: Any) -> Any:
            if not is_operator(args[0] if args else kwargs.get(first)):
                return function(*args, **kwargs)
            given = signature.bind(*args, **kwargs).arguments
            operator = given.pop(first)
            given.pop("name", None)
            for name, value in given.items():
                if name not in taken and value != signature.parameters[name].default:
                    raise ValueError(f"{function.__name__} of a LinearOperator does not take {name}={value!r}.")
            return answer(operator, **{name: value for name, value in given.items() if name in taken})

        return cast(F, either)

    return decorate
