"""Connectionist temporal classification: a loss and decoders for label sequences shorter than what they label, without
alignment."""

from typing import Any

import numpy as np

from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike
from tapeflow.engines.numpy.nn.ctc import IMPOSSIBLE
from tapeflow.function.control.conditions import has_no_value
from tapeflow.vectorize.values import values_of


def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """-log of the probability that the frames spell the labels, over all alignments: one loss per example.

    `labels` are class numbers (batch, longest), or a SparseTensor of them, `logits` (frames, batch, classes), or
    (batch, frames, classes) when `logits_time_major` is False. The lengths say how much of each is used. The blank is
    class 0 unless `blank_index` says otherwise. An example whose labels do not fit into its frames has loss inf and no
    gradient. `unique` is not needed and not used.

    Args:
        labels: Class numbers (batch, longest), or a `tf.SparseTensor` of them.
        logits: Numbers (frames, batch, classes).
        label_length: How many labels each example has.
        logit_length: How many frames each example has.
        logits_time_major: The frames are the first axis of `logits`; otherwise the batch is.
        unique: Taken and not used.
        blank_index: Which class is the blank; negative ones count from the last. None: 0.

    Raises:
        ValueError: If the shapes do not fit together, or `labels` are sparse and there is no `blank_index`.
        InvalidArgumentError: If a length or a label is out of range.

    >>> loss = tf.nn.ctc_loss([[1]], tf.zeros([2, 1, 3]), label_length=[1], logit_length=[2])
    >>> np.exp(-loss.numpy()).round(4)                       # 11, 1_ and _1 of the nine paths through two frames
    array([0.3333], dtype=float32)
    """
    logits = as_tensor(logits)
    if logits.ndim != 3:
        raise ValueError(
            "logits must have rank 3, (frames, batch, classes) or (batch, frames, classes); got shape "
            f"{tuple(logits.shape)}."
        )
    if logits.dtype.size < 4:
        loss = ctc_loss(
            labels,
            ops.cast(logits, dtype="float32"),
            label_length,
            logit_length,
            logits_time_major,
            unique,
            blank_index,
        )
        return ops.cast(loss, dtype=logits.dtype.np)
    if not logits_time_major:
        logits = ops.transpose(logits, perm=(1, 0, 2))
    frames, batch, classes = logits.sizes
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("`blank_index` must be given when labels are a SparseTensor; -1 is the last class.")
        found, counts = map(EagerTensor, _dense(labels, batch))
    else:
        found, counts = _whole(labels), _whole(label_length)
    blank = _blank(0 if blank_index is None else blank_index, classes)
    lengths = _whole(logit_length)
    if found.ndim != 2 or found.sizes[0] != batch or not tuple(counts.sizes) == tuple(lengths.sizes) == (batch,):
        raise ValueError(
            f"labels must be (batch, longest), the lengths (batch,), for logits of {batch} examples; got shapes "
            f"{tuple(found.shape)}, {tuple(counts.shape)} and {tuple(lengths.shape)}."
        )
    longest = found.sizes[1]
    for given, most in ((counts, longest), (lengths, frames)):
        if has_no_value(given):
            continue
        values = values_of(given)
        if not ((values >= 0) & (values <= most)).all():
            raise invalid(
                f"lengths must lie within {longest} labels and {frames} frames; got {values.tolist()} for {most}."
            )
    inside = ops.less(EagerTensor(np.arange(longest)), ops.reshape(counts, shape=(batch, 1)))
    found = ops.where(inside, found, blank)
    if not has_no_value(found):
        values = values_of(found)
        if not ((values >= 0) & (values < classes)).all():
            raise invalid(
                f"labels must be class numbers from 0 to {classes - 1}, got {values.min()} to {values.max()}."
            )
    return _loss(ops.log_softmax(logits, axis=2), found, counts, lengths, blank)


