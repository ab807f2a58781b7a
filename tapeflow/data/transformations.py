"""Methods of datasets as functions for `Dataset.apply`, their older form."""

from collections.abc import Callable, Iterator
from typing import Any

from tapeflow.core.dtypes import int64
from tapeflow.core.errors import FailedPreconditionError
from tapeflow.core.tensor import EagerTensor

from .dataset import Dataset
from .element_specs import Cell, spec_of
from .elements import applied, element
from .pipeline import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, whole_number

Transformation = Callable[[Dataset[Any]], Dataset[Any]]


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """`Dataset.bucket_by_sequence_length` for `Dataset.apply`.

    Args:
        element_length_func: A function of an element that returns its length, a scalar integer.
        bucket_boundaries: Increasing lengths: an element goes into the bucket below the first boundary that is
            larger than its length.
        bucket_batch_sizes: How many elements a batch of each bucket has; one number more than there are
            boundaries.
        padded_shapes: As for `padded_batch`.
        padding_values: As for `padded_batch`.
        pad_to_bucket_boundary: True fills up to one less than the boundary, not to the longest of the batch; every
            element must be shorter than the last boundary.
        no_padding: True stacks elements as they are; those of one bucket must have one shape then.
        drop_remainder: True leaves out last batches that are smaller.

    Returns:
        A function for `Dataset.apply`.

    >>> bucketed = tf.data.experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [4], [2, 2])
    >>> len(list(tf.data.Dataset.from_tensors([1, 2, 3]).apply(bucketed)))
    1
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64
) -> Transformation:
    """`Dataset.ragged_batch` for `Dataset.apply`.

    Args:
        batch_size: How many elements.
        drop_remainder: True leaves out a last batch that is smaller.
        row_splits_dtype: int32 or int64, for the splits of the rows.

    Returns:
        A function for `Dataset.apply`.

    >>> next(iter(tf.data.Dataset.range(1, 3).map(tf.range).apply(tf.data.experimental.dense_to_ragged_batch(2))))
    <tf.RaggedTensor [[0], [0, 1]]>
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """`Dataset.enumerate` for `Dataset.apply`.

    Args:
        start: The number of the first element.

    Returns:
        A function for `Dataset.apply`.

    >>> [i.numpy().item() for i, _ in tf.data.Dataset.range(2).apply(tf.data.experimental.enumerate_dataset(start=5))]
    [5, 6]
    """
    return lambda dataset: dataset.enumerate(start)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """`Dataset.group_by_window` for `Dataset.apply`.

    Args:
        key_func: A function of an element that returns a scalar int64 tensor, its key.
        reduce_func: A function of a key and a dataset of elements that returns a dataset.
        window_size: How many elements of one key are given to `reduce_func` at a time.
        window_size_func: A function of a key that returns that number, in place of `window_size`.

    Returns:
        A function for `Dataset.apply`.

    >>> parity, in_twos = lambda x: x % 2, lambda key, window: window.batch(2)
    >>> grouped = tf.data.experimental.group_by_window(parity, in_twos, window_size=2)
    >>> [x.numpy().tolist() for x in tf.data.Dataset.range(4).apply(grouped)]
    [[0, 2], [1, 3]]
    """
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def ignore_errors(log_warning: bool = False) -> Transformation:
    """`Dataset.ignore_errors` for `Dataset.apply`.

    Args:
        log_warning: True writes a warning to the log for every element that is left out.

    Returns:
        A function for `Dataset.apply`.

    >>> len(list(tf.data.Dataset.range(2).apply(tf.data.experimental.ignore_errors())))
    2
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """`Dataset.rejection_resample` for `Dataset.apply`.

    Args:
        class_func: A function of an element that returns its class, a scalar integer from 0.
        target_dist: How often each class should come, in proportion.
        initial_dist: How often each class comes in this dataset.

    Returns:
        A function for `Dataset.apply`.

    >>> parity, wanted, given = lambda x: x % 2, [0., 1.], [0.5, 0.5]
    >>> resampled = tf.data.experimental.rejection_resample(parity, target_dist=wanted, initial_dist=given)
    >>> [x.numpy().item() for label, x in tf.data.Dataset.range(4).apply(resampled)]
    [1, 3]
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """`Dataset.scan` for `Dataset.apply`.

    Args:
        initial_state: The first state: a tensor, or tuples and dicts of them.
        scan_func: A function of a state and an element that returns a pair: the next state, and an element.

    Returns:
        A function for `Dataset.apply`.

    >>> running = tf.data.experimental.scan(np.int64(1), lambda s, x: (s + x, s))
    >>> [x.numpy().item() for x in tf.data.Dataset.range(3).apply(running)]
    [1, 1, 2]
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def snapshot(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Callable[..., Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """`Dataset.snapshot` for `Dataset.apply`.

    Args:
        path: The folder; it is made if it is not there.
        compression: "AUTO" and None write as is, "GZIP" compresses.
        reader_func: Taken and not used: there is one file.
        shard_func: Taken and not used: there is one file.

    Returns:
        A function for `Dataset.apply`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(list(tf.data.Dataset.range(2).apply(tf.data.experimental.snapshot(folder))))
    2
    """
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def take_while(predicate: Callable[[Any], Any] | Callable[..., Any]) -> Transformation:
    """`Dataset.take_while` for `Dataset.apply`.

    Args:
        predicate: A function of an element that returns a scalar bool tensor.

    Returns:
        A function for `Dataset.apply`.

    >>> len(list(tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 4))))
    4
    """
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """`Dataset.unbatch` for `Dataset.apply`.

    Returns:
        A function for `Dataset.apply`.

    >>> len(list(tf.data.Dataset.from_tensors([1, 2, 3]).apply(tf.data.experimental.unbatch())))
    3
    """
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """`Dataset.unique` for `Dataset.apply`.

    Returns:
        A function for `Dataset.apply`.

    >>> len(list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())))
    2
    """
    return lambda dataset: dataset.unique()


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """For `apply`: says how many elements there are, where it is not known; reading checks it.

    Args:
        expected_cardinality: How many; `tf.data.INFINITE_CARDINALITY` for no end.

    Returns:
        A function for `apply`. Reading raises FailedPreconditionError where there are fewer elements or more.

    >>> ds = tf.data.Dataset.range(9).filter(lambda x: x < 3).apply(tf.data.experimental.assert_cardinality(3))
    >>> len(ds)
    3
    """
    expected = whole_number(expected_cardinality)

    def transformed(dataset: Dataset) -> Dataset:
        def make() -> Iterator:
            seen = 0
            for value in dataset._make():
                seen += 1
                if 0 <= expected < seen:
                    raise FailedPreconditionError(
                        None,
                        None,
                        f"Input dataset was expected to contain {expected} elements but contained at least {seen} "
                        "elements.",
                    )
                yield value
            if seen != expected:
                what = "an infinite number of" if expected == INFINITE_CARDINALITY else str(expected)
                raise FailedPreconditionError(
                    None,
                    None,
                    f"Input dataset was expected to contain {what} elements but contained only {seen} elements.",
                )

        count = {INFINITE_CARDINALITY: float("inf"), UNKNOWN_CARDINALITY: None}.get(expected, expected)
        return dataset._next(make, count, dataset._spec, "AssertCardinality")

    return transformed


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """For `apply`: the dataset as it is; operations move elements to where they compute.

    Args:
        target_device: Taken and not used.
        source_device: Taken and not used.

    Returns:
        A function for `Dataset.apply`.

    >>> len(tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/gpu:0")))
    3
    """
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """For `apply`: `Dataset.prefetch`; operations move elements to where they compute.

    Args:
        device: Taken and not used.
        buffer_size: As for `Dataset.prefetch`.

    Returns:
        A function for `Dataset.apply`.

    >>> len(tf.data.Dataset.range(3).apply(tf.data.experimental.prefetch_to_device("/gpu:0")))
    3
    """
    return lambda dataset: dataset.prefetch(buffer_size)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """For `apply`: `shuffle`, then `repeat`.

    Args:
        buffer_size: As for `Dataset.shuffle`.
        count: As for `Dataset.repeat`.

    Returns:
        A function for `Dataset.apply`.

    >>> len(tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, count=2)))
    6
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """For `apply`: `map`, then `batch`.

    Args:
        map_func: As for `Dataset.map`.
        batch_size: As for `Dataset.batch`.
        num_parallel_batches: Taken and not used: use `num_parallel_calls`.
        drop_remainder: As for `Dataset.batch`.
        num_parallel_calls: As for `Dataset.map`.

    Returns:
        A function for `Dataset.apply`.

    >>> ds = tf.data.Dataset.range(3).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 2))
    >>> [x.numpy().tolist() for x in ds]
    [[1, 2], [3]]
    """
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """For `apply`: `interleave` with a thread for each dataset.

    Args:
        map_func: A function of an element that returns a dataset.
        cycle_length: How many datasets are read at a time, each by a thread.
        block_length: How many elements of one dataset come in a row.
        sloppy: Taken and not used: the order is always the same.
        buffer_output_elements: Taken and not used.
        prefetch_input_elements: Taken and not used.

    Returns:
        A function for `Dataset.apply`.

    >>> twice = lambda x: tf.data.Dataset.from_tensors(x).repeat(2)
    >>> ds = tf.data.Dataset.range(2).apply(tf.data.experimental.parallel_interleave(twice, 2))
    >>> [x.numpy().item() for x in ds]
    [0, 1, 0, 1]
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=cycle_length)


class Reducer:
    """How `group_by_reducer` makes one value of many: a start, a step and an end.

    Args:
        init_func: A function of a key that returns the first state.
        reduce_func: A function of a state and an element that returns the next state.
        finalize_func: A function of the last state that returns the element.

    >>> count = tf.data.experimental.Reducer(lambda key: np.int64(0), lambda n, x: n + 1, lambda n: n)
    >>> ds = tf.data.Dataset.range(5).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, count))
    >>> [x.numpy().item() for x in ds]
    [3, 2]
    """

    def __init__(self, init_func: Callable, reduce_func: Callable, finalize_func: Callable) -> None:
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """For `apply`: one element for each key, made by a `Reducer` from the elements that have it, in the order of the
    keys.

    Args:
        key_func: A function of an element that returns its key, a scalar integer.
        reducer: A `Reducer`.

    Returns:
        A function for `Dataset.apply`.

    >>> total = tf.data.experimental.Reducer(lambda key: np.int64(0), lambda s, x: s + x, lambda s: s)
    >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, total)
    >>> [x.numpy().item() for x in tf.data.Dataset.range(5).apply(by_parity)]
    [6, 4]
    """

    def transformed(dataset: Dataset) -> Dataset:
        def make() -> Iterator:
            states: dict[int, Any] = {}
            for value in dataset._make():
                key = element(applied(key_func, value))
                place = int(key.array)
                if place not in states:
                    states[place] = element(applied(reducer.init_func, EagerTensor(int64.np.type(place))))
                states[place] = element(applied(reducer.reduce_func, (states[place], value)))
            for place in sorted(states):
                yield element(applied(reducer.finalize_func, states[place]))

        return dataset._next(make, None, Cell(find=lambda: spec_of(next(make()))), "GroupByReducer")

    return transformed
