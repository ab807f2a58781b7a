"""`tf.io.parse_example`, `tf.io.parse_single_example`: serialized `tf.train.Example` messages to tensors."""

from typing import Any

import numpy as np

from tapeflow.api.strings.host import array_of, strings_of
from tapeflow.core.errors import invalid
from tapeflow.core.tensor_like import TextLike

from .columns import FEATURES, Rows, column

__all__ = ["parse_example", "parse_single_example"]


def parse_single_example(
    serialized: TextLike, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized `tf.train.Example`, by key.

    Args:
        serialized: One serialized message, a scalar.
        example_names: Taken and not used.

    Returns:
        A dict from the keys of `features` to tensors, sparse tensors and ragged tensors, as their descriptions say.

    Raises:
        InvalidArgumentError: If the message cannot be read, has another dtype or size, or lacks what is required.

    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3])),
    ...     "tags": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"]))}))
    >>> found = tf.io.parse_single_example(example.SerializeToString(), {
    ...     "label": tf.io.FixedLenFeature([], tf.int64), "tags": tf.io.VarLenFeature(tf.string)})
    >>> found["label"].numpy(), found["tags"].values.numpy()
    (np.int64(3), array([b'a', b'b'], dtype=object))
    """
    _check(features)
    strings = strings_of(serialized, "serialized")
    if strings.ndim:
        raise ValueError(
            f"Input serialized must be a scalar, got shape {strings.shape}; tf.io.parse_example takes a batch."
        )
    rows = Rows([_feature_map(strings.item(), "")], [""])
    return {key: column(rows, key, spec, single=True) for key, spec in features.items()}


def parse_example(
    serialized: TextLike, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of a vector of serialized `tf.train.Example`, by key, with an axis for the examples.

    Args:
        serialized: A vector of serialized messages, or a scalar.

    Returns:
        A dict from the keys of `features` to tensors, sparse tensors and ragged tensors, as their descriptions say.

    Raises:
        InvalidArgumentError: If a message cannot be read, has another dtype or size, or lacks what is required.

    >>> make = lambda *values: tf.train.Example(features=tf.train.Features(feature={
    ...     "x": tf.train.Feature(float_list=tf.train.FloatList(value=values))})).SerializeToString()
    >>> tf.io.parse_example([make(1., 2.), make(3.)], {"x": tf.io.RaggedFeature(tf.float32)})["x"]
    <tf.RaggedTensor [[1.0, 2.0], [3.0]]>
    """
    _check(features)
    strings = strings_of(serialized, "serialized")
    if strings.ndim == 0:
        return parse_single_example(serialized, features)
    if strings.ndim != 1:
        raise invalid(f"serialized must be a scalar or a vector, got shape {strings.shape}.")
    names = (
        ["<unknown>"] * strings.size
        if example_names is None
        else [n.decode() for n in np.ravel(array_of(example_names))]
    )
    said = [f"Name: {n}, " for n in names]
    rows = Rows([_feature_map(s, n) for s, n in zip(strings, said)], said)
    return {key: column(rows, key, spec, single=False) for key, spec in features.items()}


def _check(features: Any) -> None:
    if features is None or not len(features):
        raise ValueError(f"Invalid argument: features cannot be {'None' if features is None else 'empty'}.")
    for key, spec in features.items():
        if not isinstance(spec, FEATURES):
            raise ValueError(
                f"Unsupported {type(spec).__name__} {spec} for key {key!r}: give a tf.io.FixedLenFeature or the like."
            )


def _feature_map(serialized: bytes, name: str) -> Any:
    from .messages import DecodeError, Example

    try:
        return Example.FromString(serialized).features.feature
    except DecodeError as error:
        start = f"{serialized[:24]!r}{'…' if len(serialized) > 24 else ''}"
        raise invalid(
            f"{name}Could not parse example input, value: {start} ({len(serialized)} bytes): it is not a serialized "
            f"tf.train.Example, or only a part of one ({error})."
        ) from None
