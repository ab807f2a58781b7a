"""Higher derivatives of functions of one tensor, and a comparison; first ones are in `gradients`."""

import numpy as np

import tapeflow as tf

from .gradients import gradient


def derivative(f, u):
    """The gradient of f as a tensor, for further differentiation."""
    with tf.GradientTape() as tape:
        tape.watch(u)
        y = f(u)
    return tape.gradient(y, u)


def second(f, x):
    return gradient(lambda u: derivative(f, u), x)


def third(f, x):
    return second(lambda u: derivative(f, u), x)


def same(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6)
