"""A Wasserstein GAN with gradient penalty (Gulrajani et al., 2017) learns eight bumps on a circle.

    python examples/wgan_gp.py [--steps N]

The critic's slope between real and generated points is held near 1: the penalty contains a gradient, and the critic is
trained through it, a tape inside a tape. Whether the generator learns is measured by something it never sees, the
energy distance between its points and real ones. Only TensorFlow's names are used.
"""

import argparse
from itertools import pairwise

import numpy as np

import tapeflow as tf

BATCH, CRITIC_STEPS, PENALTY = 128, 4, 1.0


def network(rng, *sizes):
    """Weights and biases of a fully connected network."""
    make = lambda array: tf.Variable(array, dtype=tf.float32)
    return [v for n, m in pairwise(sizes) for v in (make(rng.normal(size=(n, m)) * (2 / n) ** 0.5), make(np.zeros(m)))]


def apply(variables, x):
    *hidden, (w, b) = list(zip(variables[::2], variables[1::2], strict=True))
    for weights, bias in hidden:
        x = tf.nn.relu(x @ weights + bias)
    return x @ w + b


class Adam:
    """Kingma and Ba, 2015, without momentum, as the paper on the penalty has it."""

    def __init__(self, variables, rate):
        self.variables, self.rate, self.step = variables, rate, 0
        self.squares = [tf.zeros_like(v) for v in variables]

    def apply(self, gradients, part):
        self.step += 1
        size = self.rate * part * (1 - 0.99**self.step) ** 0.5
        self.squares = [0.99 * s + 0.01 * g * g for s, g in zip(self.squares, gradients, strict=True)]
        for v, g, square in zip(self.variables, gradients, self.squares, strict=True):
            v.assign_sub(size * g / (tf.sqrt(square) + 1e-7))


def eight_bumps(rng, count=BATCH):
    angle = rng.integers(8, size=count) * np.pi / 4
    points = 2.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.05 * rng.normal(size=(count, 2))
    return tf.constant(points, tf.float32)


def slopes_between(critic, real, fake, rng):
    """The length of the critic's gradient at random places between real and generated points."""
    part = tf.constant(rng.uniform(size=(len(real), 1)), tf.float32)
    between = part * real + (1 - part) * fake
    with tf.GradientTape() as tape:
        tape.watch(between)
        score = apply(critic, between)
    return tf.norm(tape.gradient(score, between), axis=1)


def energy_distance(a, b):
    """Zero exactly when two clouds of points have the same distribution (Székely): 2 E|a - b| - E|a - a'| - E|b -
    b'|."""
    mean = lambda p, q: np.linalg.norm(p[:, None] - q[None], axis=2).mean()
    return 2 * mean(a, b) - mean(a, a) - mean(b, b)


def bumps_found(points):
    """How many of the eight have at least a fiftieth of the points within 0.25, and which part of all points is
    there."""
    angle = np.arange(8) * np.pi / 4
    near = np.linalg.norm(points[:, None] - 2 * np.stack([np.cos(angle), np.sin(angle)], axis=1), axis=2) < 0.25
    return int((near.mean(axis=0) > 0.02).sum()), near.any(axis=1).mean()


def main(steps=1000, penalty=PENALTY, seed=0):
    rng = np.random.default_rng(seed)
    generator, critic = network(rng, 2, 64, 64, 2), network(rng, 2, 64, 64, 1)
    generator_steps, critic_steps = Adam(generator, 4e-3), Adam(critic, 12e-3)
    noise = lambda count=BATCH: tf.constant(rng.normal(size=(count, 2)), tf.float32)
    real, history = eight_bumps(rng, 1000).numpy(), []
    for step in range(1, steps + 1):
        part = 1 - step / (steps + 1)
        for _ in range(CRITIC_STEPS):
            true, fake = eight_bumps(rng), apply(generator, noise())
            with tf.GradientTape() as tape:
                slopes = slopes_between(critic, true, fake, rng)
                gap = tf.reduce_mean(apply(critic, true)) - tf.reduce_mean(apply(critic, fake))
                loss = penalty * tf.reduce_mean((slopes - 1.0) ** 2) - gap
            critic_steps.apply(tape.gradient(loss, critic), part)
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(apply(critic, apply(generator, noise())))
        generator_steps.apply(tape.gradient(loss, generator), part)
        if step % max(1, steps // 8) == 0 or step == 1:
            points = apply(generator, noise(1000)).numpy()
            history.append({"distance": energy_distance(points, real), "slope": float(tf.reduce_mean(slopes))})
            found, share = bumps_found(points)
            print(
                f"step {step:5}  energy distance {history[-1]['distance']:.4f}, {found} bumps with {share:4.0%} of "
                f"the points, critic's slope {history[-1]['slope']:.2f}"
            )
    print(
        "two samples of real points have an energy distance of "
        f"{energy_distance(eight_bumps(rng, 1000).numpy(), real):.4f}"
    )
    return history


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    main(parser.parse_args().steps)
