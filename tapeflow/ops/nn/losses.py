"""Cross-entropies and the sum of squares, each computed from logits so that nothing overflows or cancels.

The softmax cross-entropies take the probabilities, softmax(logits), as an input of their own: the public functions
compute them once, the rule of the logits reads them, and what they contribute at higher orders flows through the
softmax that made them. So a tape keeps one array of the logits' size, and all derivatives exist.
"""

import numpy as np

from tapeflow.core.dtypes import FLOATING, INDEX
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import check_rank, check_same, same_sizes, spreads
from tapeflow.core.primitive import CUT, Spec, primitive, recorded as ops
from tapeflow.core.tensor import sizes_of
from tapeflow.ops.batching import leading
from tapeflow.ops.broadcasting import sum_to
from tapeflow.ops.families import broadcasting


def _log_likelihoods(logits, probabilities):
    """(shifted logits, their log-sum-exp): the largest probability says what the sum was, no exponential is taken
    again."""
    shifted = logits - np.maximum.reduce(logits, axis=-1, keepdims=True, initial=-np.inf)
    return shifted, 0 - np.log(np.maximum.reduce(probabilities, axis=-1, initial=-np.inf))


def _softmax_cross_entropy(logits, probabilities, labels):
    shifted, lse = _log_likelihoods(logits, probabilities)
    with np.errstate(invalid="ignore"):
        np.subtract(lse[..., None], shifted, out=shifted)
        shifted *= labels
    loss = np.add.reduce(shifted, -1)
    if not np.isfinite(loss).all():  # a logit of -inf whose label is 0 costs nothing
        loss = np.sum(np.where(labels == 0, 0, shifted), axis=-1, dtype=logits.dtype)
    return loss


def _labels_vjp(ops, g, logits):
    return ops.reshape(-g, shape=(*sizes_of(g), 1)) * ops.log_softmax(logits, axis=len(sizes_of(logits)) - 1)


def _along_classes(ops, t, slope):
    """The tangent of a loss: tangents of all classes times how much each counts."""
    return ops.reduce_sum(t * slope, axis=(len(t.sizes) - 1,), keepdims=False)


def _softmax_shape(logits, probabilities, labels):
    check_rank(logits, 1, "logits")
    check_same("logits and probabilities", logits.shape, probabilities.shape)
    if not spreads(tuple(labels.shape), tuple(logits.shape)):
        raise invalid(
            f"logits and labels must be broadcastable: logits have shape {tuple(logits.shape)}, labels "
            f"{tuple(labels.shape)}. Labels that are class numbers go into "
            "tf.nn.sparse_softmax_cross_entropy_with_logits."
        )
    return Spec(shape=logits.shape[:-1], dtype=logits.dtype)


# The gradient is TensorFlow's, probabilities - labels: exact when the labels of an example sum to 1.
softmax_cross_entropy = primitive(
    "softmax_cross_entropy(logits, probabilities, labels)",
    kernel={
        "numpy": _softmax_cross_entropy,
        "jax": "nn.losses.softmax_cross_entropy",
        "native": "nn.losses.softmax_cross_entropy",
    },
    shape=_softmax_shape,
    vjp={
        "logits": lambda ops, g, probabilities, labels: ops.softmax_cross_entropy_grad(probabilities, labels, g),
        "probabilities": CUT,
        "labels": _labels_vjp,
    },
    jvp={
        "logits": lambda ops, t, probabilities, labels: _along_classes(ops, t, probabilities - labels),
        "labels": lambda ops, t, logits: -_along_classes(ops, t, ops.log_softmax(logits, axis=len(logits.sizes) - 1)),
    },
    batch=leading,
    dtypes=FLOATING,
)


def _scaled(ops, g, x):
    """Every row times its number."""
    return ops.reshape(g, shape=(*sizes_of(g), 1)) * x


def _over_classes(ops, x):
    return ops.reduce_sum(x, axis=(len(sizes_of(x)) - 1,), keepdims=False)


def _softmax_cross_entropy_grad(probabilities, labels, g_out):
    out = probabilities - labels
    return np.multiply(out, g_out[..., None], out=out)


