"""Cross-entropies of logits, and the way back (see `ops/nn/losses.py`)."""

from typing import Any

import numpy as np

from tapeflow.engines.native.calling import COUNT, POINTER, at, fits, function

_loss: Any = function("cross_entropy", *[POINTER] * 4, COUNT, POINTER, COUNT, COUNT)
_grad: Any = function("cross_entropy_grad", *[POINTER] * 4, COUNT, POINTER, COUNT, COUNT)


def _dense(shape: tuple, labels: Any) -> tuple | None:
    """What the library is told of labels that are probabilities; None for others than those of each logit."""
    return (at(labels), None, 0) if fits(labels) and labels.shape == shape else None


def _classes(shape: tuple, labels: Any) -> tuple | None:
    """The same of numbers of classes, all of which must be there."""
    if type(labels) is not np.ndarray or labels.shape != shape[:-1] or not labels.flags.c_contiguous:
        return None
    if not labels.size or labels.dtype not in (np.int32, np.int64):
        return None
    if labels.min() < 0 or labels.max() >= shape[-1]:
        return None  # NumPy's kernel says what is wrong
    return None, at(labels), labels.itemsize


def _losses(told: Any) -> Any:
    def kernel(logits: Any, probabilities: Any, labels: Any) -> Any:
        if _loss is None or not fits(logits, probabilities) or (labels := told(logits.shape, labels)) is None:
            return None
        out = np.empty(logits.shape[:-1], np.float32)
        _loss(at(logits), at(probabilities), *labels, at(out), out.size, logits.shape[-1])
        return out if out.ndim else out[()]

    return kernel


def _gradients(told: Any) -> Any:
    def kernel(probabilities: Any, labels: Any, g: Any) -> Any:
        if _grad is None or not fits(probabilities) or (labels := told(probabilities.shape, labels)) is None:
            return None
        if g.dtype != np.float32 or g.shape != probabilities.shape[:-1]:
            return None
        out, g = np.empty_like(probabilities), np.ascontiguousarray(g)
        _grad(at(probabilities), at(g), *labels, at(out), g.size, out.shape[-1])
        return out

    return kernel


softmax_cross_entropy, softmax_cross_entropy_grad = _losses(_dense), _gradients(_dense)
sparse_softmax_cross_entropy, sparse_softmax_cross_entropy_grad = _losses(_classes), _gradients(_classes)
