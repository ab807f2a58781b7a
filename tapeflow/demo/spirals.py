"""A classifier for three interleaved spirals, trained with a GradientTape loop on plain variables: what a user would
write."""

import math
from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf

__all__ = ["History", "Spirals"]

CLASSES, POINTS, BATCH = 3, 240, 128  # spirals, points on each, points in a step


class History(NamedTuple):
    """One entry per step."""

    loss: list[float]
    norms: list[list[float]]  # for each layer


class Spirals:
    """The points, the network and its optimizer."""

    def __init__(
        self, hidden: int, activation: str, learning_rate: float, clip: float, noise: float, seed: int
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.points, self.labels = points_on_spirals(self.rng, noise)
        sizes = [(2, hidden), (hidden, hidden), (hidden, CLASSES)]
        self.layers = [layer(self.rng, n, m, f"layer{k + 1}") for k, (n, m) in enumerate(sizes)]
        self.variables = [v for pair in self.layers for v in pair]
        self.activate = {"tanh": tf.tanh, "relu": tf.nn.relu, "sigmoid": tf.sigmoid, "sin": tf.sin}[activation]
        self.optimizer, self.clip = Momentum(self.variables, learning_rate), clip
        self.history = History([], [[] for _ in self.layers])

    def forward(self, x: Any) -> tf.Tensor:
        for weights, bias in self.layers[:-1]:
            x = self.activate(x @ weights + bias)
        weights, bias = self.layers[-1]
        return x @ weights + bias

    def step(self) -> None:
        batch = self.rng.integers(len(self.labels), size=BATCH)
        with tf.GradientTape() as tape:
            logits = self.forward(tf.gather(self.points, batch))
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(self.labels, batch), logits)
            )
        gradients = tape.gradient(loss, self.variables)
        self.optimizer.apply(tf.clip_by_global_norm(gradients, self.clip)[0])
        self.note(loss, gradients)

    def note(self, loss: tf.Tensor, gradients: list[tf.Tensor]) -> None:
        self.history.loss.append(float(loss))
        for norms, pair in zip(self.history.norms, zip(gradients[::2], gradients[1::2], strict=True), strict=True):
            norms.append(float(tf.linalg.global_norm(pair)))

    def correct(self) -> float:
        """The share of the points that are classified correctly."""
        return float(np.mean(self.forward(self.points).numpy().argmax(axis=1) == self.labels.numpy()))


def points_on_spirals(rng: np.random.Generator, noise: float) -> tuple[tf.Tensor, tf.Tensor]:
    """Points on three interleaved spiral arms, and the number of the arm of each."""
    along = np.sqrt(rng.uniform(0.01, 1.0, size=(CLASSES, POINTS)))
    arm = np.arange(CLASSES)[:, None]
    angle = 2 * np.pi * (arm / CLASSES + 1.15 * along) + noise * rng.normal(size=along.shape)
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=-1).reshape(-1, 2)
    return tf.constant(points, tf.float32), tf.constant(np.repeat(np.arange(CLASSES), POINTS), tf.int32)


def layer(rng: np.random.Generator, inputs: int, outputs: int, name: str) -> tuple[tf.Variable, tf.Variable]:
    weights = rng.normal(scale=math.sqrt(2.0 / inputs), size=(inputs, outputs))
    return (
        tf.Variable(weights, dtype=tf.float32, name=f"{name}/weights"),
        tf.Variable(np.zeros(outputs), dtype=tf.float32, name=f"{name}/bias"),
    )


class Momentum:
    """Gradient descent with a running sum of the gradients, so that steps along a valley add up."""

    def __init__(self, variables: list[tf.Variable], rate: float, keep: float = 0.9) -> None:
        self.variables, self.rate, self.keep = variables, rate, keep
        self.velocities = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply(self, gradients: list[tf.Tensor]) -> None:
        for v, g, velocity in zip(self.variables, gradients, self.velocities, strict=True):
            velocity.assign(self.keep * velocity + g)
            v.assign_sub(self.rate * velocity)
