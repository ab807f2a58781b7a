"""Arguments for native kernels that take more than one array, or arrays of one shape; and how large the numbers are
that their results are made of, in which rounding is to be measured.

`CALLS` has, by name, functions of (rng, a maker of arrays by their shapes, is it to be large?), `BOUNDS` functions of
the arguments that are as long as the results.
"""

import numpy as np

# x, a mean and a scale that lie in other axes: batch, layer and group normalisation; channels last and first.
_KINDS = [
    ((1000, 33), (33,), (33,)),
    ((130, 77), (130, 1), (77,)),
    ((2, 50, 16), (2, 50, 1), (16,)),
    ((3, 200, 4, 5), (3, 1, 4, 1), (4, 5)),
    ((3, 7, 5, 11), (7, 1, 1), (7, 1, 1)),
    ((5, 300, 8), (5, 1, 8), (8,)),
    ((6, 257), (6, 1), (1,)),
]
_LARGE = [((64, 32, 32, 16), (16,), (16,)), ((3000, 70), (3000, 1), (70,)), ((40, 32, 1000), (32, 1), (32, 1))]
_AXES = [
    ((1000, 33), (0,)),
    ((130, 77), (1,)),
    ((3, 200, 4, 5), (1, 3)),
    ((3, 7, 5, 11), (0, 2, 3)),
    ((5, 300, 8), (1,)),
    ((9001,), (0,)),
    ((2, 3, 50), (0, 1, 2)),
]


def _moderate(x, most=1e6):
    """Whether sums, or products, of larger numbers overflow may depend on their order."""
    x[np.isfinite(x) & (np.abs(x) > most)] = 1.0
    return x


def _normed(rng, new, large):
    shape, mean, scale = (_LARGE if large else _KINDS)[rng.integers(3 if large else len(_KINDS))]
    x, start = _moderate(new(*shape)), _moderate(new(*scale))
    variance = np.abs(rng.normal(size=mean)).astype(np.float32) + np.float32(0.1)
    return x, rng.normal(size=mean).astype(np.float32), variance, rng.normal(size=scale).astype(np.float32), start


def _moments(rng, new, large=False):
    shape, axis = ((3000, 70), (0,)) if large else _AXES[rng.integers(len(_AXES))]
    return [_moderate(new(*shape))], {"axis": axis, "keepdims": bool(rng.integers(2))}


def _centred(rng, new, large=False):
    x, mean, factor, _, _ = _normed(rng, new, large)
    return [x, mean, factor, rng.normal(size=mean.shape).astype(np.float32)], {}


def _batch_norm(rng, new, large=False):
    return list(_normed(rng, new, large)), {"epsilon": 0.001}


def _batch_norm_grad(rng, new, large=False):
    x, mean, variance, scale, offset = _normed(rng, new, large)
    return [_moderate(new(*x.shape)), x, mean, variance, scale], {"epsilon": 0.001, "offset_shape": offset.shape}


def _bound_of_moments(x, axis, keepdims):
    most = np.abs(x).mean(axis, keepdims=keepdims), np.square(x).mean(axis, keepdims=keepdims)
    return tuple(np.asarray(m) for m in most)


def _bound_of_centred(x, mean, factor, start):
    return (np.abs(x) + np.abs(mean)) * np.abs(factor) + np.abs(start)


def _bound_of_batch_norm(x, mean, variance, scale, offset, epsilon):
    return _bound_of_centred(x, mean, scale / np.sqrt(variance + epsilon), offset)


def _down(x, shape):
    x = np.sum(x, tuple(range(x.ndim - len(shape))))
    return np.sum(x, tuple(a for a, n in enumerate(shape) if n == 1), keepdims=True).reshape(shape)


def _bound_of_batch_norm_grad(dy, x, mean, variance, scale, offset_shape, epsilon):
    dy, scale = np.abs(dy), np.abs(scale)
    factor, apart = 1 / np.sqrt(variance + epsilon), np.abs(x) + np.abs(mean)
    return (
        dy * scale * factor,
        _down(dy * scale * factor, mean.shape),
        _down(dy * scale * apart * factor**3, variance.shape),
        _down(dy * apart * factor, scale.shape),
        _down(dy, offset_shape),
    )


def _losses(sparse, gradient):
    def call(rng, new, large=False):
        rows, width = (3000, 70) if large else (int(rng.integers(1, 9)), int(rng.choice([1, 3, 17, 255, 5000])))
        logits = _moderate(new(rows, width))
        with np.errstate(all="ignore"):
            shifted = np.exp(logits - logits.max(1, keepdims=True))
            probabilities = (shifted / shifted.sum(1, keepdims=True)).astype(np.float32)
        labels = np.where(rng.random((rows, width)) < 0.1, 0, np.abs(_moderate(new(rows, width)))).astype(np.float32)
        if sparse:
            labels = rng.integers(0, width, rows).astype(rng.choice([np.int32, np.int64]))
        return [probabilities, labels, _moderate(new(rows))] if gradient else [logits, probabilities, labels], {}

    return call


def _bound_of_loss(logits, probabilities, labels):
    size = 2 * np.abs(logits).max(-1, initial=0) + 100
    return size if labels.dtype.kind == "i" else (np.abs(labels) * size[..., None]).sum(-1)


