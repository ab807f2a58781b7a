"""What to do with gradients between `tape.gradient` and `apply_gradients`: clip them, or scale them to length one.

    python examples/keras_clipping.py [--steps N] [--picture FILE]

A curve is learned from measurements of which one in two hundred is nonsense, by a squared error that takes nonsense
seriously. Every third batch or so has a gradient many times too long: steps that follow it throw the model off, and
every way of bounding them learns the curve.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

BATCH, WRONG = 64, 1 / 200

WAYS = {
    "as they are": lambda gradients: gradients,
    "each number clipped": lambda gradients: [tf.clip_by_value(g, -0.05, 0.05) for g in gradients],
    "each variable's norm clipped": lambda gradients: [tf.clip_by_norm(g, 0.2) for g in gradients],
    "global norm clipped": lambda gradients: tf.clip_by_global_norm(gradients, 0.3)[0],
    "scaled to length one": lambda gradients: [g / (tf.linalg.global_norm(gradients) + 1e-6) for g in gradients],
}


def curve(x):
    return np.sin(4 * x)


def measurements(rng, count=BATCH):
    x = rng.uniform(-1, 1, (count, 1))
    y = curve(x) + 0.05 * rng.normal(size=x.shape)
    y = np.where(rng.uniform(size=x.shape) < WRONG, 100 * rng.normal(size=x.shape), y)
    return x.astype("float32"), y.astype("float32")


def build():
    spread = keras.initializers.RandomNormal
    first = keras.layers.Dense(
        64, activation="tanh", kernel_initializer=spread(stddev=2.0), bias_initializer=spread(stddev=2.0)
    )
    return keras.Sequential(
        [keras.Input([1]), first, keras.layers.Dense(32, activation="tanh"), keras.layers.Dense(1)]
    )


def make_step(model, optimizer, bound):
    """A step of training; it gives the loss, and the gradient's norm before it is bounded."""

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.MSE(y, model(x, training=True)))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(bound(gradients), model.trainable_variables))
        return loss, tf.linalg.global_norm(gradients)

    return train_step


def train(bound, steps, rate, seed=0):
    """How far the model is from the true curve, every ten steps; all norms; and the curve it found."""
    keras.utils.set_random_seed(seed)
    rng, model, (errors, norms) = np.random.default_rng(seed), build(), ([], [])
    optimizer = keras.optimizers.SGD(keras.optimizers.schedules.CosineDecay(rate, steps), momentum=0.9)
    train_step = make_step(model, optimizer, bound)
    line = np.linspace(-1, 1, 200, dtype="float32")[:, None]
    for step in range(1, steps + 1):
        _, norm = train_step(*map(tf.constant, measurements(rng)))
        norms.append(float(norm))
        if step % 10 == 0 or step == steps:
            found = model(line).numpy()
            errors.append(float(np.sqrt(np.mean((found - curve(line)) ** 2))))
    return {"errors": errors, "norms": norms, "line": line[:, 0], "found": found[:, 0]}


def main(steps=2000, rate=0.05, seed=0, picture=None):
    runs = {name: train(bound, steps, rate, seed) for name, bound in WAYS.items()}
    for name, run in runs.items():
        norms = run["norms"]
        print(
            f"{name:30} {run['errors'][-1]:.3f} from the curve; norms {np.median(norms):.2f} in the middle, "
            f"{np.max(norms):.0f} at most"
        )
    if picture:
        draw(picture, runs)
    return {name: run["errors"] for name, run in runs.items()}


def draw(path, runs):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 3.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for (name, run), colour in zip(runs.items(), ("#c44e52", "#4c72b0", "#dd8452", "#55a868", "#8172b3")):
        left.semilogy(10 * np.arange(1, len(run["errors"]) + 1), run["errors"], color=colour)
        right.plot(run["line"], run["found"], color=colour, linewidth=1.2, label=name)
    middle.semilogy(runs["global norm clipped"]["norms"], ".", color="#55a868", markersize=2)
    middle.axhline(0.3, color="gray", linestyle=":")
    right.plot(run["line"], curve(run["line"]), "k:", linewidth=2.5)
    left.set(title="distance from the true curve", xlabel="step")
    middle.set(title="norm of the gradient (dotted: clipped here)", xlabel="step")
    right.set(title="what is learned (dotted: the true curve)", ylim=(-1.5, 3.2))
    right.legend(frameon=False, fontsize=8, loc="upper left")
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--picture", metavar="FILE", help="draw errors, norms and curves here")
    options = parser.parse_args()
    main(options.steps, picture=options.picture)
