"""`tf.types.experimental`: names for annotations."""

import sys as _sys
from functools import reduce
from operator import or_
from types import SimpleNamespace
from typing import Any, Protocol, get_args, get_origin, runtime_checkable

from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike
from tapeflow.names.missing import watch_over as _watch_over

from .function.tracing.concrete import ConcreteFunction as _ConcreteFunction
from .function.tracing.polymorphic import Function as _Function

__all__ = ["experimental"]


@runtime_checkable
class _SupportsTracing(Protocol):
    """Anything that says by `__tf_tracing_type__` what a `tf.function` is traced for when it is an argument."""

    def __tf_tracing_type__(self, context: Any) -> Any: ...


# Without the types of elements, so that `isinstance` takes it.
_TensorLike = reduce(or_, (get_origin(kind) or kind for kind in get_args(TensorLike.__value__))) | str | bytes


class _Distributed(SimpleNamespace):
    """Values of replicas, imported when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        from .distribute import replicas

        found = {"PerReplica": replicas.PerReplica, "Mirrored": replicas.DistributedValues}.get(name)
        if found is None:
            raise AttributeError(name)
        return found


experimental = SimpleNamespace(
    Callable=_Function,
    ConcreteFunction=_ConcreteFunction,
    GenericFunction=_Function,
    PolymorphicFunction=_Function,
    SupportsTracingProtocol=_SupportsTracing,
    Tensor=Tensor,
    TensorLike=_TensorLike,
    distributed=_Distributed(),
)

_watch_over(_sys.modules[__name__], "tf.types")
