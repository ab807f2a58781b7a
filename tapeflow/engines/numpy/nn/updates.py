"""What optimizers make of a gradient, with as few new arrays as NumPy can."""

import numpy as np


def descend(gradient, variable, rate):
    out = gradient * rate
    return np.subtract(variable, out, out=out) if out.ndim else variable - out


def descend_with_momentum(gradient, velocity, variable, rate, momentum, nesterov):
    momentum = gradient.dtype.type(momentum)
    step = gradient * rate
    moved = velocity * momentum
    if not gradient.ndim:
        moved = moved - step
        return moved, variable + (moved * momentum - step if nesterov else moved)
    moved -= step
    ahead = np.subtract(moved * momentum, step, out=step) if nesterov else moved
    return moved, np.add(variable, ahead, out=step)


def adam_rate(rate, step, beta_1, beta_2):
    """The rate of a step, which makes up for averages that begin at 0."""
    beta_1, beta_2 = rate.dtype.type(beta_1), rate.dtype.type(beta_2)
    return rate * np.sqrt(1 - np.power(beta_2, step)) / (1 - np.power(beta_1, step))


def adam(gradient, mean, square, variable, rate, step, beta_1, beta_2, epsilon):
    number = gradient.dtype.type
    if not gradient.ndim:
        mean = mean + (gradient - mean) * number(1 - beta_1)
        square = square + (gradient * gradient - square) * number(1 - beta_2)
        alpha = adam_rate(rate, step, beta_1, beta_2)
        return mean, square, variable - mean * alpha / (np.sqrt(square) + number(epsilon))
    new_mean = gradient - mean
    new_mean *= number(1 - beta_1)
    new_mean += mean
    new_square = np.square(gradient)
    new_square -= square
    new_square *= number(1 - beta_2)
    new_square += square
    out = new_mean * adam_rate(rate, step, beta_1, beta_2)
    root = np.sqrt(new_square)
    root += number(epsilon)
    out /= root
    return new_mean, new_square, np.subtract(variable, out, out=out)
