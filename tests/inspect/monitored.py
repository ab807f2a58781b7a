"""Loops for the monitor to look at, in each of three ways, and a check that it leaves nothing behind."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.listeners import board

ENGINES = ["eager", "plan", "xla"]


def on(engine, step):
    if engine == "xla":
        pytest.importorskip("jax")
    return step if engine == "eager" else tf.function(step, jit_compile=engine == "xla")


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def monitor(every=1, **options):
    return tf.debugging.GradientMonitor(every, terminal=False, **options)


@pytest.fixture(autouse=True)
def left_clean():
    yield
    assert not board.listeners()


class Net:
    """tanh(x w + b), with what NumPy says of its gradients."""

    def __init__(self, rate=0.01):
        self.w, self.b, self.x = (
            tf.Variable(random(6, 5), name="w"),
            tf.Variable(np.zeros(5, "f"), name="b"),
            random(7, 6, seed=1),
        )
        self.rate = rate

    def step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ self.w + self.b) ** 2)
        for v, g in zip((self.w, self.b), tape.gradient(loss, [self.w, self.b])):
            v.assign_sub(self.rate * g)
        return loss

    def expected(self):
        y = np.tanh(self.x @ self.w.numpy() + self.b.numpy())
        g = 2 * y * (1 - y * y)
        gradients = {"w": self.x.T @ g, "b": g.sum(0)}
        return {
            name: (np.linalg.norm(dy), np.linalg.norm(v.numpy()), np.linalg.norm(self.rate * dy))
            for (name, dy), v in zip(gradients.items(), (self.w, self.b))
        }