def _update(remembered, **params):
    def call(rng, new, large=False):
        shape = (3000, 70) if large else (int(rng.choice([1, 3, 17, 255, 5000])),)
        gradient, *others = [_moderate(new(*shape)) for _ in range(remembered + 2)]
        if "beta_2" in params:
            others[1] = np.abs(others[1])  # a mean of squares
        numbers = [np.float32(0.1), np.float32(3)][: 2 if "beta_2" in params else 1]
        extra = {"nesterov": bool(rng.integers(2))} if "momentum" in params else {}
        return [gradient, *others, *numbers], params | extra

    return call


def _bound_of_adam(gradient, mean, square, variable, rate, step, beta_1, beta_2, epsilon):
    size = np.abs(gradient) + np.abs(mean)
    root = np.sqrt(beta_2 * square + (1 - beta_2) * np.square(gradient)) + epsilon
    return size, np.square(gradient) + square, np.abs(variable) + size * rate / root


def _step(kinds, gates):
    """`kinds`: "g" for gates, "s" for states; the first is already between 0 and 1 for a way back."""

    def call(rng, new, large=False):
        rows, width = (3000, 70) if large else (int(rng.integers(1, 9)), int(rng.choice([1, 3, 17, 300])))
        arrays = [_moderate(new(rows, width * (gates if k == "g" else 1)), 100) for k in kinds]
        if kinds.count("s") > 1:
            arrays[0] = np.abs(np.tanh(arrays[0]))
        return arrays, {}

    return call


def _masked(rng, new, large=False):
    x = new(3000, 70) if large else new(int(rng.choice([1, 3, 17, 255, 5000])))
    return [x, rng.random(x.shape) < 0.5], {}


def _dropped(rng, new, large=False):
    return _masked(rng, new, large)[0], {"factor": 1.25}


def _segments(rng, new, large=False):
    shape, count = ((3000,), 70) if large else [((40, 5), 7), ((300,), 1000), ((9,), 2)][rng.integers(3)]
    ids = rng.integers(0, count, shape).astype(rng.choice([np.int32, np.int64]))
    return [_moderate(new(*shape, int(rng.choice([1, 3, 33])))), ids], {"num_segments": count}


CALLS = {
    "masked": _masked,
    "dropped": _dropped,
    "unsorted_segment_sum": _segments,
    "lstm_step": _step("gs", 4),
    "lstm_step_grad": _step("gssss", 4),
    "gru_step": _step("ggs", 3),
    "gru_step_grad": _step("ggss", 3),
    "descend": _update(0),
    "descend_with_momentum": _update(1, momentum=0.9),
    "adam": _update(2, beta_1=0.9, beta_2=0.99, epsilon=1e-3),
    "moments": _moments,
    "centred": _centred,
    "batch_norm": _batch_norm,
    "batch_norm_grad": _batch_norm_grad,
    "softmax_cross_entropy": _losses(False, False),
    "softmax_cross_entropy_grad": _losses(False, True),
    "sparse_softmax_cross_entropy": _losses(True, False),
    "sparse_softmax_cross_entropy_grad": _losses(True, True),
}


def _bound_of_lstm(z, c):
    return 1 + np.abs(c), 1 + np.abs(c), np.ones_like(z)


def _bound_of_lstm_grad(gates, c, new_c, of_h, of_c):
    whole = np.abs(of_h) + np.abs(of_c)
    return np.concatenate([whole, whole * np.abs(c), whole, np.abs(of_h)], -1), whole


def _bound_of_gru(x, inner, h):
    """A gate is as exact as the sum that it is of."""
    of_gates = 1 + np.abs(x) + np.abs(inner)
    keep, reset, new = np.split(of_gates, 3, -1)
    new = new + reset * np.split(np.abs(inner), 3, -1)[2]
    return (keep + 1) * (1 + np.abs(h)) + new, np.concatenate([keep, reset, new], -1)


def _bound_of_gru_grad(gates, inner, h, of_h):
    of_h, last = np.abs(of_h), np.split(np.abs(inner), 3, -1)[2]
    of_gates = np.concatenate([of_h * (1 + np.abs(h)), of_h * last, of_h], -1)
    return of_gates, of_gates, of_h


def _bound_of_segments(x, ids, num_segments):
    out = np.zeros((num_segments, *x.shape[ids.ndim :]))
    np.add.at(out, ids, np.abs(x))
    return out


BOUNDS = {
    "masked": lambda x, keep: np.abs(x),
    "dropped": lambda x, keep, factor: np.abs(x) * factor,
    "unsorted_segment_sum": _bound_of_segments,
    "lstm_step": _bound_of_lstm,
    "lstm_step_grad": _bound_of_lstm_grad,
    "gru_step": _bound_of_gru,
    "gru_step_grad": _bound_of_gru_grad,
    "descend": lambda gradient, variable, rate: np.abs(variable) + np.abs(gradient * rate),
    "descend_with_momentum": lambda g, v, w, rate, **_: np.abs(w) + 2 * np.abs(v) + 2 * np.abs(g),
    "adam": _bound_of_adam,
    "softmax_cross_entropy": _bound_of_loss,
    "sparse_softmax_cross_entropy": _bound_of_loss,
    "softmax_cross_entropy_grad": lambda p, labels, g: (np.abs(p) + np.abs(labels)) * np.abs(g)[..., None],
    "sparse_softmax_cross_entropy_grad": lambda p, labels, g: (np.abs(p) + 1) * np.abs(g)[..., None],
    "moments": _bound_of_moments,
    "centred": _bound_of_centred,
    "batch_norm": _bound_of_batch_norm,
    "batch_norm_grad": _bound_of_batch_norm_grad,
}
