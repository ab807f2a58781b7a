"""Strings of a row, or of a segment, joined."""

from math import prod
from typing import Any

import numpy as np

from tapeflow.api.ragged.partitions import row_count
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core.apply import array_of, as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike, TextLike
from tapeflow.function.tracing.effects import at_every_run
from tapeflow.vectorize.values import values_of

__all__ = ["ngrams", "ragged_reduce_join", "unsorted_segment_join"]


def ngrams(
    data: TextLike,
    ngram_width: Any,
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """All runs of `ngram_width` strings along the last axis, joined; of several widths one after the other.

    Args:
        data: Strings: a tensor of one axis or more, or a `tf.RaggedTensor`.
        ngram_width: How many strings a run has, or a list of such numbers.
        pad_values: What to put at both ends of every row, or a pair for left and right; None: nothing.
        padding_width: How many of them, at most one less than the run has; None: as many.
        preserve_short_sequences: True gives a row that is too short for any run as one run.

    Returns:
        A tensor, or a `tf.RaggedTensor` of a ragged one.

    Raises:
        ValueError: If a width is not positive.

    >>> tf.strings.ngrams(["to", "be", "or"], 2).numpy()
    array([b'to be', b'be or'], dtype=object)
    >>> tf.strings.ngrams(["a"], 2, pad_values=("<", ">")).numpy()
    array([b'< a', b'a >'], dtype=object)
    """
    widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    if any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    pads = _pads(pad_values)
    if padding_width is not None and (pads is None or padding_width < 1):
        reason = (
            "pad_values must be provided if padding_width is set."
            if pads is None
            else "padding_width must be greater than 0."
        )
        raise ValueError(reason)
    of_row = lambda row: _of_row(row, widths, separator.encode(), pads, padding_width, preserve_short_sequences)
    of_rows = lambda rows: [
        of_row(row) if any(rows) else [] for row in rows
    ]  # no padding, as in TensorFlow, where no row has a string
    if isinstance(data, RaggedTensor):
        if isinstance(data.values, RaggedTensor):
            return data.with_values(
                ngrams(data.values, ngram_width, separator, pad_values, padding_width, preserve_short_sequences)
            )
        rows = of_rows([array_of(row).tolist() for row in data])
        return RaggedTensor.from_row_lengths(
            EagerTensor(_filled(rows)), np.array([len(row) for row in rows], np.int64)
        )
    strings = as_tensor(data).array
    if not strings.ndim:
        raise ValueError("Data must have rank>0; a single string has no runs. Split it: tf.strings.split.")
    rows = of_rows(strings.reshape(prod(strings.shape[:-1]), strings.shape[-1]).tolist())
    return EagerTensor(_filled(rows).reshape(*strings.shape[:-1], len(rows[0]) if rows else 0))


def _pads(given: Any) -> tuple[bytes, bytes] | None:
    if given is None:
        return None
    left, right = given if isinstance(given, tuple) and len(given) == 2 else (given, given)
    if not all(isinstance(pad, (str, bytes)) for pad in (left, right)):
        raise TypeError(f"pad_values must be a string, tuple of strings, or None; got {given!r}.")
    as_bytes = lambda pad: pad.encode() if isinstance(pad, str) else pad
    return as_bytes(left), as_bytes(right)


def _of_row(
    row: list, widths: list, separator: bytes, pads: Any, padding: int | None, keep_short: bool
) -> list[bytes]:
    found: list[bytes] = []
    for width in widths:
        each = width - 1 if padding is None else min(padding, width - 1)
        padded = [pads[0]] * each + row + [pads[1]] * each if pads else row
        found += [separator.join(padded[k : k + width]) for k in range(len(padded) - width + 1)]
    if keep_short and not found and row:
        each = padding or 0
        found = [separator.join([pads[0]] * each + row + [pads[1]] * each if pads else row)]
    return found


def _filled(rows: list[list]) -> np.ndarray:
    flat = np.empty(sum(map(len, rows)), object)
    flat[:] = [string for row in rows for string in row]
    return flat


def ragged_reduce_join(inputs: RaggedTensor, axis: Any, keepdims: bool, separator: bytes) -> Any:
    """`tf.strings.reduce_join` along the innermost axis of a ragged tensor."""
    rank = len(inputs.shape)
    if axis is None or int(axis) % rank != rank - 1:
        raise invalid(f"The strings of a ragged tensor are joined along its last axis, {rank - 1}; got axis={axis}.")
    if isinstance(inputs.values, RaggedTensor):
        return inputs.with_values(ragged_reduce_join(inputs.values, -1, keepdims, separator))
    joined = ops.string_segment_join(
        inputs.values, inputs.value_rowids(), num_segments=row_count(inputs._rows), separator=separator
    )
    return ops.reshape(joined, shape=(*joined.sizes, 1)) if keepdims else joined


def unsorted_segment_join(
    inputs: TextLike, segment_ids: TensorLike, num_segments: TensorLike, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings with the same id joined, in order; an id that nobody has gives an empty string.

    Args:
        segment_ids: The number of a segment for each string, or for each row of them.
        num_segments: How many segments there are.

    Raises:
        InvalidArgumentError: If an id is negative or not below `num_segments`.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, separator="-").numpy()
    array([b'b', b'a-c', b''], dtype=object)
    """
    strings, ids, count = as_tensor(inputs), as_tensor(segment_ids), int(num_segments)
    if tuple(ids.sizes) != tuple(strings.sizes[: ids.ndim]):
        raise invalid(
            f"segment_ids of shape {tuple(ids.shape)} should be the beginning of the shape of inputs, "
            f"{tuple(strings.shape)}."
        )
    _check_segments(ids, count)
    return ops.string_segment_join(strings, ids, num_segments=count, separator=separator.encode())


@at_every_run(checks=True)
def _check_segments(ids: Tensor, count: int) -> None:
    found = values_of(ids)
    if ((found < 0) | (found >= count)).any():
        raise invalid(
            f"segment_ids are not allowed to exceed num_segments or to have negative values: {found.tolist()}, "
            f"{count}."
        )
