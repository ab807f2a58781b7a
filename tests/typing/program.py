"""How tapeflow's types look from outside: `make lint` checks this program with mypy, `test_typing.py` runs it."""

from typing import assert_type

import numpy as np

import tapeflow as tf


def loss_of(x: tf.Tensor, weights: tf.Variable, bias: tf.Variable) -> tf.Tensor:
    y = x @ weights + bias
    assert_type(y, tf.Tensor)
    assert_type(-y * 2.0 + y**2, tf.Tensor)
    assert_type(1.0 / (1.0 + y * y), tf.Tensor)
    assert_type(y > 0.0, tf.Tensor)
    return tf.reduce_mean(tf.square(y))


def train(steps: int) -> list[float]:
    x = tf.constant(np.ones((4, 3)), dtype=tf.float32)
    assert_type(x, tf.Tensor)
    variables = [tf.Variable(np.ones((3, 2)), dtype=tf.float32), tf.Variable([0.0, 0.0], name="bias", trainable=True)]
    losses = []
    for _ in range(steps):
        with tf.GradientTape(persistent=True, watch_accessed_variables=True) as tape:
            assert_type(tape, tf.GradientTape)
            tape.watch(x)
            loss = loss_of(x, *variables)
        found = tape.explain(loss, variables)
        assert_type(found.connected, bool)
        assert_type(found[0].repair, str)
        assert_type(tape.report().html, str)
        tape.summary(print_fn=lambda text: assert_type(text, str))
        gradients = tape.gradient(loss, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        for v, g in zip(variables, gradients, strict=True):
            v.assign_sub(0.1 * g)
        losses.append(float(loss))
    return losses


def inspect(t: tf.Tensor, v: tf.Variable) -> tuple[int, str, tuple[int | None, ...]]:
    assert_type(t.dtype, tf.DType)
    assert_type(t.shape, tf.TensorShape)
    rows = list(t)
    first = t[0]
    return len(rows) + int(first), t.dtype.name, tuple(t.shape)


if __name__ == "__main__":
    print(train(3), inspect(tf.constant([1, 2]), tf.Variable(1.0)))
