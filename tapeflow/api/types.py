"""`tf.types.experimental`: names for annotations."""

from types import SimpleNamespace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tapeflow.core.tensor import Tensor
from tapeflow.core.variable import Variable

__all__ = ["experimental"]


@runtime_checkable
class _TensorProtocol(Protocol):
    """Anything with `__tf_tensor__`."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor: ...


# What functions take in the place of a tensor.
_TensorLike = (
    Tensor | Variable | _TensorProtocol | int | float | bool | str | bytes | complex | tuple | list | np.ndarray | np.generic
)

experimental = SimpleNamespace(TensorLike=_TensorLike, Tensor=Tensor)
