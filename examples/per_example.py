"""Trains a small convolutional network with differential privacy: every example's own gradient is clipped before they
are added up.

    python examples/per_example.py [--steps N]

`tf.derivatives.per_example_gradients` takes the loss of one example and gives the gradients of all, in one vectorised
run; a loop over the examples gives the same, more slowly. Clipping bounds how much a single picture can change the
sum, noise of a multiple of that bound hides which pictures there were, and so many steps of it cost the printed
epsilon: the noisy sum over all pictures is a Gaussian mechanism, whose concentrated privacy losses 1/2σ² add up (Bun
and Steinke, 2016). What else is printed is for you to look at, and not covered by it.
"""

import argparse
import time

import numpy as np

import tapeflow as tf

SIDE, CLASSES = 10, 4
CLIP, NOISE, DELTA = 1.0, 12.0, 1e-5


def pictures(rng, count):
    """Noisy bars: lying, standing, and along the two diagonals."""
    labels = rng.integers(CLASSES, size=count)
    row, column = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
    across = np.stack([row, column, (row - column) / 2**0.5, (row + column) / 2**0.5])
    offset = rng.uniform(-2.0, 2.0, (count, 1, 1))
    images = np.abs(across[labels] - offset) < 1.0
    return tf.constant(images[..., None] + 0.4 * rng.normal(size=(count, SIDE, SIDE, 1)), tf.float32), tf.constant(
        labels
    )


def weights_at_start(rng):
    shapes = [(3, 3, 1, 8), (8,), (3, 3, 8, 8), (8,), (8, CLASSES), (CLASSES,)]
    return [
        tf.Variable(rng.normal(size=s) * (np.prod(s[:-1]) ** -0.5 if len(s) > 1 else 0.0), dtype=tf.float32)
        for s in shapes
    ]


def logits_of(weights, images):
    w1, b1, w2, b2, w3, b3 = weights
    h = tf.nn.relu(tf.nn.conv2d(images, w1, strides=1, padding="SAME") + b1)
    h = tf.nn.relu(tf.nn.conv2d(h, w2, strides=2, padding="SAME") + b2)
    return tf.reduce_max(h, axis=[1, 2]) @ w3 + b3


def one_by_one(loss, weights, images, labels):
    """What one writes without it."""
    rows = []
    for k in range(len(labels)):
        with tf.GradientTape() as tape:
            value = loss(images[k : k + 1], labels[k : k + 1])
        rows.append(tape.gradient(value, weights))
    return [tf.stack(column) for column in zip(*rows, strict=True)]


def seconds(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def lengths_of(gradients):
    """Of each example's gradient, all weights together."""
    return tf.sqrt(tf.add_n([tf.reduce_sum(g**2, axis=list(range(1, len(g.shape)))) for g in gradients]))


def private_sum(rng, gradients, clip, noise):
    """The sum of gradients no longer than `clip`, and noise that hides each of them."""
    factors = tf.minimum(1.0, clip / lengths_of(gradients))
    total = [tf.tensordot(factors, g, axes=1) for g in gradients]
    return [g + tf.constant(noise * clip * rng.normal(size=g.shape), g.dtype) for g in total]


def epsilon(steps, noise):
    """(epsilon, DELTA) differential privacy under adding or removing one picture."""
    rho = steps / (2 * noise**2)
    return rho + 2 * (rho * np.log(1 / DELTA)) ** 0.5


def main(steps=60, count=1500, noise=NOISE):
    rng = np.random.default_rng(0)
    images, labels = pictures(rng, count)
    unseen, truth = pictures(rng, 1000)
    weights = weights_at_start(rng)

    def loss(image, label):
        """Of a batch of one."""
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=logits_of(weights, image))
        )

    per_example = tf.derivatives.per_example_gradients(loss, wrt=weights, keep_batch=True)
    few = images[:64], labels[:64]
    pairs = zip(per_example(*few), one_by_one(loss, weights, *few), strict=True)
    results = {"difference": max(float(tf.reduce_max(tf.abs(a - b))) for a, b in pairs)}
    loop, together = (
        seconds(lambda: one_by_one(loss, weights, *few)),
        min(seconds(lambda: per_example(*few)) for _ in range(3)),
    )
    print(
        f"64 gradients: {1e3 * loop:.0f} ms one by one, {1e3 * together:.1f} ms together; they differ by "
        f"{results['difference']:.0e}"
    )

    for step in range(1, steps + 1):
        gradients = per_example(images, labels)
        for w, g in zip(weights, private_sum(rng, gradients, CLIP, noise), strict=True):
            w.assign_sub(4.0 / count * g)
        if step % max(1, steps // 6) == 0:
            right = np.mean(np.argmax(logits_of(weights, unseen).numpy(), axis=1) == truth.numpy())
            clipped = np.mean(lengths_of(gradients).numpy() > CLIP)
            print(
                f"step {step:4}  epsilon {epsilon(step, noise):.2f}, {clipped:4.0%} of the gradients clipped, "
                f"{right:.1%} right"
            )
    return results | {"right": right, "seconds": (loop, together)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    main(parser.parse_args().steps)
