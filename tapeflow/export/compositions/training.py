"""What layers and optimizers compute in one operation, as other primitives."""

from typing import Any

import numpy as np

from tapeflow.core.primitive import recorded as ops

# ---- normalisation


def _wide(x):
    """Halves are added up in single precision."""
    return ops.cast(x, dtype=np.dtype(np.float32)) if x.dtype.np.itemsize < 4 else x


def _narrow(x, like):
    return ops.cast(x, dtype=like.dtype.np) if x.dtype is not like.dtype else x


def _moments(x, axis, keepdims):
    wide = _wide(x)
    mean = ops.reduce_mean(wide, axis=axis, keepdims=True)
    variance = ops.reduce_mean(ops.square(wide - mean), axis=axis, keepdims=keepdims)
    if not keepdims:
        mean = ops.reshape(mean, shape=tuple(variance.sizes))
    return _narrow(mean, x), _narrow(variance, x)


def _batch_norm(x, mean, variance, scale, offset, epsilon):
    return (x - mean) * (ops.rsqrt(variance + epsilon) * scale) + offset


def _summed(x, shape):
    extra = len(x.sizes) - len(shape)
    axis = (*range(extra), *[a + extra for a, n in enumerate(shape) if n == 1 and x.sizes[a + extra] != 1])
    out = _narrow(ops.reduce_sum(_wide(x), axis=axis, keepdims=False), x) if axis else x
    return ops.reshape(out, shape=tuple(shape))


def _batch_norm_grad(dy, x, mean, variance, scale, offset_shape, epsilon):
    factor = ops.rsqrt(variance + epsilon)
    dy = dy + ops.zeros_like((x - mean) * (factor * scale))  # of the whole shape
    out, moved = dy * (factor * scale), (x - mean) * dy
    return (
        _summed(out, x.sizes),
        -_summed(out, mean.sizes),
        _summed(moved * (factor * scale * ops.square(factor)), variance.sizes) * -0.5,
        _summed(moved * factor, scale.sizes),
        _summed(dy, offset_shape),
    )


# ---- losses


def _by_row(rows, numbers):
    return rows * ops.reshape(numbers, shape=(*numbers.sizes, 1))


def _dropped(x, keep, factor):
    return ops.where(keep, x * factor, ops.zeros_like(x))


# ---- gates


def _parts(x, count):
    axis = len(x.sizes) - 1
    return ops.split(x, sizes=(x.sizes[axis] // count,) * count, axis=axis)


def _side_by_side(*parts):
    return ops.concat(*parts, axis=len(parts[0].sizes) - 1)


def _lstm_step(z, c):
    enter, keep, new, leave = _parts(z, 4)
    enter, keep, new, leave = ops.sigmoid(enter), ops.sigmoid(keep), ops.tanh(new), ops.sigmoid(leave)
    new_c = keep * c + enter * new
    return leave * ops.tanh(new_c), new_c, _side_by_side(enter, keep, new, leave)


def _lstm_step_grad(gates, c, new_c, of_h, of_c):
    enter, keep, new, leave = _parts(gates, 4)
    out = ops.tanh(new_c)
    of_new_c = of_c + of_h * leave * (1 - out * out)
    of_z = _side_by_side(
        of_new_c * new * (enter * (1 - enter)),
        of_new_c * c * (keep * (1 - keep)),
        of_new_c * enter * (1 - new * new),
        of_h * out * (leave * (1 - leave)),
    )
    return of_z, of_new_c * keep


def _gru_step(x, inner, h):
    (keep, reset, new), (i_keep, i_reset, i_new) = _parts(x, 3), _parts(inner, 3)
    keep, reset = ops.sigmoid(keep + i_keep), ops.sigmoid(reset + i_reset)
    new = ops.tanh(new + reset * i_new)
    return keep * h + (1 - keep) * new, _side_by_side(keep, reset, new)


def _gru_step_grad(gates, inner, h, of_h):
    keep, reset, new = _parts(gates, 3)
    of_keep = of_h * (h - new) * (keep * (1 - keep))
    of_new = of_h * (1 - keep) * (1 - new * new)
    of_reset = of_new * _parts(inner, 3)[2] * (reset * (1 - reset))
    return (
        _side_by_side(of_keep, of_reset, of_new),
        _side_by_side(of_keep, of_reset, of_new * reset),
        of_h * keep,
    )


# ---- updates


def _descend_with_momentum(gradient, velocity, variable, rate, momentum, nesterov):
    velocity = velocity * momentum - gradient * rate
    return velocity, variable + (velocity * momentum - gradient * rate if nesterov else velocity)


def _adam(gradient, mean, square, variable, rate, step, beta_1, beta_2, epsilon):
    power = lambda beta: ops.pow(ops.zeros_like(step) + beta, step)
    mean = mean + (gradient - mean) * (1 - beta_1)
    square = square + (ops.square(gradient) - square) * (1 - beta_2)
    share = ops.sqrt(1 - power(beta_2)) / (1 - power(beta_1))
    return mean, square, variable - mean * (rate * share) / (ops.sqrt(square) + epsilon)


TABLE: dict[str, Any] = {
    "moments": _moments,
    "centred": lambda x, mean, factor, start: (x - mean) * factor + start,
    "batch_norm": _batch_norm,
    "batch_norm_grad": _batch_norm_grad,
    "softmax_cross_entropy_grad": lambda probabilities, labels, g_out: _by_row(probabilities - labels, g_out),
    "sparse_softmax_cross_entropy_grad": lambda probabilities, labels, g_out: _by_row(
        ops.minus_one_hot(probabilities, labels), g_out
    ),
    "dropped": _dropped,
    "lstm_step": _lstm_step,
    "lstm_step_grad": _lstm_step_grad,
    "gru_step": _gru_step,
    "gru_step_grad": _gru_step_grad,
    "descend": lambda gradient, variable, rate: variable - gradient * rate,
    "descend_with_momentum": _descend_with_momentum,
    "adam": _adam,
}