def _loss(log_probs: Tensor, labels: Tensor, counts: Tensor, lengths: Tensor, blank: int) -> Tensor:
    frames, batch, _ = log_probs.sizes
    constant = lambda value: EagerTensor(np.full(batch, value, log_probs.dtype.np))
    empty, silent = ops.equal(counts, 0), ops.equal(lengths, 0)
    if not frames:
        return ops.where(empty, constant(0), constant(np.inf))
    # The states are the labels with a blank before, between and after them; a path may skip a blank between different
    # labels. (A label that is the blank is a label like others, as in TensorFlow.)
    size = 2 * labels.sizes[1] + 1
    woven = ops.reshape(ops.stack(ops.zeros_like(labels) + blank, labels, axis=2), shape=(batch, size - 1))
    states = ops.concat(woven, EagerTensor(np.full((batch, 1), blank)), axis=1)
    skip = ops.not_equal(states[:, 2:], states[:, : size - 2])
    skip = ops.concat(EagerTensor(np.zeros((batch, min(size, 2)), bool)), skip, axis=1)
    emissions = ops.take_along(log_probs, ops.broadcast_to(states, shape=(frames, *states.sizes)))
    totals = ops.ctc_forward(emissions, skip)
    # A path ends in the last label or in the blank behind it, in the example's last frame.
    last = ops.maximum(lengths - 1, 0) * batch + EagerTensor(np.arange(batch))
    ends = ops.stack(last * size + 2 * counts, last * size + ops.maximum(2 * counts - 1, 0), axis=1)
    found = ops.take(ops.reshape(totals, shape=(frames * batch * size,)), ends, axis=0)
    absent = ops.stack(silent, ops.logical_or(silent, empty), axis=1)
    found = ops.where(absent, EagerTensor(np.full((batch, 2), IMPOSSIBLE, log_probs.dtype.np)), found)
    loss = -ops.reduce_logsumexp(found, axis=(1,), keepdims=False)
    loss = ops.where(ops.less(loss, -IMPOSSIBLE / 2), loss, constant(np.inf))
    return ops.where(ops.logical_and(silent, empty), ops.zeros_like(loss), loss)


# ---- decoding


def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The best class of every frame, repeats merged and blanks left out: ([labels], -Σ of the best logits).

    `inputs` are logits (frames, batch, classes); the blank is the last class unless `blank_index` says otherwise.

    Args:
        inputs: Logits (frames, batch, classes).
        merge_repeated: Take a class that stays from frame to frame as one.
        blank_index: Which class is the blank; negative ones count from the last.

    Returns:
        A list of one sparse tensor, and for each example minus the sum of its best logits.

    >>> frames = tf.one_hot([0, 0, 2, 0, 1], 3)[:, None, :]
    >>> [labels], score = tf.nn.ctc_greedy_decoder(frames, [5])
    >>> labels.values.numpy(), score.numpy()
    (array([0, 0, 1]), array([[-5.]], dtype=float32))
    """
    logits, lengths = _frames(inputs, sequence_length)
    blank = _blank(-1 if blank_index is None else blank_index, logits.sizes[2])
    labels, score = ops.ctc_greedy(logits, lengths, merge_repeated=bool(merge_repeated), blank=blank)
    return [_sparse(labels)], score


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The `top_paths` most probable label sequences and their log-probabilities, by a search that keeps `beam_width`
    prefixes.

    Args:
        inputs: Logits (frames, batch, classes).
        beam_width: How many prefixes are kept.
        top_paths: How many sequences are wanted, at most `beam_width`.

    Returns:
        A list of sparse tensors, one for each path, and the log-probabilities (batch, paths).

    >>> logits = tf.math.log([[[0.1, 0.9]], [[0.4, 0.6]]])               # one label, and the blank
    >>> [first, second], score = tf.nn.ctc_beam_search_decoder(logits, [2], top_paths=2)
    >>> first.values.numpy(), second.values.numpy(), np.exp(score.numpy()).round(2)
    (array([], dtype=int64), array([0]), array([[0.54, 0.46]], dtype=float32))
    """
    logits, lengths = _frames(inputs, sequence_length)
    if top_paths > beam_width:
        raise invalid(f"top_paths, {top_paths}, must be at most beam_width, {beam_width}.")
    labels, scores = ops.ctc_beam_search(logits, lengths, beam_width=int(beam_width), top_paths=int(top_paths))
    whole = (None, None, None)
    return [_sparse(ops.getitem(labels, index=(whole, k))) for k in range(top_paths)], scores


