"""`tf.compat.v1.data`: iterators that are made by a function, and what elements are like; all other names are those of
`tf.data`."""

from typing import Any, NoReturn as _NoReturn

from tapeflow.api.arrays.specs import TensorSpec as _TensorSpec
from tapeflow.core import nest as _nest
from tapeflow.core.tensor import Tensor as _Tensor
from tapeflow.data.dataset import Dataset as _Dataset
from tapeflow.data.iterators import Iterator as _Iterator

from .fallback import falling_back_to as _falling_back_to

__all__ = [
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]

__getattr__ = _falling_back_to("data")


def make_one_shot_iterator(dataset: _Dataset[Any]) -> _Iterator[Any]:
    """An iterator over the dataset: `iter(dataset)`.

    Returns:
        An iterator, as `iter` gives.

    >>> tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(5, 7)).get_next().numpy()
    np.int64(5)
    """
    return iter(dataset)


def make_initializable_iterator(dataset: _Dataset[Any], shared_name: str | None = None) -> _NoReturn:
    """Raises RuntimeError: only a session can initialize an iterator.

    >>> tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(2))
    Traceback (most recent call last):
    RuntimeError: `make_initializable_iterator()` is not supported in eager mode. Say `for element in dataset:`,
    or `iter(dataset)`.
    """
    raise RuntimeError(
        "`make_initializable_iterator()` is not supported in eager mode. Say `for element in dataset:`, or "
        "`iter(dataset)`."
    )


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of an element.

    Returns:
        A dtype, or tuples and dicts of them.

    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.from_tensors((1, 2.0)))
    (tf.int32, tf.float32)
    """
    return _nest.map_structure(lambda spec: spec.dtype, dataset_or_iterator.element_spec)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of an element.

    Returns:
        A `tf.TensorShape`, or tuples and dicts of them.

    >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.range(4).batch(2))
    TensorShape([None])
    """
    return _nest.map_structure(lambda spec: spec.shape, dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of an element's parts.

    Returns:
        A class, or tuples and dicts of them.

    >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(2)) is tf.Tensor
    True
    """
    return _nest.map_structure(
        lambda spec: _Tensor if isinstance(spec, _TensorSpec) else spec.value_type, dataset_or_iterator.element_spec
    )
