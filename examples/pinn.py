"""Solves the Korteweg-de Vries equation, u_t + 6 u u_x + u_xxx = 0, with a small network: third derivatives, trained
through.

    python examples/pinn.py [--steps N]

The network is told how a wave looks at time 0 and at both ends of the interval, and nothing else. Its loss is how
badly it satisfies the equation: three tapes inside each other give u_xxx, and a fourth around them the gradient by the
weights. The wave is a soliton, which moves without changing its shape, so what the network finds can be compared with
the exact solution. The same derivatives by forward accumulators are printed next to it. Only TensorFlow's names are
used.
"""

import argparse
from itertools import pairwise

import numpy as np

import tapeflow as tf

SPEED, WIDTH, TIME = 4.0, 4.0, 0.5  # of the wave; of the interval on both sides of 0; how long we look


def soliton(x, t):
    """The exact solution, at -1 at time 0. Its height is half its speed."""
    return SPEED / 2 / np.cosh(SPEED**0.5 / 2 * (x + 1 - SPEED * t)) ** 2


def network(rng, sizes=(2, 24, 24, 1)):
    shapes = [s for n, m in pairwise(sizes) for s in ((n, m), (m,))]
    return [tf.Variable(rng.normal(size=s) * (s[0] ** -0.5 if len(s) == 2 else 0.1), dtype=tf.float64) for s in shapes]


def wave(x, t, variables):
    """The network, put so that it is the given wave at time 0 whatever the weights."""
    h = tf.concat([x / WIDTH, t / TIME], axis=1)
    *hidden, (w, b) = list(zip(variables[::2], variables[1::2], strict=True))
    for weights, bias in hidden:
        h = tf.tanh(h @ weights + bias)
    return SPEED / 2 / tf.cosh(SPEED**0.5 / 2 * (x + 1)) ** 2 + t * (h @ w + b)


def residual(x, t, variables):
    """u_t + 6 u u_x + u_xxx at every point. A tape differentiates the sum over all points, and no point depends on
    another."""
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch([x, t])
                u = wave(x, t, variables)
            u_x, u_t = first.gradient(u, [x, t])
        u_xx = second.gradient(u_x, x)
    u_xxx = third.gradient(u_xx, x)
    return u_t + 6.0 * u * u_x + u_xxx


def residual_forward(x, t, variables):
    """The same in forward mode, where every point moves along x (or t) at once."""
    along = tf.ones_like(x)
    with tf.autodiff.ForwardAccumulator(x, along) as third:
        with tf.autodiff.ForwardAccumulator(x, along) as second:
            with tf.autodiff.ForwardAccumulator(x, along) as first:
                u = wave(x, t, variables)
            u_x = first.jvp(u)
        u_xx = second.jvp(u_x)
    u_xxx = third.jvp(u_xx)
    with tf.autodiff.ForwardAccumulator(t, along) as by_time:
        u = wave(x, t, variables)
    return by_time.jvp(u) + 6.0 * u * u_x + u_xxx


def main(steps=2000, points=300):
    rng = np.random.default_rng(0)
    variables = network(rng)
    means, squares = ([tf.zeros_like(v) for v in variables] for _ in range(2))
    columns = lambda *arrays: [tf.constant(a.reshape(-1, 1)) for a in arrays]
    edge_x, edge_t = columns(np.repeat([-WIDTH, WIDTH], 20), np.tile(np.linspace(0, TIME, 20), 2))
    edge_u = tf.constant(soliton(edge_x.numpy(), edge_t.numpy()))
    for step in range(1, steps + 1):
        x, t = columns(rng.uniform(-WIDTH, WIDTH, points), rng.uniform(0, TIME, points))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(residual(x, t, variables) ** 2)
            loss += tf.reduce_mean((wave(edge_x, edge_t, variables) - edge_u) ** 2)
        rate = 0.02 * (1 - step / (steps + 1))
        for i, (v, g) in enumerate(zip(variables, tape.gradient(loss, variables), strict=True)):  # Adam
            means[i] = 0.9 * means[i] + 0.1 * g
            squares[i] = 0.999 * squares[i] + 0.001 * g * g
            v.assign_sub(rate * (means[i] / (1 - 0.9**step)) / (tf.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8))
        if step % max(1, steps // 10) == 0:
            print(f"step {step:5}  loss {float(loss):.2e}")
    both_ways = [f(x, t, variables).numpy() for f in (residual, residual_forward)]
    x, t = [c.numpy() for c in columns(*np.meshgrid(np.linspace(-WIDTH, WIDTH, 41), np.linspace(0, TIME, 11)))]
    exact = soliton(x, t)
    results = {
        "error": np.abs(wave(tf.constant(x), tf.constant(t), variables).numpy() - exact).max(),
        "error of standing still": np.abs(soliton(x, 0.0) - exact).max(),
        "forward against tapes": np.abs(both_ways[0] - both_ways[1]).max(),
    }
    print(f"largest difference from the exact wave, whose height is {SPEED / 2}: {results['error']:.3f}")
    print(f"for comparison, of a wave that stands still: {results['error of standing still']:.3f}")
    print(f"largest difference between forward mode and tapes: {results['forward against tapes']:.1e}")
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    main(parser.parse_args().steps)
