"""Functions of functions as type checkers see them: what is wrapped keeps its parameters and its result."""

# pyright: strict

from collections.abc import Callable
from typing import Any, assert_type

import tapeflow as tf


@tf.function
def scaled(x: tf.Tensor, by: float = 2.0) -> tf.Tensor:
    return x * by


@tf.function(reduce_retracing=True, autograph=False)
def pair(x: tf.Tensor, *, flip: bool = False) -> tuple[tf.Tensor, tf.Tensor]:
    return (x, scaled(x)) if flip else (scaled(x), x)


@tf.custom_gradient
def log1pexp(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    e = tf.exp(x)

    def backward(g: tf.Tensor) -> tf.Tensor:
        return g * (1.0 - 1.0 / (1.0 + e))

    return tf.math.log(1.0 + e), backward


def energy(position: tf.Tensor, mass: float = 1.0) -> tf.Tensor:
    return tf.reduce_sum(position**2) * mass


def use(x: tf.Tensor) -> list[float]:
    assert_type(scaled(x, by=3.0), tf.Tensor)
    first, second = pair(x, flip=True)
    assert_type(first, tf.Tensor)
    assert_type(log1pexp(second), tf.Tensor)
    assert_type(tf.vmap(energy)(x), tf.Tensor)
    assert_type(tf.vectorized_map(energy, x), tf.Tensor)
    assert_type(tf.recompute_grad(energy)(x, mass=2.0), tf.Tensor)
    value, slope = tf.derivatives.value_and_grad(energy)(x, mass=3.0)
    assert_type(value, tf.Tensor)
    force: tf.Tensor = tf.derivatives.grad(energy)(x)
    out, tangent = tf.derivatives.jvp(energy, (x,), (tf.ones_like(x),))
    assert_type(tangent, tf.Tensor)
    curvature: Any = tf.derivatives.hessian(energy)(x)
    concrete = scaled.get_concrete_function(tf.TensorSpec([2], tf.float32))
    return [float(tf.reduce_sum(t)) for t in (first, value, slope, force, out, curvature, concrete(x))]


class Dense(tf.Module):
    """A module is subclassed; what it has keeps its type, and so do its functions."""

    def __init__(self, inputs: int, outputs: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([inputs, outputs]), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(x @ self.w + self.b)

    @tf.function(jit_compile=False)
    def loss(self, x: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(tf.square(self(x) - target))

    @tf.Module.with_name_scope
    def scoped(self, x: tf.Tensor) -> tf.Tensor:
        return self(x)


def step(model: Dense, x: tf.Tensor, rate: float) -> int:
    with tf.GradientTape() as tape:
        loss = model.loss(x, tf.ones([2, 3]))
    assert_type(loss, tf.Tensor)
    assert_type(model(x), tf.Tensor)
    assert_type(model.scoped(x), tf.Tensor)
    assert_type(model.trainable_variables, tuple[tf.Variable, ...])
    for v, g in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables), strict=True):
        v.assign_sub(rate * g)
    return len(model.variables) + len(model.submodules)


if __name__ == "__main__":
    print(use(tf.constant([1.0, 2.0])), step(Dense(4, 3), tf.ones([2, 4]), 0.1))
