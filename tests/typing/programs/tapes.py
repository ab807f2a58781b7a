"""Programs as users write them, with annotations, as type checkers see them: `make lint` checks that they find nothing
here, `test_programs.py` runs it."""

# pyright: strict

import tempfile
from pathlib import Path
from typing import assert_type

import numpy as np

import tapeflow as tf


def loss_of(x: tf.Tensor, weights: tf.Variable, bias: tf.Variable) -> tf.Tensor:
    y = x @ weights + bias
    assert_type(y, tf.Tensor)
    assert_type(-y * 2.0 + y**2, tf.Tensor)
    assert_type(1.0 / (1.0 + y * y), tf.Tensor)
    assert_type(y > 0.0, tf.Tensor)
    assert_type(weights + weights, tf.Tensor)
    assert_type(y[0, :], tf.Tensor)
    return tf.reduce_mean(tf.square(y))


def train(steps: int) -> list[float]:
    x = tf.constant(np.ones((4, 3)), dtype=tf.float32)
    assert_type(x, tf.Tensor)
    weights, bias = (
        tf.Variable(np.ones((3, 2)), dtype=tf.float32),
        tf.Variable([0.0, 0.0], name="bias", trainable=True),
    )
    assert_type(bias, tf.Variable)
    variables = [weights, bias]
    losses: list[float] = []
    for _ in range(steps):
        with tf.GradientTape(persistent=True, watch_accessed_variables=True) as tape:
            assert_type(tape, tf.GradientTape)
            tape.watch(x)
            loss = loss_of(x, weights, bias)
        gradients = tape.gradient(loss, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        for v, g in zip(variables, gradients, strict=True):
            v.assign_sub(0.1 * g)
        losses.append(float(loss))
    return losses


def inspect(t: tf.Tensor, v: tf.Variable) -> tuple[int, str, tuple[int | None, ...]]:
    assert_type(t.dtype, tf.DType)
    assert_type(t.shape, tf.TensorShape)
    assert_type(v.shape, tf.TensorShape)
    assert_type(v.name, str)
    rows = list(t)
    first = t[0]
    return len(rows) + int(first), t.dtype.name, tuple(t.shape)


def ask(folder: Path) -> str:
    """A tape: gradients by the shape of the sources, Jacobians, and its questions."""
    x, w = tf.constant([[1.0, 2.0]]), tf.Variable([[3.0], [4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.matmul(x, w)
    one = tape.gradient(y, w)
    assert one is not None
    dx, dw = tape.gradient(y, [x, w])
    both = tape.gradient(y, (x, w))
    named = tape.gradient(y, {"x": x, "w": w})
    total = dx[0, 0] + tf.reduce_sum(dw) + both[0][0, 0] + named["x"][0, 0] + one[0, 0]
    jacobian = tape.jacobian(y, x)
    rows = tape.jacobian(y, {"w": w})["w"]
    total = total + tf.reduce_sum(jacobian) + tf.reduce_sum(rows) + tf.reduce_sum(tape.batch_jacobian(y, x))
    causes = tape.explain(y, [x, w])
    lines: list[str] = []
    tape.summary(print_fn=lines.append)
    tape.report(folder / "report.html")
    watched: tuple[tf.Variable, ...] = tape.watched_variables()
    return f"{causes[0].connected} {len(lines) > 0} {len(watched)} {float(total):g}"


def push(x: tf.Tensor) -> tf.Tensor:
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = tf.sin(x)
    tangent: tf.Tensor = accumulator.jvp(y)
    return tangent


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(train(3), inspect(tf.constant([1, 2]), tf.Variable(1.0)), ask(Path(folder)), push(tf.constant(1.0)))
