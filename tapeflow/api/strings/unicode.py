"""Strings as characters: in any encoding that Python knows."""

import math
from typing import Any

import numpy as np

from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core.apply import array_of, as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike, TextLike
from tapeflow.engines.numpy.strings.unicode_text import checked_encoding, encoded

__all__ = [
    "ragged_from", "unicode_decode", "unicode_decode_with_offsets", "unicode_encode", "unicode_split",
    "unicode_split_with_offsets", "unicode_transcode",
]  # fmt: skip

_OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")


def _reading(encoding: str, errors: str, replacement: int, controls: bool = False) -> tuple:
    """How code points are read."""
    if errors not in ("strict", "replace", "ignore"):
        raise invalid(f"errors={errors!r} is not one of 'strict', 'replace' and 'ignore'.")
    return checked_encoding(encoding), errors, int(replacement), bool(controls)


def unicode_split(
    input: TextLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Each string as its characters.

    Returns:
        Strings: a `tf.RaggedTensor` with one axis more; a vector for one string.

    Raises:
        InvalidArgumentError: If an encoding is not known, or with "strict" if something is no text.

    >>> tf.strings.unicode_split("né", "UTF-8").numpy()
    array([b'n', b'\\xc3\\xa9'], dtype=object)
    """
    how = _reading(input_encoding, errors, replacement_char)
    return ragged_from(input, "characters", input_encoding, *how)


def unicode_split_with_offsets(
    input: TextLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Each string as its characters, and the bytes where they begin.

    Returns:
        Two ragged tensors, or two vectors for one string: characters, and int64 places.

    Raises:
        InvalidArgumentError: If an encoding is not known, or with "strict" if something is no text.

    >>> characters, offsets = tf.strings.unicode_split_with_offsets("né!", "UTF-8")
    >>> offsets.numpy()
    array([0, 1, 3])
    """
    how = _reading(input_encoding, errors, replacement_char)
    characters = ragged_from(input, "characters", input_encoding, *how)
    return characters, ragged_from(input, "places", *how)


def unicode_decode(
    input: TextLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string, as int32.

    Returns:
        int32: a `tf.RaggedTensor` with one axis more; a vector for one string.

    Raises:
        InvalidArgumentError: If an encoding is not known, or with "strict" if something is no text.

    >>> tf.strings.unicode_decode(["né", "x"], "UTF-8")
    <tf.RaggedTensor [[110, 233], [120]]>
    """
    how = _reading(input_encoding, errors, replacement_char, replace_control_characters)
    return ragged_from(input, "codes", *how)


def unicode_decode_with_offsets(
    input: TextLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The code points of each string, and the bytes where they begin.

    Returns:
        Two ragged tensors, or two vectors for one string: int32 code points, and int64 places.

    Raises:
        InvalidArgumentError: If an encoding is not known, or with "strict" if something is no text.

    >>> codes, offsets = tf.strings.unicode_decode_with_offsets("né!", "UTF-8")
    >>> codes.numpy(), offsets.numpy()
    (array([110, 233,  33], dtype=int32), array([0, 1, 3]))
    """
    how = _reading(input_encoding, errors, replacement_char, replace_control_characters)
    codes = ragged_from(input, "codes", *how)
    return codes, ragged_from(input, "places", *how)


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Strings of the code points along the last axis: the inverse of `unicode_decode`.

    Args:
        input: Code points, int32: a tensor or a `tf.RaggedTensor`.

    Returns:
        Strings with one axis less.

    Raises:
        InvalidArgumentError: If an encoding is not known, or with "strict" if something is no text.

    >>> tf.strings.unicode_encode([110, 233], "UTF-8").numpy().decode()
    'né'
    """
    if isinstance(input, RaggedTensor):
        if input.ragged_rank > 1:
            return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char))
        rows = [array_of(row) for row in input]
        shape: tuple = (len(rows),)
    else:
        array = np.asarray(as_tensor(input).array)
        shape = array.shape[:-1]
        rows = list(array.reshape(math.prod(shape), array.shape[-1]))  # not -1: rows may be empty
    known = _output(output_encoding)
    texts = np.empty(len(rows), object)
    texts[:] = [encoded(row.tolist(), known, errors, replacement_char) for row in rows]
    return EagerTensor(texts.reshape(shape))


def unicode_transcode(
    input: TextLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """The same text in another encoding.

    Raises:
        InvalidArgumentError: If an encoding is not known, or with "strict" if something is no text.

    >>> tf.strings.unicode_transcode("né", "UTF-8", "UTF-16-BE").numpy()
    b'\\x00n\\x00\\xe9'
    """
    if errors not in ("strict", "replace", "ignore"):
        raise invalid(f"errors={errors!r} is not one of 'strict', 'replace' and 'ignore'.")
    return ops.unicode_transcode(
        input, source=checked_encoding(input_encoding), target=_output(output_encoding), errors=errors,
        replacement=replacement_char, controls=bool(replace_control_characters),
    )  # fmt: skip


def _output(encoding: str) -> str:
    if encoding not in _OUTPUTS:
        raise invalid(f"output_encoding={encoding!r} is not one of {', '.join(map(repr, _OUTPUTS))}.")
    return checked_encoding(encoding)


def ragged_from(input: Any, what: str, *how: Any) -> Any:
    """Ragged rows of parts (`tapeflow.ops.strings.parts`), one for each string of `input`; a vector when it is a
    scalar."""
    if isinstance(input, RaggedTensor):
        return input.with_flat_values(ragged_from(input.flat_values, what, *how))
    strings = as_tensor(input)
    if strings.dtype.kind != "s":
        raise invalid(f"Strings are split, not {strings.dtype.name} values.")
    parts, lengths = ops.string_parts(strings, what=what, how=how)
    if strings.ndim == 0:
        return parts
    sizes = strings.sizes
    result = RaggedTensor.from_row_lengths(parts, ops.reshape(lengths, shape=(math.prod(sizes),)), validate=False)
    for axis in range(strings.ndim - 1, 0, -1):
        result = RaggedTensor.from_uniform_row_length(result, sizes[axis], nrows=math.prod(sizes[:axis]))
    return result
