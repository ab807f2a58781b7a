"""For every Keras layer with weights, and every loss: results, gradients and state are those of Keras on JAX, with the
same weights."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

from .layer_cases import LAYERS, LOSSES, a_loss, built

ROOT = Path(__file__).resolve().parents[3]
TOLERANCES = {
    "layer GroupQueryAttention": 1e-5,
    "layer MultiHeadAttention": 1e-5,
    "loss LogCosh": 1e-8,
}  # on JAX, parts of these are float32
# It assigns its kernel while it runs. Ours (and TensorFlow's) is the gradient for the new value, JAX's the one for the
# old value.
OTHERWISE = "layer SpectralNormalization training gradients 1"


def on_jax(folder):
    """What the program beside this file finds."""
    quick = "--xla_backend_optimization_level=0"  # compiling is most of what it does
    env = os.environ | {"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu", "XLA_FLAGS": quick, "PYTHONPATH": str(ROOT)}
    program = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "tests.keras_tapeflow.models.layers_on_jax",
        str(folder / "found.npz"),
    ]
    done = subprocess.run(program, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(np.load(folder / "found.npz"))


def layer_here(name):
    layer, inputs, call = built(name)
    xs = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        ys = tf.nest.flatten(call(xs))
        total = sum(tf.reduce_sum(y * y) for y in ys)
    gradients = tape.gradient(total, [*xs, *layer.trainable_variables])
    return {
        "results": ys,
        "gradients": gradients,
        "state": [v for v in layer.non_trainable_variables if v.dtype == "float64"],
    }


def loss_here(name):
    loss, target, guess = a_loss(name)
    x = tf.constant(guess)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(target, x)
    return {"results": [value], "gradients": [tape.gradient(value, x)]}


@pytest.mark.long
def test_layers_and_losses_are_the_same(tmp_path):
    want = on_jax(tmp_path)
    here = {("layer", name): layer_here(name) for name in LAYERS} | {
        ("loss", name): loss_here(name) for name in LOSSES
    }
    got = {
        f"{kind} {name} {what} {k}": np.asarray(tf.convert_to_tensor(value))
        for (kind, name), parts in here.items()
        for what, values in parts.items()
        for k, value in enumerate(values)
    }
    assert got.keys() == want.keys()
    assert {name: value.dtype for name, value in got.items()} == {name: value.dtype for name, value in want.items()}
    del want[OTHERWISE]
    off = {name: np.max(np.abs(got[name] - value)) / max(1, np.max(np.abs(value))) for name, value in want.items()}
    assert {
        name: error for name, error in off.items() if error > TOLERANCES.get(" ".join(name.split()[:2]), 1e-10)
    } == {}
