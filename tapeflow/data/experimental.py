"""`tf.data.experimental`: older names of what `Dataset` has as methods, and some more."""

from typing import Any

from tapeflow.core.errors import OutOfRangeError
from tapeflow.core.tensor import Tensor

from .dataset import Dataset
from .elements import element
from .files.csv import (
    CsvDataset as CsvDataset,
    make_csv_dataset as make_csv_dataset,
)
from .files.tfrecords import (
    TFRecordWriter as TFRecordWriter,
    make_batched_features_dataset as make_batched_features_dataset,
    parse_example_dataset as parse_example_dataset,
)
from .grain_sources import (
    from_grain as from_grain,
)
from .grouping import from_elements
from .iterators import (
    Element,
    Optional as Optional,
)
from .options import (
    AutoShardPolicy as AutoShardPolicy,
    AutotuneAlgorithm as AutotuneAlgorithm,
    AutotuneOptions as AutotuneOptions,
    DistributeOptions as DistributeOptions,
    ExternalStatePolicy as ExternalStatePolicy,
    OptimizationOptions as OptimizationOptions,
    ServiceOptions as ServiceOptions,
    ThreadingOptions as ThreadingOptions,
)
from .pipeline import (
    AUTOTUNE as AUTOTUNE,
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY,
    whole_number,
)
from .transformations import (
    Reducer as Reducer,
    assert_cardinality as assert_cardinality,
    bucket_by_sequence_length as bucket_by_sequence_length,
    copy_to_device as copy_to_device,
    dense_to_ragged_batch as dense_to_ragged_batch,
    enumerate_dataset as enumerate_dataset,
    group_by_reducer as group_by_reducer,
    group_by_window as group_by_window,
    ignore_errors as ignore_errors,
    map_and_batch as map_and_batch,
    parallel_interleave as parallel_interleave,
    prefetch_to_device as prefetch_to_device,
    rejection_resample as rejection_resample,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    snapshot as snapshot,
    take_while as take_while,
    unbatch as unbatch,
    unique as unique,
)

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "SHARD_HINT",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "ServiceOptions",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_grain",
    "from_list",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "map_and_batch",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "take_while",
    "unbatch",
    "unique",
]  # fmt: skip

SHARD_HINT = -1
Counter = Dataset.counter
load = Dataset.load
RandomDataset = Dataset.random
sample_from_datasets = Dataset.sample_from_datasets


def cardinality(dataset: Dataset[Any]) -> Tensor:
    """The number of elements: -1 when it never ends, -2 when it is not known.

    >>> tf.data.experimental.cardinality(tf.data.Dataset.range(42)).numpy()
    np.int64(42)
    """
    return dataset.cardinality()


def at(dataset: Dataset[Any], index: Any) -> Any:
    """The element with a number, by reading up to it; at once where elements are rows of tensors.

    Args:
        index: The number of the element, from 0.

    Returns:
        A tensor, or tuples and dicts of them.

    Raises:
        OutOfRangeError: If there is no such element.

    >>> tf.data.experimental.at(tf.data.Dataset.range(10, 20), 3).numpy()
    np.int64(13)
    """
    place = whole_number(index)
    for value in dataset.skip(place)._make() if place >= 0 else ():
        return value
    raise OutOfRangeError(None, None, f"Index out of range: the dataset has no element {place}.")


def choose_from_datasets(
    datasets: Any, choice_dataset: Dataset[Any], stop_on_empty_dataset: bool = False
) -> Dataset[Any]:
    """As `Dataset.choose_from_datasets`; datasets that are at their end are passed over.

    Args:
        datasets: A list of datasets.
        choice_dataset: A dataset of scalar int64 numbers of datasets, from 0.
        stop_on_empty_dataset: True ends with the first dataset that is chosen and has no more elements.

    >>> datasets, choice = [tf.data.Dataset.range(1), tf.data.Dataset.range(9)], tf.data.Dataset.range(2).repeat(2)
    >>> ds = tf.data.experimental.choose_from_datasets(datasets, choice)
    >>> [x.numpy().item() for x in ds]
    [0, 0, 1]
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def enable_debug_mode() -> None:
    """Nothing: functions given to datasets run as Python, line by line, anyway.

    >>> tf.data.experimental.enable_debug_mode()
    """


def from_list(elements: Any, name: str | None = None) -> Dataset[Any]:
    """The elements of a list, alike in structure and dtypes.

    Args:
        elements: A list of elements: tensors, or tuples and dicts of them.

    Raises:
        TypeError: If `elements` is no list.
        ValueError: If the list is empty.

    >>> [x.numpy().item() for x, y in tf.data.experimental.from_list([(1, "a"), (2, "b")])]
    [1, 2]
    """
    if not isinstance(elements, list):
        raise TypeError(f"elements must be a list, got {elements!r}.")
    if not elements:
        raise ValueError("Empty list: there is nothing to know the dtypes of the elements from.")
    return from_elements([element(e) for e in elements])


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator, or an optional without a value.

    >>> tf.data.experimental.get_next_as_optional(iter(tf.data.Dataset.range(1))).has_value().numpy()
    np.True_
    """
    return iterator.get_next_as_optional()


def get_single_element(dataset: Dataset[Element]) -> Element:
    """The only element of a dataset.

    Returns:
        The element: a tensor, or tuples and dicts of them.

    Raises:
        InvalidArgumentError: If there is no element, or there are several.

    >>> tf.data.experimental.get_single_element(tf.data.Dataset.range(4).batch(4)).numpy()
    array([0, 1, 2, 3])
    """
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """What the elements are: `element_spec`.

    Args:
        dataset_or_iterator: A dataset, or what `iter` gives of one.

    Returns:
        A spec, or tuples and dicts of them.

    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(1))
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"Invalid `dataset_or_iterator`, a dataset or an iterator: got {type(dataset_or_iterator)}."
        ) from None


def save(
    dataset: Dataset[Any], path: Any, compression: Any = None, shard_func: Any = None, checkpoint_args: Any = None
) -> None:
    """`dataset.save(path)`.

    Args:
        path: The folder; it is made if it is not there.
        compression: None, or "GZIP".
        shard_func: Taken and not used: there is one file.
        checkpoint_args: Taken and not used.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.data.experimental.save(tf.data.Dataset.range(3), folder)
    ...     len(list(tf.data.experimental.load(folder)))
    3
    """
    dataset.save(path, compression, shard_func, checkpoint_args)
