"""`tf.io.parse_sequence_example`: serialized `tf.train.SequenceExample` messages to tensors."""

from math import prod
from typing import Any

import numpy as np

from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.api.strings.host import array_of, one_string, strings_of
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor
from tapeflow.core.tensor_like import TextLike

from .columns import Rows, column, filled, items, joined
from .features import FixedLenSequenceFeature, RaggedFeature, VarLenFeature

__all__ = ["parse_sequence_example", "parse_single_sequence_example"]


def parse_single_sequence_example(
    serialized: TextLike,
    context_features: Any = None,
    sequence_features: Any = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """(context, sequences) of one serialized `tf.train.SequenceExample`.

    Args:
        serialized: One serialized message, a scalar.
        example_name: A name for the example, for errors.

    Returns:
        Two dicts by key: the context, and the sequences with an axis for the steps.

    Raises:
        InvalidArgumentError: If the message cannot be read, has another dtype or size, or lacks what is required.

    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[k])) for k in (5, 6, 7)]
    >>> example = tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(
    ...     feature_list={"words": tf.train.FeatureList(feature=steps)}))
    >>> _, sequences = tf.io.parse_single_sequence_example(
    ...     example.SerializeToString(), sequence_features={"words": tf.io.FixedLenSequenceFeature([], tf.int64)})
    >>> sequences["words"].numpy()
    array([5, 6, 7])
    """
    called = "<unknown>" if example_name is None else one_string(example_name, "example_name").decode()
    context, sequences, _ = _parsed(
        [one_string(serialized, "serialized")], [called], context_features, sequence_features, True
    )
    return context, sequences


def parse_sequence_example(
    serialized: TextLike,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]:
    """(context, sequences, lengths) of a vector of serialized `tf.train.SequenceExample`; dense sequences are padded.

    Args:
        serialized: A vector of serialized messages.

    Returns:
        Three dicts by key: the context, the sequences with axes for examples and steps, and how many steps each
        example has.

    Raises:
        InvalidArgumentError: If a message cannot be read, has another dtype or size, or lacks what is required.

    >>> example = tf.train.SequenceExample(context=tf.train.Features(feature={
    ...     "user": tf.train.Feature(int64_list=tf.train.Int64List(value=[4]))}))
    >>> features = {"user": tf.io.FixedLenFeature([], tf.int64)}
    >>> context, _, _ = tf.io.parse_sequence_example([example.SerializeToString()], features)
    >>> context["user"].numpy()
    array([4])
    """
    strings = strings_of(serialized, "serialized")
    if strings.ndim != 1:
        raise invalid(
            f"serialized must be a vector, got shape {strings.shape}; tf.io.parse_single_sequence_example takes one."
        )
    names = (
        ["<unknown>"] * strings.size
        if example_names is None
        else [n.decode() for n in np.ravel(array_of(example_names))]
    )
    return _parsed(list(strings), names, context_features, sequence_features, False)


def _parsed(
    strings: list[bytes], names: list[str], context: Any, sequences: Any, single: bool
) -> tuple[dict, dict, dict]:
    if not context and not sequences:
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    said = [f"Name: {n}, " for n in names]
    messages = [_message(s, n) for s, n in zip(strings, names)]
    rows = Rows([m.context.feature for m in messages], said)
    found = {key: column(rows, key, spec, single) for key, spec in (context or {}).items()}
    lists, lengths = {}, {}
    for key, spec in (sequences or {}).items():
        steps = [_steps(m.feature_lists.feature_list, key, spec, n) for m, n in zip(messages, said)]
        lists[key] = _SEQUENCES[type(spec)](steps, spec, key, said, single)
        if isinstance(spec, FixedLenSequenceFeature):
            lengths[key] = EagerTensor(np.array([len(own) for own in steps], np.int64))
    return found, lists, lengths


def _message(serialized: bytes, name: str) -> Any:
    from .messages import DecodeError, SequenceExample

    try:
        return SequenceExample.FromString(serialized)
    except DecodeError as error:
        raise invalid(
            f"Invalid protocol message input, example id: {name} ({len(serialized)} bytes; {error})."
        ) from None


def _steps(lists: Any, key: str, spec: Any, name: str) -> list[np.ndarray]:
    """The values of every step of one sequence."""
    if type(spec) not in _SEQUENCES:
        kinds = ", ".join(f"tf.io.{kind.__name__}" for kind in _SEQUENCES)
        raise ValueError(f"Unsupported {type(spec).__name__} for the sequence {key!r}; it is one of {kinds}.")
    key = getattr(spec, "value_key", None) or key
    if key not in lists:
        if isinstance(spec, FixedLenSequenceFeature) and not spec.allow_missing:
            raise invalid(
                f"{name}Feature list '{key}' is required but could not be found. Give allow_missing=True if it may "
                "be missing."
            )
        return []
    found = [items(feature, spec.dtype, key, name) for feature in lists[key].feature]
    return [np.empty(0, as_dtype(spec.dtype).np) if values is None else values for values in found]


# ---- one builder for each kind; `steps[example][step]` are values


def _dense(steps: list[list], spec: FixedLenSequenceFeature, key: str, names: list[str], single: bool) -> EagerTensor:
    shape, dtype = tuple(spec.shape), as_dtype(spec.dtype)
    for own, name in zip(steps, names):
        for k, values in enumerate(own):
            if values.size != prod(shape):
                sizes = f"values size: {values.size} but output shape: {list(shape)}"
                raise invalid(f"{name}Key: {key}, Index: {k}.  Number of values != expected.  {sizes}.")
    longest = max(map(len, steps), default=0)
    out = np.empty((len(steps), longest, prod(shape)), dtype.np)
    out[...] = filled(spec, key, 1)
    for row, own in zip(out, steps):
        for place, values in zip(row, own):
            place[...] = values
    return EagerTensor(out.reshape((longest, *shape) if single else (len(steps), longest, *shape)))


def _sparse(steps: list[list], spec: VarLenFeature, key: str, names: list[str], single: bool) -> SparseTensor:
    places = [(e, s, k) for e, own in enumerate(steps) for s, values in enumerate(own) for k in range(values.size)]
    indices = np.array(places, np.int64).reshape(-1, 3)
    shape = [len(steps), max(map(len, steps), default=0), max((v.size for own in steps for v in own), default=0)]
    values = EagerTensor(joined([v for own in steps for v in own], spec.dtype))
    return SparseTensor(indices[:, 1:], values, shape[1:]) if single else SparseTensor(indices, values, shape)


def _ragged(steps: list[list], spec: RaggedFeature, key: str, names: list[str], single: bool) -> RaggedTensor:
    if spec.partitions:
        raise NotImplementedError(
            f"Partitions of a RaggedFeature (here of {key!r}) are not supported in sequences; parse without them."
        )
    splits = lambda lengths: EagerTensor(np.concatenate([[0], np.cumsum(lengths)]).astype(spec.row_splits_dtype.np))
    values = EagerTensor(joined([v for own in steps for v in own], spec.dtype))
    result = RaggedTensor.from_row_splits(values, splits([v.size for own in steps for v in own]), validate=False)
    return (
        result if single else RaggedTensor.from_row_splits(result, splits([len(own) for own in steps]), validate=False)
    )


_SEQUENCES: Any = {FixedLenSequenceFeature: _dense, VarLenFeature: _sparse, RaggedFeature: _ragged}
