"""Methods of datasets as functions for `Dataset.apply`, their older form."""

import inspect
import textwrap
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


def _method(name: str, method: Callable, example: str) -> Callable[..., Transformation]:
    """`f(*args)` is for `dataset.apply(f(*args))`, which is `dataset.method(*args)`."""
    signature = inspect.signature(method)
    signature = signature.replace(
        parameters=[p for p in signature.parameters.values() if p.name not in ("self", "name")]
    )

    def make(*args: Any, **kwargs: Any) -> Transformation:
        signature.bind(*args, **kwargs)  # or the error would come with `apply`
        return lambda dataset: method(dataset, *args, **kwargs)

    make.__signature__ = signature  # type: ignore[attr-defined]

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"`Dataset.{method.__name__}` for `Dataset.apply`.\n\n{_args(method)}    >>> {example}\n    "
    return make


def _args(method: Callable) -> str:
    """The `Args:` of a method's docstring."""
    lines = (method.__doc__ or "").partition("        Args:\n")[2].partition("\n\n")[0]
    return f"    Args:\n{textwrap.indent(textwrap.dedent(lines), ' ' * 8)}\n\n" if lines else ""


bucket_by_sequence_length = _method(
    "bucket_by_sequence_length",
    Dataset.bucket_by_sequence_length,
    """bucketed = tf.data.experimental.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [4], [2, 2])
    >>> len(list(tf.data.Dataset.from_tensors([1, 2, 3]).apply(bucketed)))
    1""",
)
dense_to_ragged_batch = _method(
    "dense_to_ragged_batch",
    Dataset.ragged_batch,
    """next(iter(tf.data.Dataset.range(1, 3).map(tf.range).apply(tf.data.experimental.dense_to_ragged_batch(2))))
    <tf.RaggedTensor [[0], [0, 1]]>""",
)
enumerate_dataset = _method(
    "enumerate_dataset",
    Dataset.enumerate,
    """[i.numpy().item() for i, _ in tf.data.Dataset.range(2).apply(tf.data.experimental.enumerate_dataset(start=5))]
    [5, 6]""",
)
group_by_window = _method(
    "group_by_window",
    Dataset.group_by_window,
    """parity, in_twos = lambda x: x % 2, lambda key, window: window.batch(2)
    >>> grouped = tf.data.experimental.group_by_window(parity, in_twos, window_size=2)
    >>> [x.numpy().tolist() for x in tf.data.Dataset.range(4).apply(grouped)]
    [[0, 2], [1, 3]]""",
)
ignore_errors = _method(
    "ignore_errors",
    Dataset.ignore_errors,
    """len(list(tf.data.Dataset.range(2).apply(tf.data.experimental.ignore_errors())))
    2""",
)
rejection_resample = _method(
    "rejection_resample",
    Dataset.rejection_resample,
    """parity, wanted, given = lambda x: x % 2, [0., 1.], [0.5, 0.5]
    >>> resampled = tf.data.experimental.rejection_resample(parity, target_dist=wanted, initial_dist=given)
    >>> [x.numpy().item() for label, x in tf.data.Dataset.range(4).apply(resampled)]
    [1, 3]""",
)
scan = _method(
    "scan",
    Dataset.scan,
    """running = tf.data.experimental.scan(np.int64(1), lambda s, x: (s + x, s))
    >>> [x.numpy().item() for x in tf.data.Dataset.range(3).apply(running)]
    [1, 1, 2]""",
)
snapshot = _method(
    "snapshot",
    Dataset.snapshot,
    """import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(list(tf.data.Dataset.range(2).apply(tf.data.experimental.snapshot(folder))))
    2""",
)
take_while = _method(
    "take_while",
    Dataset.take_while,
    """len(list(tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 4))))
    4""",
)
unbatch = _method(
    "unbatch",
    Dataset.unbatch,
    """len(list(tf.data.Dataset.from_tensors([1, 2, 3]).apply(tf.data.experimental.unbatch())))
    3""",
)
unique = _method(
    "unique",
    Dataset.unique,
    """len(list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())))
    2""",
)


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

    >>> len(tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/gpu:0")))
    3
    """
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """For `apply`: `Dataset.prefetch`; operations move elements to where they compute.

    Args:
        device: Taken and not used.
        buffer_size: As for `Dataset.prefetch`.

    >>> len(tf.data.Dataset.range(3).apply(tf.data.experimental.prefetch_to_device("/gpu:0")))
    3
    """
    return lambda dataset: dataset.prefetch(buffer_size)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """For `apply`: `shuffle`, then `repeat`.

    Args:
        buffer_size: As for `Dataset.shuffle`.
        count: As for `Dataset.repeat`.

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