def collapse_repeated(labels: TensorLike, seq_length: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Runs of equal labels become one: (labels padded with 0, their lengths).

    Args:
        labels: A row for each example.
        seq_length: How many labels each row has.

    Returns:
        The labels without repetitions, and their numbers.

    >>> labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5])
    >>> labels.numpy(), lengths.numpy()
    (array([[1, 2, 1]], dtype=int32), array([3], dtype=int32))
    """
    found, lengths = _values(labels), _values(seq_length)
    keep = np.arange(found.shape[1]) < lengths[:, None]
    keep[:, 1:] &= found[:, 1:] != found[:, :-1]
    counts = keep.sum(1).astype(lengths.dtype)
    out = np.zeros((len(found), int(counts.max(initial=0))), found.dtype)
    out[np.arange(out.shape[1]) < counts[:, None]] = found[keep]
    return EagerTensor(out), EagerTensor(counts)


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The different labels of each row in order of appearance, padded with 0, and for each label its place among them.

    Args:
        labels: A row of class numbers for each example.

    Returns:
        The different labels of each row, and for each label its place among them.

    >>> unique, place = tf.nn.ctc_unique_labels([[3, 1, 3]])
    >>> unique.numpy(), place.numpy()
    (array([[3, 1, 0]]), array([[0, 1, 0]], dtype=int32))
    """
    found = _values(labels)
    unique, place = np.zeros(found.shape, np.int64), np.zeros(found.shape, np.int32)
    for row, u, p in zip(found, unique, place):
        order: dict = {}
        p[:] = [order.setdefault(v, len(order)) for v in row.tolist()]
        u[: len(order)] = list(order)
    return EagerTensor(unique), EagerTensor(place)


# ---- helpers


def _values(x: Any) -> np.ndarray:
    return np.asarray(as_tensor(x).array)


def _whole(x: Any) -> Tensor:
    return ops.cast(as_tensor(x), dtype=np.dtype("int64"))


def _blank(index: int, classes: int) -> int:
    if not -classes <= index < classes:
        raise ValueError(f"blank_index must be from {-classes} to {classes - 1}, for {classes} classes; got {index}.")
    return index % classes


def _frames(inputs: Any, sequence_length: Any) -> tuple[Tensor, Tensor]:
    logits, lengths = as_tensor(inputs), as_tensor(sequence_length)
    if logits.ndim != 3 or tuple(lengths.sizes) != (logits.sizes[1],):
        raise invalid(
            f"inputs must be (frames, batch, classes) and sequence_length (batch,), got shapes {tuple(logits.shape)} "
            f"and {tuple(lengths.shape)}."
        )
    if (values_of(lengths) > logits.sizes[0]).any():
        raise invalid(f"sequence_length {values_of(lengths)} goes beyond the {logits.shape[0]} frames of inputs.")
    return logits, lengths


def _dense(labels: SparseTensor, batch: int) -> tuple[np.ndarray, np.ndarray]:
    where, values = labels.indices.array, labels.values.array
    counts = np.bincount(where[:, 0], minlength=batch)
    out = np.zeros((batch, int(labels.dense_shape.array[1])), np.int64)
    out[where[:, 0], where[:, 1]] = values
    return out, counts


def _sparse(labels: Tensor) -> SparseTensor:
    """Rows padded with -1 as a sparse tensor, as wide as the longest."""
    rows = labels.array
    there = rows >= 0
    return SparseTensor(np.argwhere(there), rows[there], [len(rows), int(there.sum(1).max(initial=0))])
