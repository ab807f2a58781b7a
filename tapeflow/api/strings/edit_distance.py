"""`tf.edit_distance`: how far sequences are from each other."""

import numpy as np

from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.core.apply import array_of
from tapeflow.core.errors import invalid
from tapeflow.core.tensor import EagerTensor, Tensor

__all__ = ["edit_distance"]


def edit_distance(
    hypothesis: SparseTensor, truth: SparseTensor, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """How many insertions, deletions and substitutions lead from each sequence of `hypothesis` to the one of `truth`,
    the last axis of sparse tensors; in parts of the true one's length with `normalize`.

    Args:
        hypothesis: A `tf.SparseTensor` of sequences.
        truth: A `tf.SparseTensor` of sequences.
        normalize: Divide by the length of the true sequence.

    >>> hypothesis = tf.SparseTensor([[0, 0], [0, 1]], ["c", "t"], [1, 2])
    >>> truth = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["c", "a", "t"], [1, 3])
    >>> tf.edit_distance(hypothesis, truth, normalize=False).numpy()
    array([1.], dtype=float32)
    """
    for given in (hypothesis, truth):
        if not isinstance(given, SparseTensor):
            raise TypeError(f"edit_distance compares the sequences of two SparseTensors, got {given!r}.")
    shapes = array_of(hypothesis.dense_shape), array_of(truth.dense_shape)
    if len(shapes[0]) != len(shapes[1]) or hypothesis.dtype is not truth.dtype:
        raise invalid(
            f"hypothesis and truth must be alike: {hypothesis.dtype.name} of shape {shapes[0].tolist()} is not as "
            f"{truth.dtype.name} of shape {shapes[1].tolist()}."
        )
    found, wanted = _sequences(hypothesis), _sequences(truth)
    shape = np.maximum(*shapes)[:-1]
    out = np.zeros(shape, np.float32)
    for place in np.ndindex(*shape.tolist()):
        a, b = found.get(place, []), wanted.get(place, [])
        steps = _steps(a, b)
        out[place] = steps if not normalize else steps / len(b) if b else np.inf if steps else 0
    return EagerTensor(out)


def _sequences(given: SparseTensor) -> dict[tuple[int, ...], list]:
    out: dict[tuple[int, ...], list] = {}
    for place, value in zip(array_of(given.indices).tolist(), array_of(given.values).tolist()):
        out.setdefault(tuple(place[:-1]), []).append(value)
    return out


def _steps(a: list, b: list) -> int:
    """The Levenshtein distance, a row of its table at a time."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]
