"""`tf.SparseTensor` and `tf.RaggedTensor` among the arrays that Keras cuts into batches, and that generators give."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np


def slice_sparse_tensors(module: ModuleType) -> None:
    """Lets Keras' `array_slicing` take rows of sparse tensors. Ragged ones are filled up with zeros, as on JAX."""
    from keras_tapeflow.src.ops.core import cast, convert_to_numpy
    from keras_tapeflow.src.ops.sparse import SparseTensor, summed
    from tapeflow import RaggedTensor

    class SparseRows(module.Sliceable):  # type: ignore[name-defined, misc]
        """The rows of a sparse tensor; entries in their order tell where each begins."""

        def __init__(self, array: SparseTensor) -> None:
            super().__init__(summed(array))
            self._ends = np.searchsorted(self.array.indices.array[:, 0], np.arange(array.shape[0] + 1))

        @property
        def shape(self) -> Any:
            return self.array.shape

        def __getitem__(self, indices: Any) -> SparseTensor:
            rows = np.arange(self.shape[0])[indices if isinstance(indices, slice) else np.asarray(indices)]
            begin, count = self._ends[rows], self._ends[rows + 1] - self._ends[rows]
            new = np.repeat(np.arange(len(rows)), count)
            chosen = np.repeat(begin - (np.cumsum(count) - count), count) + np.arange(len(new))
            where = np.column_stack([new, self.array.indices.array[chosen, 1:]])
            return SparseTensor(where, self.array.values.array[chosen], (len(rows), *self.shape[1:]))

        @classmethod
        def cast(cls, x: SparseTensor, dtype: Any) -> SparseTensor:
            return cast(x, dtype)

        @classmethod
        def convert_to_numpy(cls, x: SparseTensor) -> np.ndarray:
            return convert_to_numpy(x)

    knows, convert = module.can_slice_array, module.convert_to_sliceable

    def one(x: Any, target: str | None) -> Any:
        if not isinstance(x, SparseTensor):
            return convert(x.to_tensor().numpy() if isinstance(x, RaggedTensor) else x, target)
        floats = x.dtype.is_floating and x.dtype.name != module.backend.floatx()
        return SparseRows(cast(x, module.backend.floatx()) if floats else x)

    module.can_slice_array = lambda x: isinstance(x, (SparseTensor, RaggedTensor)) or knows(x)
    module.convert_to_sliceable = lambda arrays, target_backend=None: module.tree.map_structure(
        lambda x: one(x, target_backend), arrays
    )


def keep_sparse_batches(module: ModuleType) -> None:
    """Lets sparse batches of a generator, of SciPy's kinds, too, be sparse tensors."""
    from keras_tapeflow.src.ops.sparse import SparseTensor, as_sparse, is_sparse

    as_arrays = module.get_numpy_iterator

    def get_numpy_iterator(batches: Any) -> Iterator:
        known = lambda x: as_sparse(x) if is_sparse(x) else x
        return as_arrays(module.tree.map_structure(known, batch, none_is_leaf=False) for batch in batches)

    module.get_numpy_iterator = get_numpy_iterator
    is_tensorflow_s = module.is_tensorflow_sparse
    module.is_tensorflow_sparse = lambda x: isinstance(x, SparseTensor) or is_tensorflow_s(x)
