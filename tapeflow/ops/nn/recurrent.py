"""The part of a step of an LSTM or a GRU that is not a matrix product: gates, and what they let through. One operation
for a step and one for its way back, where there would be some ten and twenty.

`z` has the four gates of an LSTM side by side in its last axis, before their functions: enter, keep, new, leave. With
those applied they are the output `gates`, from which the way back is computed. Of a GRU, whose state is forgotten
after the product, `x` and `inner` have keep, reset and new.
"""

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import same_sizes
from tapeflow.core.primitive import primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.nn import recurrent as kernels
from tapeflow.ops.batching import leading


def _check(gates, count, *states):
    """`gates` has `count` numbers for each one of a state."""
    for state in states:
        wanted = (*state.shape[:-1], count * state.shape[-1]) if len(state.shape) else ()
        if not len(state.shape) or not same_sizes(tuple(gates.shape), wanted):
            raise invalid(
                f"{count} gates side by side, of shape {tuple(gates.shape)}, do not belong to a state of shape "
                f"{tuple(state.shape)}: its last axis is {count} times as long."
            )


def _parts(ops, x, count):
    axis = len(sizes_of(x)) - 1
    return ops.split(x, sizes=(sizes_of(x)[axis] // count,) * count, axis=axis)


def _side_by_side(ops, *parts):
    return ops.concat(*parts, axis=len(sizes_of(parts[0])) - 1)


def _slope(y):
    """Of a sigmoid, by its value."""
    return y * (1 - y)


# ---- LSTM


def _lstm_shape(z, c):
    _check(z, 4, c)
    return c, c, z


def _lstm_vjp(ops, g, c, new_c, gates):
    of_h, of_c, of_gates = g
    of_h = ops.zeros_like(c) if of_h is None else of_h
    of_c = ops.zeros_like(c) if of_c is None else of_c
    of_z, of_state = ops.lstm_step_grad(gates, c, new_c, of_h, of_c)
    if of_gates is not None:
        enter, keep, new, leave = _parts(ops, gates, 4)
        of_z = of_z + of_gates * _side_by_side(ops, _slope(enter), _slope(keep), 1 - new * new, _slope(leave))
    return of_z, of_state


# c' = keep c + enter new, h' = leave tanh(c')
lstm_step = primitive(
    "lstm_step(z, c)",
    kernel={"numpy": kernels.lstm_step, "jax": "nn.recurrent.lstm_step", "native": "nn.recurrent.lstm_step"},
    shape=_lstm_shape,
    vjp={("z", "c"): _lstm_vjp},
    batch=leading,
    dtypes=FLOATING,
    outputs=("new_h", "new_c", "gates"),
    makes_new=True,
    takes_none=True,
)


def _lstm_grad_shape(gates, c, new_c, of_h, of_c):
    _check(gates, 4, c, new_c, of_h, of_c)
    return gates, c


def _lstm_grad_vjp(ops, g, gates, c, new_c, of_h, of_c):
    """The gradient of <of_c', change of c'> + <of_h, change of h'> for a change `g` of z and c: that is what
    <g, gradients> is."""
    of_z, of_state = g
    enter, keep, new, leave = _parts(ops, gates, 4)
    z_enter, z_keep, z_new, z_leave = _parts(ops, of_z, 4)
    out = ops.tanh(new_c)
    flat, rise = 1 - out * out, 1 - new * new
    of_new_c = of_c + of_h * leave * flat
    change = _slope(enter) * new * z_enter + _slope(keep) * c * z_keep + enter * rise * z_new + keep * of_state
    opened = _slope(leave) * z_leave
    of_leave = of_h * (change * flat + out * (1 - 2 * leave) * z_leave)
    of_gates = _side_by_side(
        ops,
        of_new_c * ((1 - 2 * enter) * new * z_enter + rise * z_new),
        of_new_c * ((1 - 2 * keep) * c * z_keep + of_state),
        of_new_c * (_slope(enter) * z_enter - 2 * enter * new * z_new),
        of_leave,
    )
    return (
        of_gates,
        of_new_c * _slope(keep) * z_keep,
        flat * of_h * (opened - 2 * out * leave * change),
        change * leave * flat + out * opened,
        change,
    )


lstm_step_grad = primitive(
    "lstm_step_grad(gates, c, new_c, of_h, of_c)",
    kernel={
        "numpy": kernels.lstm_step_grad,
        "jax": "nn.recurrent.lstm_step_grad",
        "native": "nn.recurrent.lstm_step_grad",
    },
    shape=_lstm_grad_shape,
    vjp={("gates", "c", "new_c", "of_h", "of_c"): _lstm_grad_vjp},
    batch=leading,
    dtypes=FLOATING,
    outputs=("of_z", "of_state"),
    makes_new=True,
)

# ---- GRU


def _gru_shape(x, inner, h):
    _check(x, 3, h)
    _check(inner, 3, h)
    return h, x


def _gru_vjp(ops, g, inner, h, gates):
    of_h, of_gates = g
    of_h = ops.zeros_like(h) if of_h is None else of_h
    of_x, of_inner, of_state = ops.gru_step_grad(gates, inner, h, of_h)
    if of_gates is not None:
        keep, reset, new = _parts(ops, gates, 3)
        g_keep, g_reset, g_new = _parts(ops, of_gates, 3)
        of_new = g_new * (1 - new * new)
        by_reset = (g_reset + of_new * _parts(ops, inner, 3)[2]) * _slope(reset)
        more = _side_by_side(ops, g_keep * _slope(keep), by_reset, of_new)
        of_x = of_x + more
        of_inner = of_inner + _side_by_side(ops, g_keep * _slope(keep), by_reset, of_new * reset)
    return of_x, of_inner, of_state


# h' = keep h + (1 - keep) new
gru_step = primitive(
    "gru_step(x, inner, h)",
    kernel={"numpy": kernels.gru_step, "jax": "nn.recurrent.gru_step", "native": "nn.recurrent.gru_step"},
    shape=_gru_shape,
    vjp={("x", "inner", "h"): _gru_vjp},
    batch=leading,
    dtypes=FLOATING,
    outputs=("new_h", "gates"),
    makes_new=True,
    takes_none=True,
)


def _gru_grad_shape(gates, inner, h, of_h):
    _check(gates, 3, h, of_h)
    _check(inner, 3, h)
    return gates, inner, h


def _gru_grad_vjp(ops, g, gates, inner, h, of_h):
    """As in `lstm_step_grad`: <of_h, change of h'> for a change of x, inner and h, differentiated."""
    of_x, of_inner, of_state = g
    keep, reset, new = _parts(ops, gates, 3)
    (x_keep, x_reset, x_new), (i_keep, i_reset, i_new) = _parts(ops, of_x, 3), _parts(ops, of_inner, 3)
    z_keep, z_reset, last = x_keep + i_keep, x_reset + i_reset, _parts(ops, inner, 3)[2]
    rise = 1 - new * new
    moved = x_new + i_new * reset + last * _slope(reset) * z_reset  # of what new is the tanh of
    change = (h - new) * _slope(keep) * z_keep + (1 - keep) * rise * moved + keep * of_state
    zeros = ops.zeros_like(z_keep)
    of_gates = _side_by_side(
        ops,
        of_h * ((h - new) * (1 - 2 * keep) * z_keep - rise * moved + of_state),
        of_h * (1 - keep) * rise * (i_new + last * (1 - 2 * reset) * z_reset),
        of_h * (-_slope(keep) * z_keep - 2 * (1 - keep) * new * moved),
    )
    return (
        of_gates,
        _side_by_side(ops, zeros, zeros, of_h * (1 - keep) * rise * _slope(reset) * z_reset),
        of_h * _slope(keep) * z_keep,
        change,
    )


gru_step_grad = primitive(
    "gru_step_grad(gates, inner, h, of_h)",
    kernel={
        "numpy": kernels.gru_step_grad,
        "jax": "nn.recurrent.gru_step_grad",
        "native": "nn.recurrent.gru_step_grad",
    },
    shape=_gru_grad_shape,
    vjp={("gates", "inner", "h", "of_h"): _gru_grad_vjp},
    batch=leading,
    dtypes=FLOATING,
    outputs=("of_x", "of_inner", "of_state"),
    makes_new=True,
)
