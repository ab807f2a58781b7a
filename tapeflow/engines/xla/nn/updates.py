"""What optimizers make of a gradient (see `ops/nn/updates.py`)."""

import jax.numpy as jnp


def descend(gradient, variable, rate):
    return variable - gradient * rate


def descend_with_momentum(gradient, velocity, variable, rate, momentum, nesterov):
    step = gradient * rate
    velocity = velocity * momentum - step
    return velocity, variable + (velocity * momentum - step if nesterov else velocity)


def adam(gradient, mean, square, variable, rate, step, beta_1, beta_2, epsilon):
    number = gradient.dtype.type
    alpha = rate * jnp.sqrt(1 - number(beta_2) ** step) / (1 - number(beta_1) ** step)
    mean = mean + (gradient - mean) * (1 - beta_1)
    square = square + (gradient * gradient - square) * (1 - beta_2)
    return mean, square, variable - mean * alpha / (jnp.sqrt(square) + epsilon)
