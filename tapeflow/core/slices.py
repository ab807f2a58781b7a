"""IndexedSlices: rows of a mostly-zero tensor, which is what the gradient of a gather is."""

from typing import Any

import numpy as np

from .composite import CompositeTensor
from .contracts import supplied
from .convert import register_conversion, to_tensor
from .dtypes import DType
from .primitive import recorded
from .shapes import TensorShape
from .sizes import Size, tensor_of
from .tensor import EagerTensor, Tensor


class SparseGradient:
    """A gradient of rows inside a backward walk, on arrays or on tensors. Row `indices[k]` gets `values[k]`."""

    __slots__ = ("values", "indices", "shape")

    def __init__(self, values: Any, indices: Any, shape: tuple) -> None:
        self.values, self.indices, self.shape = values, indices, shape

    def dense(self, ops: Any) -> Any:
        return supplied.rows_summed(ops, self.values, self.indices, self.shape[0])


class IndexedSlices(CompositeTensor):
    """Rows `values[k]` that belong at `indices[k]` of a tensor of shape `dense_shape`; rows may repeat, and then add
    up.

    Gradients of `tf.gather` and embeddings come like this. Arithmetic and `tf.*` functions make it dense by
    themselves.

    Args:
        indices: Which rows they are: a vector of integers.
        values: The rows.
        dense_shape: The shape of the whole tensor; None: not known.

    >>> import tapeflow as tf
    >>> s = tf.IndexedSlices(tf.constant([[1., 2.], [3., 4.]]), tf.constant([0, 0]), tf.constant([2, 2]))
    >>> tf.convert_to_tensor(s).numpy().tolist()
    [[4.0, 6.0], [0.0, 0.0]]
    """

    __array_priority__ = 100

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices = _as_tensor(values), _as_tensor(indices)
        self._dense_shape = dense_shape if dense_shape is None else _as_tensor(dense_shape)

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(np.asarray(self._dense_shape).tolist())

    sizes = shape

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def device(self) -> str:
        return self._values.device

    def numpy(self) -> np.ndarray:
        """The dense values as a NumPy array."""
        return self.dense().numpy()

    def dense(self, dtype: DType | None = None) -> Tensor:
        """The whole tensor: rows that are not there are 0, rows that repeat are added up.

        Raises:
            ValueError: If the dense shape is not known.
        """
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without dense_shape: give the shape as third argument, "
                "tf.IndexedSlices(values, indices, dense_shape)."
            )
        if dtype is not None and dtype is not self.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype {self.dtype.name}."
            )
        return supplied.rows_summed(recorded, self._values, self._indices, self.shape[0])

    # What a tape differentiates when the slices are a source: the values.
    @property
    def _differentiable(self) -> Tensor:
        return self._values

    def _with_differentiable(self, values: Tensor) -> "IndexedSlices":
        return IndexedSlices(values, self._indices, self._dense_shape)

    def __neg__(self) -> "IndexedSlices":
        return self._with_differentiable(-self._values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.dense(), dtype=dtype)

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self._indices!r}, values={self._values!r}, dense_shape={self._dense_shape!r})"


def _as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else to_tensor(value)


register_conversion(IndexedSlices, lambda value, dtype: value.dense(dtype))


def finished(gradient: SparseGradient) -> IndexedSlices:
    """The public form, on tensors."""
    wrap = lambda v: v if isinstance(v, Tensor) else EagerTensor(v)
    sized = any(type(d) is Size for d in gradient.shape)
    shape = tensor_of(tuple(gradient.shape)) if sized else EagerTensor(np.array(gradient.shape, np.int32))
    return IndexedSlices(wrap(gradient.values), wrap(gradient.indices), shape)
