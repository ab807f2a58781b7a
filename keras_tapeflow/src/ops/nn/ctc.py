"""Connectionist temporal classification: a loss and decoders for label sequences without alignment."""

from typing import Any

import tapeflow as tf
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

from ..core import dense_tensor as convert_to_tensor
from ..floating import floating


def ctc_loss(target, output, target_length, output_length, mask_index=0):
    """One loss for each example, of logits (batch, frames, classes) of which class `mask_index` is the blank."""
    labels, lengths, frames = [convert_to_tensor(x, tf.int32) for x in (target, target_length, output_length)]
    return tf.nn.ctc_loss(labels, _wide(output), lengths, frames, logits_time_major=False, blank_index=mask_index)


def ctc_decode(
    inputs, sequence_lengths, strategy="greedy", beam_width=100, top_paths=1, merge_repeated=True, mask_index=0
):
    """(Labels (paths, batch, frames), -1 behind the last of them; scores (batch, paths))."""
    logits = tf.transpose(_wide(inputs), [1, 0, 2])
    lengths = convert_to_tensor(sequence_lengths, tf.int64)
    classes = logits.sizes[2]
    blank = mask_index % classes if mask_index is not None else classes - 1
    if strategy == "greedy":
        labels, scores = ops.ctc_greedy(logits, lengths, merge_repeated=bool(merge_repeated), blank=blank)
        labels = labels[:, None]
    elif strategy == "beam_search":
        # The search has its blank last. In place of it, the classes behind it move up by one.
        order = [c for c in range(classes) if c != blank] + [blank]
        found, scores = ops.ctc_beam_search(
            tf.gather(logits, order, axis=2), lengths, beam_width=int(beam_width), top_paths=int(top_paths)
        )
        labels = tf.where(found >= blank, found + 1, found)
    else:
        raise ValueError(f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'.")
    return tf.cast(tf.transpose(labels, [1, 0, 2]), tf.int32), scores


def _wide(x: Any) -> Tensor:
    """Sums of many small numbers: not in halves."""
    x = floating(x)
    return x if x.dtype.size >= 4 else tf.cast(x, tf.float32)