def _grad_shape(probabilities, labels, g_out):
    _softmax_shape(probabilities, probabilities, labels)
    check_same("a gradient and the loss it belongs to", tuple(g_out.shape), tuple(probabilities.shape[:-1]))
    return probabilities


# g (probabilities - labels), row by row.
softmax_cross_entropy_grad = primitive(
    "softmax_cross_entropy_grad(probabilities, labels, g_out)",
    kernel={
        "numpy": _softmax_cross_entropy_grad,
        "jax": "nn.losses.softmax_cross_entropy_grad",
        "native": "nn.losses.softmax_cross_entropy_grad",
    },
    shape=_grad_shape,
    vjp={
        "probabilities": lambda ops, g, g_out: _scaled(ops, g_out, g),
        "labels": lambda ops, g, g_out, labels_shape: sum_to(ops, -_scaled(ops, g_out, g), labels_shape),
        "g_out": lambda ops, g, probabilities, labels: _over_classes(ops, g * (probabilities - labels)),
    },
    jvp={
        "probabilities": lambda ops, t, g_out: _scaled(ops, g_out, t),
        "labels": lambda ops, t, g_out, y: -_scaled(ops, g_out, t + ops.zeros_like(y)),
        "g_out": lambda ops, t, probabilities, labels: _scaled(ops, t, probabilities - labels),
    },
    batch=leading,
    dtypes=FLOATING,
    makes_new=True,
)


def _check_labels(labels, classes):
    if labels.size and not (labels.min() >= 0 and labels.max() < classes):
        bad = labels[(labels < 0) | (labels >= classes)].ravel()
        raise invalid(
            f"Received a label value of {bad[0]} which is outside the valid range of [0, {classes}). "
            f"Labels are class numbers; {bad.size} of {labels.size} are out of range."
        )


def _sparse_softmax_cross_entropy(logits, probabilities, labels):
    _check_labels(labels, logits.shape[-1])
    shifted, lse = _log_likelihoods(logits, probabilities)
    return lse - np.take_along_axis(shifted, labels[..., None], axis=-1)[..., 0]


def _check_one_each(logits, labels):
    if not logits.shape or not same_sizes(tuple(labels.shape), tuple(logits.shape[:-1])):
        raise invalid(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={tuple(labels.shape)} and logits.shape={tuple(logits.shape)}"
        )


def _sparse_softmax_shape(logits, probabilities, labels):
    _check_one_each(logits, labels)
    check_same("logits and probabilities", logits.shape, probabilities.shape)
    return Spec(shape=labels.shape, dtype=logits.dtype)


sparse_softmax_cross_entropy = primitive(
    "sparse_softmax_cross_entropy(logits, probabilities, labels)",
    kernel={
        "numpy": _sparse_softmax_cross_entropy,
        "jax": "nn.losses.sparse_softmax_cross_entropy",
        "native": "nn.losses.sparse_softmax_cross_entropy",
    },
    shape=_sparse_softmax_shape,
    vjp={
        "logits": lambda ops, g, probabilities, labels: ops.sparse_softmax_cross_entropy_grad(
            probabilities, labels, g
        ),
        "probabilities": CUT,
    },
    jvp={
        "logits": lambda ops, t, probabilities, labels: _along_classes(
            ops, t, ops.minus_one_hot(probabilities, labels)
        )
    },
    batch=leading,
    dtypes={"logits probabilities": FLOATING, "labels": INDEX},
)


def _minus_one_hot(x, labels):
    out = x.reshape(-1, x.shape[-1]).copy()
    out[np.arange(len(out)), labels.ravel()] -= 1
    return out.reshape(x.shape)


def _minus_one_hot_shape(x, labels):
    _check_one_each(x, labels)
    return x


# x - one_hot(labels), without making the one-hot vectors.
minus_one_hot = primitive(
    "minus_one_hot(x, labels)",
    kernel={"numpy": _minus_one_hot, "jax": "nn.losses.minus_one_hot"},
    shape=_minus_one_hot_shape,
    vjp={"x": lambda g: g},
    jvp={"x": lambda t: t},
    batch=leading,
    dtypes={"x": FLOATING, "labels": INDEX},
    makes_new=True,
)


