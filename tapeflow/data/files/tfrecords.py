"""TFRecord files of `tf.train.Example` messages, as whole pipelines."""

from collections.abc import Callable
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core.dtypes import string
from tapeflow.data.dataset import Dataset
from tapeflow.data.pipeline import AUTOTUNE

from .listing import TFRecordDataset, list_files


class TFRecordWriter:
    """Writes a dataset of byte strings into a TFRecord file.

    Args:
        filename: The path to write.
        compression_type: "", "GZIP" or "ZLIB".

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tf.data.experimental.TFRecordWriter(folder + "/a").write(tf.data.Dataset.from_tensor_slices(["x", "y"]))
    ...     [r.numpy() for r in tf.data.TFRecordDataset(folder + "/a")]
    [b'x', b'y']
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Dataset[Any]) -> None:
        """Writes all elements.

        Args:
            dataset: A dataset of scalar strings.

        Raises:
            TypeError: If its elements are something else.
        """
        from tapeflow.io.records import TFRecordWriter as Writer

        if not isinstance(dataset, Dataset):
            raise TypeError(f"`dataset` must be a tf.data.Dataset, got {dataset!r}.")
        if dataset.element_spec != TensorSpec([], string):
            raise TypeError(f"The elements of `dataset` must be scalar strings, they are {dataset.element_spec}.")
        with Writer(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)


def parse_example_dataset(
    features: dict[Any, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[Dataset[Any]], Dataset[Any]]:
    """For `apply`: batches of serialized `tf.train.Example` messages taken apart, as by `tf.io.parse_example`.

    Args:
        features: What to expect under each key: `tf.io.FixedLenFeature`, `tf.io.VarLenFeature`, ….
        num_parallel_calls: As for `Dataset.map`.
        deterministic: As for `Dataset.map`.

    Returns:
        A function from a dataset of vectors of strings to one of dicts.

    >>> parsed = tf.data.experimental.parse_example_dataset({"x": tf.io.FixedLenFeature([], tf.int64)})
    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "x": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}))
    >>> ds = tf.data.Dataset.from_tensors([example.SerializeToString()]).apply(parsed)
    >>> next(iter(ds))["x"].numpy()
    array([7])
    """
    from tapeflow.io import parse_example

    if not features:
        raise ValueError("Missing: `features` was empty.")
    workers = None if num_parallel_calls == 1 else num_parallel_calls
    return lambda dataset: dataset.map(lambda batch: parse_example(batch, features), workers, deterministic)


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: dict[Any, Any],
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset[Any]:
    """Batches of the features of `tf.train.Example` messages in TFRecord files, and of the labels if one is named as
    such.

    It repeats for ever unless `num_epochs` is given.

    Args:
        file_pattern: A pattern of paths, or a list of them.
        batch_size: How many examples a batch has.
        features: What to expect under each key: `tf.io.FixedLenFeature`, `tf.io.VarLenFeature`, ….
        reader: A class of datasets to make of a path; `tf.data.TFRecordDataset` by default.
        label_key: The feature that becomes the label.
        reader_args: A list of further arguments of `reader`.
        num_epochs: How often to go through the files; with None it has no end, and batches are full.
        shuffle: False keeps files and examples in order.
        shuffle_buffer_size: How many examples wait to be drawn.
        shuffle_seed: The seed of the order.
        prefetch_buffer_size: How many batches are read ahead; `tf.data.AUTOTUNE` by default.
        reader_num_threads: How many files are read in turn; 1 by default.
        parser_num_threads: How many threads parse; 1 by default.
        sloppy_ordering: Taken and not used.
        drop_final_batch: True leaves out a last batch that is smaller.

    Returns:
        A dataset of dicts; with `label_key`, of pairs of a dict and the labels.

    Raises:
        ValueError: If `label_key` is none of the `features`.

    >>> import tempfile
    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "x": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.io.TFRecordWriter(folder + "/a") as writer:
    ...         writer.write(example.SerializeToString())
    ...     batch = next(iter(tf.data.experimental.make_batched_features_dataset(
    ...         folder + "/a", 2, {"x": tf.io.FixedLenFeature([], tf.int64)})))
    >>> batch["x"].numpy()
    array([7, 7])
    """
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: {sorted(features)}."
        )
    kind = TFRecordDataset if reader is None else reader
    files = list_files(file_pattern, shuffle, shuffle_seed)
    records = files.interleave(lambda name: kind(name, *(reader_args or [])), cycle_length=reader_num_threads or 1)
    if shuffle:
        records = records.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        records = records.repeat(num_epochs)
    batches = records.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    parsed = batches.apply(parse_example_dataset(features, parser_num_threads or 1))
    if label_key is not None:
        parsed = parsed.map(lambda found: (found, found.pop(label_key)))
    return parsed.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
