"""A generator learns to put points on a circle from a critic's gradients alone: two models, two tapes.

python examples/adversarial.py [--steps N]
"""

import argparse
from itertools import pairwise

import numpy as np

import tapeflow as tf

BATCH = 256


def network(rng, *sizes):
    """Weights and biases of a fully connected network."""
    make = lambda array: tf.Variable(array, dtype=tf.float32)
    return [v for n, m in pairwise(sizes) for v in (make(rng.normal(size=(n, m)) * n**-0.5), make(np.zeros(m)))]


def apply(variables, x):
    *hidden, (w, b) = list(zip(variables[::2], variables[1::2], strict=True))
    for weights, bias in hidden:
        x = tf.nn.leaky_relu(x @ weights + bias)
    return x @ w + b


class Adam:
    """Kingma and Ba, 2015, with the short memory that adversarial training likes."""

    def __init__(self, variables, rate):
        self.variables, self.rate, self.step = variables, rate, 0
        self.means = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply(self, gradients):
        self.step += 1
        size = self.rate * (1 - 0.99**self.step) ** 0.5 / (1 - 0.5**self.step)
        for v, g, mean, square in zip(self.variables, gradients, self.means, self.squares, strict=True):
            mean.assign(0.5 * mean + 0.5 * g)
            square.assign(0.99 * square + 0.01 * g * g)
            v.assign_sub(size * mean / (tf.sqrt(square) + 1e-7))


def circle(rng):
    angle = rng.uniform(0, 2 * np.pi, BATCH)
    return tf.constant(
        np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.03 * rng.normal(size=(BATCH, 2)), tf.float32
    )


def main(steps):
    rng = np.random.default_rng(1)
    generator, critic = network(rng, 2, 48, 48, 2), network(rng, 2, 48, 48, 1)
    generator_steps, critic_steps = Adam(generator, 1e-3), Adam(critic, 2e-3)
    cross_entropy = tf.nn.sigmoid_cross_entropy_with_logits
    for step in range(1, steps + 1):
        real, noise = circle(rng), tf.constant(rng.normal(size=(BATCH, 2)), tf.float32)
        with tf.GradientTape() as generator_tape, tf.GradientTape() as critic_tape:
            fake = apply(generator, noise)
            on_fake, on_real = apply(critic, fake), apply(critic, real)
            generator_loss = tf.reduce_mean(cross_entropy(tf.ones_like(on_fake), on_fake))
            critic_loss = tf.reduce_mean(
                cross_entropy(tf.ones_like(on_real), on_real) + cross_entropy(tf.zeros_like(on_fake), on_fake)
            )
        generator_steps.apply(generator_tape.gradient(generator_loss, generator))
        critic_steps.apply(critic_tape.gradient(critic_loss, critic))
        if step % max(1, steps // 10) == 0:
            radius = np.linalg.norm(fake.numpy(), axis=1)
            print(
                f"step {step:5}  radius of the points {radius.mean():.2f} ± {radius.std():.2f}, critic's loss "
                f"{float(critic_loss):.3f}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    main(parser.parse_args().steps)
