"""`tf.types.experimental`: what functions, tensors and values that become tensors are, for annotations."""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Protocol, get_args, get_origin, runtime_checkable

from tapeflow.core.tensor import (
    Tensor as Tensor,
)
from tapeflow.core.tensor_like import (
    TensorLike as TensorLike,
)
from tapeflow.function.tracing.arguments.function_types import (
    TraceType as TraceType,
)
from tapeflow.function.tracing.concrete import (
    ConcreteFunction as ConcreteFunction,
)
from tapeflow.function.tracing.polymorphic import (
    Function as Callable,
    Function as GenericFunction,
    Function as PolymorphicFunction,
)

from . import distributed as distributed

__all__ = [
    "Callable", "ConcreteFunction", "GenericFunction", "PolymorphicFunction",
    "SupportsTracingProtocol", "Tensor", "TensorLike", "TraceType", "distributed",
]  # fmt: skip


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """Anything that says by `__tf_tracing_type__` what a `tf.function` is traced for when it is an argument.

    >>> isinstance(tf.TensorSpec([2]), tf.types.experimental.SupportsTracingProtocol)
    False
    """

    def __tf_tracing_type__(self, context: Any) -> Any: ...


if not TYPE_CHECKING:  # without the types of elements, so that `isinstance` takes it
    TensorLike = reduce(or_, (get_origin(kind) or kind for kind in get_args(TensorLike.__value__))) | str | bytes
