"""`fit(dataset)`: a `tf.data.Dataset` of tapeflow as Keras reads it."""

from collections.abc import Iterator
from typing import Any

from keras.src import tree
from keras.src.trainers.data_adapters import data_adapter_utils
from keras.src.trainers.data_adapters.data_adapter import DataAdapter

import tapeflow as tf
from tapeflow.core.tensor import sizes_of


class DatasetAdapter(DataAdapter):
    """Batches of a dataset: tensors, which steps take as they are."""

    def __init__(self, dataset: "tf.data.Dataset", class_weight: dict | None = None) -> None:
        self._dataset, self._class_weight = dataset, class_weight

    def get_numpy_iterator(self) -> Iterator:
        return iter(self._dataset) if self._class_weight is None else map(self._weighted, self._dataset)

    get_jax_iterator = get_numpy_iterator

    def get_tf_dataset(self) -> "tf.data.Dataset":
        return self._dataset

    def _weighted(self, batch: Any) -> tuple:
        x, y, weight = data_adapter_utils.unpack_x_y_sample_weight(batch)
        if weight is not None:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        if tree.is_nested(y):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        return x, y, data_adapter_utils.class_weight_to_sample_weights(y, self._class_weight)

    @property
    def num_batches(self) -> int | None:
        count = int(self._dataset.cardinality())
        return None if count < 0 else count

    @property
    def batch_size(self) -> int | None:
        return sizes_of(tree.flatten(self._dataset.element_spec)[0])[0]

    @property
    def has_partial_batch(self) -> None:
        return None

    @property
    def partial_batch_size(self) -> None:
        return None


def adapted(x: Any, y: Any, sample_weight: Any, class_weight: dict | None) -> Any:
    """The adapter for a dataset; anything else as it is, for Keras to adapt."""
    x = getattr(x, "_for_all", x)  # of a distributed dataset: one replica reads all of it
    if not hasattr(x, "as_numpy_iterator") or not isinstance(x, tf.data.Dataset):
        return x
    for name, given, what in (("y", y, "the targets"), ("sample_weight", sample_weight, "the sample weights")):
        if given is not None:
            raise ValueError(
                f"When providing `x` as a tf.data.Dataset, `{name}` should not be passed. Instead, {what} should be "
                "included as part of the tf.data.Dataset."
            )
    return DatasetAdapter(x, class_weight)
