"""The batches of an epoch, as Keras makes them; those of sparse arrays are sparse."""

from collections.abc import Iterator
from typing import Any

from keras.src import tree
from keras.src.trainers.data_adapters import array_slicing
from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter
from keras.src.trainers.epoch_iterator import EpochIterator

from . import distribution_lib
from .datasets import DatasetAdapter
from .ops.sparse import as_sparse, is_sparse


class Batches(EpochIterator):
    def _get_iterator(self) -> Iterator:
        adapter = self.data_adapter
        return distribution_lib.batches(self._of_adapter(), adapter.batch_size, isinstance(adapter, DatasetAdapter))

    def _of_adapter(self) -> Iterator:
        adapter = self.data_adapter
        if not isinstance(adapter, ArrayDataAdapter) or not any(map(is_sparse, tree.flatten(adapter._inputs))):
            return super()._get_iterator()
        inputs = array_slicing.convert_to_sliceable(adapter._inputs, target_backend="numpy")
        return adapter._get_iterator(_taken, inputs)


def _taken(array: Any, indices: Any = None) -> Any:
    part = array[indices]
    return as_sparse(part) if is_sparse(part) else array.convert_to_numpy(part)
