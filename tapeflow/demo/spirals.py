"""A classifier for three interleaved spirals, trained with a GradientTape loop on plain variables: what a user would write."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf

__all__ = ["History", "Momentum", "Spirals"]

CLASSES, POINTS, BATCH = 3, 240, 128  # spirals, points on each, points in a step


def spirals(rng: np.random.Generator, noise: float) -> tuple[tf.Tensor, tf.Tensor]:
    """Points on three interleaved spiral arms, and the number of the arm of each."""
    along = np.sqrt(rng.uniform(0.01, 1.0, size=(CLASSES, POINTS)))
    arm = np.arange(CLASSES)[:, None]
    angle = 2 * np.pi * (arm / CLASSES + 1.15 * along) + noise * rng.normal(size=along.shape)
    points = np.stack([along * np.cos(angle), along * np.sin(angle)], axis=-1).reshape(-1, 2)
    return tf.constant(points, tf.float32), tf.constant(np.repeat(np.arange(CLASSES), POINTS), tf.int32)


def layer(rng: np.random.Generator, inputs: int, outputs: int) -> tuple[tf.Variable, tf.Variable]:
    weights = rng.normal(scale=math.sqrt(2.0 / inputs), size=(inputs, outputs))
    return tf.Variable(weights, dtype=tf.float32), tf.Variable(np.zeros(outputs), dtype=tf.float32)


def forward(x: Any, layers: list, activate: Any) -> tf.Tensor:
    for weights, bias in layers[:-1]:
        x = activate(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias


class Momentum:
    """Gradient descent with a running sum of the gradients, so that steps along a valley add up."""

    def __init__(self, variables: list[tf.Variable], rate: float, keep: float = 0.9) -> None:
        self.variables, self.rate, self.keep = variables, rate, keep
        self.velocities = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply(self, gradients: list[tf.Tensor]) -> None:
        for v, g, velocity in zip(self.variables, gradients, self.velocities, strict=True):
            velocity.assign(self.keep * velocity + g)
            v.assign_sub(self.rate * velocity)
