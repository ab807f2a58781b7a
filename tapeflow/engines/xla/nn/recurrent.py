"""Steps of an LSTM and of a GRU without their matrix products (see `ops/nn/recurrent.py`)."""

import jax.numpy as jnp
from jax import nn


def lstm_step(z, c):
    enter, keep, new, leave = jnp.split(z, 4, -1)
    gates = nn.sigmoid(enter), nn.sigmoid(keep), jnp.tanh(new), nn.sigmoid(leave)
    new_c = gates[1] * c + gates[0] * gates[2]
    return gates[3] * jnp.tanh(new_c), new_c, jnp.concatenate(gates, -1)


def lstm_step_grad(gates, c, new_c, of_h, of_c):
    enter, keep, new, leave = jnp.split(gates, 4, -1)
    out = jnp.tanh(new_c)
    of_new_c = of_c + of_h * leave * (1 - out * out)
    slopes = (
        of_new_c * new * enter * (1 - enter),
        of_new_c * c * keep * (1 - keep),
        of_new_c * enter * (1 - new * new),
        of_h * out * leave * (1 - leave),
    )
    return jnp.concatenate(slopes, -1), of_new_c * keep


def gru_step(x, inner, h):
    (x_keep, x_reset, x_new), (i_keep, i_reset, i_new) = jnp.split(x, 3, -1), jnp.split(inner, 3, -1)
    keep, reset = nn.sigmoid(x_keep + i_keep), nn.sigmoid(x_reset + i_reset)
    new = jnp.tanh(x_new + reset * i_new)
    return new + keep * (h - new), jnp.concatenate((keep, reset, new), -1)


def gru_step_grad(gates, inner, h, of_h):
    keep, reset, new = jnp.split(gates, 3, -1)
    of_new = of_h * (1 - keep) * (1 - new * new)
    of_keep = of_h * (h - new) * keep * (1 - keep)
    of_reset = of_new * jnp.split(inner, 3, -1)[2] * reset * (1 - reset)
    of_x = jnp.concatenate((of_keep, of_reset, of_new), -1)
    return of_x, jnp.concatenate((of_keep, of_reset, of_new * reset), -1), of_h * keep
