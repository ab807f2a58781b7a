"""What functions take and give, as a type (`f.function_type`), and what arguments are traced for
(`__tf_tracing_type__`)."""

import abc
import inspect
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .described import signature_text


class Parameter(inspect.Parameter):
    """A parameter and what is given for it: `type_constraint`, a specification or a value."""

    def __init__(self, name: str, kind: Any, type_constraint: Any, optional: bool = False) -> None:
        super().__init__(name, kind)
        self._constraint, self._optional = type_constraint, optional

    type_constraint = property(lambda self: self._constraint)
    optional = property(lambda self: self._optional)

    def __repr__(self) -> str:
        constraint = "None" if self._constraint is None else str(self._constraint)
        return (
            f"Parameter(name={self.name}, kind={self.kind.name}, optional={self._optional}, "
            f"type_constraint={constraint})"
        )


class FunctionType(inspect.Signature):
    """The parameters of a function with what each is to be, what it captures and what it gives.

    >>> f = tf.function(lambda x, k=7: x + 1)
    >>> kind = f.get_concrete_function(tf.TensorSpec([2], tf.int32)).function_type
    >>> list(kind.parameters), kind.output
    (['x', 'k'], 'TensorSpec(shape=(2,), dtype=tf.int32, name=None)')
    """

    __slots__ = ("_captures", "_output")
    _captures: OrderedDict
    _output: Any

    @classmethod
    def of(
        cls, parameters: Iterable[tuple[str, Any, Any, bool]], output: Any = None, captures: Mapping | None = None
    ) -> "FunctionType":
        """From (name, kind, what it is to be, has it a default) of each parameter."""
        made = cls([Parameter(*parameter) for parameter in parameters], __validate_parameters__=False)
        made._output, made._captures = output, OrderedDict(captures or {})
        return made

    output = property(lambda self: self._output)
    captures = property(lambda self: self._captures)

    def __str__(self) -> str:
        name = lambda p: {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        own = [name(p) + (f": {p.type_constraint}" if p.type_constraint is not None else "") for p in self._all()]
        return f"({', '.join(own)})" + ("" if self._output is None else f" -> {self._output}")

    def __repr__(self) -> str:
        lines = [(p.name, p.kind.name, str(p.type_constraint)) for p in self._all()]
        return signature_text(lines, str(self._output), list(self._captures.items()))

    def _all(self) -> list:
        return list(self.parameters.values())


class TraceType(abc.ABC):
    """What a `tf.function` is traced for: an argument says it by `__tf_tracing_type__`, and one trace serves all whose
    types are equal.

    >>> class OfSize(tf.types.experimental.TraceType):
    ...     def __init__(self, n): self.n = n
    ...     def is_subtype_of(self, other): return self == other
    ...     def most_specific_common_supertype(self, others): return self if all(o == self for o in others) else None
    ...     def placeholder_value(self, placeholder_context=None): return Bag(self.n)
    ...     def __eq__(self, other): return isinstance(other, OfSize) and self.n == other.n
    ...     def __hash__(self): return hash(self.n)
    >>> class Bag:
    ...     def __init__(self, n): self.n = n
    ...     def __tf_tracing_type__(self, context): return OfSize(self.n)
    >>> size = tf.function(lambda bag: tf.constant(bag.n))
    >>> int(size(Bag(2))), int(size(Bag(2))), size.experimental_get_tracing_count()
    (2, 2, 1)
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: "TraceType") -> bool:
        """Does a trace for the other type serve values of this one?

        Args:
            other: The type of the trace.
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence["TraceType"]) -> "TraceType | None":
        """The narrowest type that covers this one and all others; None when there is none.

        Args:
            others: The other types.
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        """A value to trace with.

        Args:
            placeholder_context: Taken and not used.

        Returns:
            A value of this type.
        """

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


class TracingContext:
    """What `__tf_tracing_type__` is given."""


class ByType:
    """The tracing type of an argument: equal to that of another if one trace serves both."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByType) and (self.kind == other.kind or bool(self.kind.is_subtype_of(other.kind)))

    def __hash__(self) -> int:
        return hash(self.kind)


def tracing_type(value: Any) -> ByType:
    return ByType(value.__tf_tracing_type__(TracingContext()))
