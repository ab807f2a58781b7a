"""TensorArrays inside a graph: indices may be symbols there, so all entries are one tensor."""

from typing import Any

import numpy as np

from tapeflow.api.arguments import a_size
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.errors import ValueNeeded
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of

from .tensor_array import TensorArray

_INT = np.dtype("int32")


class OneTensorArray(TensorArray):
    """A TensorArray in a graph. Writing gives another array: what a branch or an iteration writes is its result, not a
    change."""

    def _size(self) -> Tensor:
        return ops.size_tensor(sizes=sizes_of(self._one)[0], dtype=np.dtype("int32"))

    def __len__(self) -> int:
        return sizes_of(self._one)[0]

    def __entries__(self) -> Tensor:
        return self._one

    def _as_one_tensor(self, like: Any = None) -> TensorArray:
        return self

    def _write(self, index: Any, value: Any) -> TensorArray:
        index, value = as_tensor(index), self._fitting(value)
        ids = ops.stack(index, axis=0)
        return self.__with_entries__(ops.scatter_update(self._long_enough(index), ids, ops.stack(value, axis=0)))

    def _scatter(self, indices: Any, value: Any) -> TensorArray:
        ids = as_tensor(list(indices) if isinstance(indices, range) else indices)
        one = self._long_enough(ops.reduce_max(ids, axis=(0,), keepdims=False))
        return self.__with_entries__(ops.scatter_update(one, ids, to_tensor(value, self._dtype)))

    def _long_enough(self, index: Tensor) -> Tensor:
        """The entries, and zeros up to this one where the array grows."""
        if not self._dynamic:
            return self._one
        count, *shape = sizes_of(self._one)
        more = ops.maximum(ops.sub(ops.cast(index, dtype=_INT), ops.size_tensor(sizes=count, dtype=_INT)) + 1, 0)
        zeros = ops.broadcast_to(EagerTensor(np.zeros((), self._dtype.np)), shape=(a_size(more), *shape))
        return ops.concat(self._one, zeros, axis=0)

    def _split(self, value: Any, lengths: Any) -> TensorArray:
        raise ValueNeeded("TensorArray.split makes entries of different sizes, which are not one tensor.")

    def _read(self, index: Any) -> Tensor:
        return ops.take(self._one, as_tensor(index), axis=0)

    def _stack(self) -> Tensor:
        return self._one

    def _gather(self, indices: Any) -> Tensor:
        return ops.take(self._one, as_tensor(list(indices) if isinstance(indices, range) else indices), axis=0)

    def _concat(self) -> Tensor:
        first, second, *rest = sizes_of(self._one)
        return ops.reshape(self._one, shape=(first * second, *rest))

    def __copied__(self) -> TensorArray:
        return self

    def __merged__(self, chosen: Tensor, other: TensorArray) -> TensorArray:
        return self.__with_entries__(ops.where(chosen, self._one, other.__entries__()))

    def __repr__(self) -> str:
        return f"<TensorArray: {len(self)} entries of {self._dtype.name}, shape {self._shape}>"


class Trial(TensorArray):
    """Stands for a TensorArray in a loop's first, tentative iteration."""

    def _write(self, index: Any, value: Any) -> TensorArray:
        self._learner._fitting(value)
        self._shape = self._learner._shape
        return self

    def _scatter(self, indices: Any, value: Any) -> TensorArray:
        return self._write(0, to_tensor(value, self._dtype)[0])
