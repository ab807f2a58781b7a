"""Learns weights from which any sine wave is a few gradient steps away: MAML (Finn, Abbeel and Levine, 2017), second
order and all.

    python examples/maml.py [--steps N]

A task is a sine wave of its own amplitude and phase, of which ten points are seen. The inner loop takes gradient steps
on those points; the outer tape differentiates the error after them, through them, with respect to the weights that
they started from. All tasks of a batch adapt at once: their weights are the common ones with an axis in front. Only
TensorFlow's names are used.
"""

import argparse

import numpy as np

import tapeflow as tf

TASKS, SHOTS = 25, 10
SIZES = [(1, 40), (40, 40), (40, 1)]
RATE = 0.02  # of the inner loop


def weights_at_start(rng):
    shapes = [s for n, m in SIZES for s in ((n, m), (1, m))]
    return [tf.Variable(rng.normal(size=s) * (s[0] ** -0.5 if s[0] > 1 else 0.5), dtype=tf.float32) for s in shapes]


def network(x, weights):
    """For x of (points, 1), or for (tasks, points, 1) and weights with an axis of tasks in front."""
    w1, b1, w2, b2, w3, b3 = weights
    return tf.nn.relu(tf.nn.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3


def errors(points, weights):
    """The mean squared error of each task."""
    x, y = points
    return tf.reduce_mean((network(x, weights) - y) ** 2, axis=[1, 2])


def adapted(weights, seen, inner_steps, rate=RATE, first_order=False):
    """Each task's own weights, after `inner_steps` gradient steps on the points that were seen of it."""
    weights = [tf.tile(w[tf.newaxis], [len(seen[0]), 1, 1]) for w in weights]
    for _ in range(inner_steps):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            loss = tf.reduce_sum(errors(seen, weights))  # no task's error depends on another's weights
        gradients = tape.gradient(loss, weights)
        if first_order:
            gradients = [tf.stop_gradient(g) for g in gradients]
        weights = [w - rate * g for w, g in zip(weights, gradients, strict=True)]
    return weights


def sine_waves(rng, tasks, points):
    """Points of sine waves, in two halves: to adapt to, and to be judged by."""
    amplitude, phase = rng.uniform(0.1, 5.0, (tasks, 1, 1)), rng.uniform(0.0, np.pi, (tasks, 1, 1))
    x = rng.uniform(-5.0, 5.0, (tasks, SHOTS + points, 1))
    both = [tf.constant(a, tf.float32) for a in (x, amplitude * np.sin(x - phase))]
    return [a[:, :SHOTS] for a in both], [a[:, SHOTS:] for a in both]


def train(steps, inner_steps, first_order=False, seed=0):
    """Weights that are good after `inner_steps`. With none of those it is ordinary training on all the tasks
    together."""
    rng = np.random.default_rng(seed)
    weights = weights_at_start(rng)
    means, squares = ([tf.zeros_like(v) for v in weights] for _ in range(2))
    for step in range(1, steps + 1):
        seen, unseen = sine_waves(rng, TASKS, SHOTS)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(errors(unseen, adapted(weights, seen, inner_steps, first_order=first_order)))
        for i, (w, g) in enumerate(zip(weights, tape.gradient(loss, weights), strict=True)):  # Adam
            means[i] = 0.9 * means[i] + 0.1 * g
            squares[i] = 0.999 * squares[i] + 0.001 * g * g
            w.assign_sub(
                0.005
                * (1 - step / (steps + 1))
                * (means[i] / (1 - 0.9**step))
                / (tf.sqrt(squares[i] / (1 - 0.999**step)) + 1e-8)
            )
    return weights


def error_after(weights, inner_steps, rate=RATE):
    """On 200 new waves, ten points of each seen, at a hundred others."""
    seen, unseen = sine_waves(np.random.default_rng(1234), 200, 100)
    return float(tf.reduce_mean(errors(unseen, adapted(weights, seen, inner_steps, rate))))


def main(steps=2000):
    print(f"mean squared error on new sine waves, after {steps} training steps")
    print("                          gradient steps on ten points:      0      1      5")
    learned = train(steps, inner_steps=1)
    without = train(steps, inner_steps=1, first_order=True)
    joint = train(steps, inner_steps=0)
    # The jointly trained weights may choose the rate that suits them best.
    best = min([0.001, 0.005, 0.02, 0.05, 0.1], key=lambda rate: error_after(joint, 5, rate))
    results = {}
    for name, weights, rate in [
        ("MAML", learned, RATE),
        ("first-order MAML", without, RATE),
        ("trained on all tasks together", joint, best),
    ]:
        results[name] = [error_after(weights, k, rate) for k in (0, 1, 5)]
        print(f"{name:30} (inner rate {rate:5})         " + " ".join(f"{e:6.2f}" for e in results[name]))
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    main(parser.parse_args().steps)
