"""Solves the equation of a pendulum, u'' = -sin(u), with a small network and nested tapes (a physics-informed
network).

    python examples/pendulum.py [--steps N]

The network never sees a solution. Its loss is how badly it satisfies the equation: two tapes differentiate u(t) with
respect to time, and a third differentiates the loss with respect to the weights, through those derivatives.
"""

import argparse
from itertools import pairwise

import numpy as np

import tapeflow as tf

START, PERIOD_PART = 1.0, 4.0  # the angle at which it is let go, and how long we look


def network(rng):
    sizes = [1, 24, 24, 1]
    shapes = [s for n, m in pairwise(sizes) for s in ((n, m), (m,))]
    return [tf.Variable(rng.normal(size=s) * (s[0] ** -0.5 if len(s) == 2 else 0.0), dtype=tf.float64) for s in shapes]


def angle(t, variables):
    """The network, put so that the angle at 0 is START and the speed there is 0 whatever the weights."""
    w1, b1, w2, b2, w3, b3 = variables
    h = tf.tanh(tf.tanh(t @ w1 + b1) @ w2 + b2)
    return START + t * t * (h @ w3 + b3)


def residual(t, variables):
    """u'' + sin(u) at every t."""
    with tf.GradientTape() as second:
        second.watch(t)
        with tf.GradientTape() as first:
            first.watch(t)
            u = angle(t, variables)
        speed = first.gradient(u, t)
    return second.gradient(speed, t) + tf.sin(u)


def by_small_steps(times):
    """The same by Runge-Kutta, to compare with."""
    slope = lambda s: np.array([s[1], -np.sin(s[0])])
    state, now, out = np.array([START, 0.0]), 0.0, []
    for t in times:
        for _ in range(20):
            h = (t - now) / 20
            k1 = slope(state)
            k2 = slope(state + h / 2 * k1)
            k3 = slope(state + h / 2 * k2)
            k4 = slope(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        now = t
        out.append(state[0])
    return np.array(out)


def main(steps):
    rng = np.random.default_rng(0)
    variables = network(rng)
    times = np.linspace(0.0, PERIOD_PART, 64)[:, None]
    t = tf.constant(times)
    means, squares = ([tf.zeros_like(v) for v in variables] for _ in range(2))
    for step in range(1, steps + 1):
        rate = 0.01 * (1 - step / (steps + 1))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(residual(t, variables) ** 2)
        for i, (v, g) in enumerate(zip(variables, tape.gradient(loss, variables), strict=True)):
            means[i] = 0.9 * means[i] + 0.1 * g
            squares[i] = 0.999 * squares[i] + 0.001 * g * g
            v.assign_sub(rate * (means[i] / (1 - 0.9**step)) / (tf.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8))
        if step % max(1, steps // 10) == 0:
            print(f"step {step:5}  mean squared residual {float(loss):.2e}")
    found = angle(t, variables).numpy()[:, 0]
    print(f"largest difference from Runge-Kutta: {np.abs(found - by_small_steps(times[:, 0])).max():.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1500)
    main(parser.parse_args().steps)