def _sparse_softmax_cross_entropy_grad(probabilities, labels, g_out):
    out = np.multiply(probabilities, g_out[..., None], order="C")  # so that a reshaped one is a view
    rows, chosen = np.arange(labels.size), labels.ravel()
    known = probabilities.reshape(-1, out.shape[-1])[rows, chosen]
    out.reshape(-1, out.shape[-1])[rows, chosen] = (known - 1) * g_out.ravel()
    return out


def _sparse_grad_shape(probabilities, labels, g_out):
    _check_one_each(probabilities, labels)
    check_same("a gradient and the loss it belongs to", tuple(g_out.shape), tuple(labels.shape))
    return probabilities


# g (probabilities - one_hot(labels)), row by row, without making the one-hot vectors.
sparse_softmax_cross_entropy_grad = primitive(
    "sparse_softmax_cross_entropy_grad(probabilities, labels, g_out)",
    kernel={
        "numpy": _sparse_softmax_cross_entropy_grad,
        "jax": "nn.losses.sparse_softmax_cross_entropy_grad",
        "native": "nn.losses.sparse_softmax_cross_entropy_grad",
    },
    shape=_sparse_grad_shape,
    vjp={
        "probabilities": lambda ops, g, g_out: _scaled(ops, g_out, g),
        "g_out": lambda ops, g, probabilities, labels: _over_classes(
            ops, g * ops.minus_one_hot(probabilities, labels)
        ),
    },
    jvp={
        "probabilities": lambda ops, t, g_out: _scaled(ops, g_out, t),
        "g_out": lambda ops, t, probabilities, labels: _scaled(ops, t, ops.minus_one_hot(probabilities, labels)),
    },
    batch=leading,
    dtypes={"probabilities g_out": FLOATING, "labels": INDEX},
    makes_new=True,
)


def _sigmoid_cross_entropy(logits, labels):
    small = np.log1p(np.exp(-abs(logits)))
    with np.errstate(invalid="ignore"):
        loss = np.maximum(logits, 0) - logits * labels + small
        if not np.isfinite(loss).all():  # an infinite logit: what has weight 0 costs nothing
            nothing = np.zeros((), logits.dtype)
            loss = small + np.where(labels == 1, nothing, (1 - labels) * np.maximum(logits, 0))
            loss = loss + np.where(labels == 0, nothing, labels * np.maximum(-logits, 0))
    return loss


sigmoid_cross_entropy = broadcasting(
    "sigmoid_cross_entropy(logits, labels)",
    kernel={"numpy": _sigmoid_cross_entropy, "jax": "nn.losses.sigmoid_cross_entropy"},
    vjp={
        "logits": lambda ops, g, logits, labels: g * (ops.sigmoid(logits) - labels),
        "labels": lambda g, logits: -g * logits,
    },
    dtypes=FLOATING,
    makes_new=True,
)


def _l2_loss(x):
    flat = x.reshape(-1)
    wide = flat.astype(np.float32) if x.dtype.itemsize < 4 else flat
    return (np.dot(wide, wide) / 2).astype(x.dtype)


def _l2_rows(op, args, batched, params):
    [x] = args
    wide = (
        ops.cast(x, dtype=np.dtype(np.float32)) if x.dtype.size < 4 else x
    )  # as the kernel: squares of halves are soon 0 or inf
    half = ops.sum_squares(wide, axis=tuple(range(1, len(x.sizes))), keepdims=False) * 0.5
    return ops.cast(half, dtype=x.dtype.np) if wide is not x else half


l2_loss = primitive(
    "l2_loss(x)",
    kernel={"numpy": _l2_loss, "jax": "nn.losses.l2_loss"},
    shape=lambda x: Spec(shape=(), dtype=x.dtype),
    vjp=lambda g, x: g * x,
    jvp=lambda ops, t, x: ops.reduce_sum(t * x, axis=tuple(range(len(x.sizes))), keepdims=False),
    batch=_l2_rows,
    dtypes=FLOATING,
)
