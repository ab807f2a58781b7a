"""Fits a curve with the natural gradient: products with the Gauss-Newton matrix, and conjugate gradients in place of
its inverse.

    python examples/natural_gradient.py [--steps N]

If outputs are seen with Gaussian noise, the Fisher matrix is the Gauss-Newton matrix Jᵀ J / n, where J is the
derivative of all n outputs by the weights. Nobody needs the matrix, only its product with a direction v: an
accumulator pushes v forward (J v), a tape pulls the result back (Jᵀ J v). The same network is also trained by plain
gradient descent and by Adam. Only TensorFlow's names are used.
"""

import argparse
import time
from functools import partial
from itertools import pairwise

import numpy as np

import tapeflow as tf

ENOUGH = 1e-5  # the mean squared error at which training stops; the curve's mean square is about a half


def curve(count=100):
    x = np.linspace(-1, 1, count).reshape(-1, 1)
    return tf.constant(x), tf.constant(np.sin(4 * np.pi * x) + np.sign(x) * x**2)


def network(rng, *sizes):
    shapes = [s for n, m in pairwise(sizes) for s in ((n, m), (m,))]
    return [tf.Variable(rng.normal(size=s) * (1.5 * s[0] ** -0.5 if len(s) == 2 else 0.5)) for s in shapes]


def outputs(weights, x):
    *hidden, (w, b) = list(zip(weights[::2], weights[1::2], strict=True))
    for matrix, bias in hidden:
        x = tf.tanh(x @ matrix + bias)
    return x @ w + b


def loss_of(weights, x, y):
    return tf.reduce_mean((outputs(weights, x) - y) ** 2) / 2


def gauss_newton_product(weights, x):
    """A function v -> Jᵀ J v / n, for lists of the shapes of the weights."""
    with tf.GradientTape(persistent=True) as tape:
        out = outputs(weights, x)

    def product(v):
        with tf.autodiff.ForwardAccumulator(weights, v) as accumulator:
            moved = outputs(weights, x)
        return tape.gradient(out, weights, output_gradients=accumulator.jvp(moved) / len(x))

    return product


def dot(a, b):
    return sum(float(tf.reduce_sum(x * y)) for x, y in zip(a, b, strict=True))


def solve(product, b, damping, steps=40):
    """(F + damping) x = b, by conjugate gradients."""
    x, r, p = [tf.zeros_like(v) for v in b], b, b
    rr = first = dot(r, r)
    for _ in range(steps):
        if rr <= 1e-6 * first:
            break
        fp = [f + damping * v for f, v in zip(product(p), p, strict=True)]
        alpha = rr / dot(p, fp)
        x = [v + alpha * d for v, d in zip(x, p, strict=True)]
        r = [v - alpha * d for v, d in zip(r, fp, strict=True)]
        rr, before = dot(r, r), rr
        p = [v + rr / before * d for v, d in zip(r, p, strict=True)]
    return x


def natural_gradient(weights, x, y, steps):
    """The mean squared error before each step. Damping, as Levenberg and Marquardt: less after a step that helped,
    more after another."""
    losses, damping = [], 1e-2
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_of(weights, x, y)
        losses.append(2 * float(loss))
        if losses[-1] < ENOUGH:
            break
        step = solve(gauss_newton_product(weights, x), tape.gradient(loss, weights), damping)
        before = [w.numpy() for w in weights]
        for w, d in zip(weights, step, strict=True):
            w.assign_sub(d)
        helped = loss_of(weights, x, y) < loss
        damping *= 0.5 if helped else 4.0
        if not helped:
            for w, old in zip(weights, before, strict=True):
                w.assign(old)
    return losses


def gradient_descent(weights, x, y, steps, rate, adam):
    """The mean squared error before each step."""
    losses, means, squares = [], [0.0] * len(weights), [0.0] * len(weights)
    for step in range(1, steps + 1):
        with tf.GradientTape() as tape:
            loss = loss_of(weights, x, y)
        losses.append(2 * float(loss))
        if losses[-1] < ENOUGH:
            break
        for i, (w, g) in enumerate(zip(weights, tape.gradient(loss, weights), strict=True)):
            if adam:
                means[i] = 0.9 * means[i] + 0.1 * g
                squares[i] = 0.999 * squares[i] + 0.001 * g * g
                g = (means[i] / (1 - 0.9**step)) / (tf.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8)
            w.assign_sub(rate * g)
    return losses


def main(steps=200):
    x, y = curve()
    methods = {"natural gradient": partial(natural_gradient, steps=steps)}
    for name, rate in [("gradient descent", 0.1), ("gradient descent", 0.3), ("Adam", 0.003), ("Adam", 0.01)]:
        methods[f"{name}, rate {rate}"] = partial(gradient_descent, steps=20 * steps, rate=rate, adam=name == "Adam")
    results = {}
    for name, train in methods.items():
        start = time.perf_counter()
        results[name] = losses = train(network(np.random.default_rng(1), 1, 20, 20, 1), x, y)
        print(
            f"{name:28} {len(losses):5} steps, {time.perf_counter() - start:4.1f} s: mean squared error "
            f"{losses[-1]:.1e}"
        )
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    main(parser.parse_args().steps)
