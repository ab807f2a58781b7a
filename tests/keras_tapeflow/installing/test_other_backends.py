"""What Keras wrote on another backend is read here, with the same predictions and the same gradients."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
ROOT = Path(__file__).resolve().parents[3]

BUILD = """
import numpy as np
def build(keras):
    layers = keras.layers
    x = inputs = keras.Input((8, 8, 2))
    x = layers.Conv2D(4, 3, activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Reshape((36, 4))(x)
    x = layers.LSTM(5, return_sequences=True)(x)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 3)(x, x))
    return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))
x = np.random.default_rng(0).normal(size=(4, 8, 8, 2)).astype("float32")
"""

ELSEWHERE = """
import jax, keras, sys
keras.utils.set_random_seed(0)
model = build(keras)
model.save(sys.argv[1] + "/model.keras")
model.save_weights(sys.argv[1] + "/model.weights.h5")
trainable = [v.value for v in model.trainable_variables]
fixed = [v.value for v in model.non_trainable_variables]
loss = lambda trainable: (model.stateless_call(trainable, fixed, x)[0] ** 2).sum()
gradients = [np.asarray(g) for g in jax.grad(loss)(trainable)]
np.savez(sys.argv[1] + "/found.npz", *gradients, y=model.predict(x, verbose=0))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jax")
    env = os.environ | {"KERAS_BACKEND": "jax", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILD + ELSEWHERE, str(folder)], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def here():
    names: dict = {}
    exec(BUILD, names)
    return names["build"], names["x"]


def test_a_model_is_read_with_its_predictions(written):
    _, x = here()
    found = np.load(written / "found.npz")
    model = keras.models.load_model(written / "model.keras")
    np.testing.assert_allclose(model.predict(x, verbose=0), found["y"], rtol=1e-4, atol=1e-5)


def test_weights_are_read_and_gradients_are_the_same(written):
    build, x = here()
    found = np.load(written / "found.npz")
    model = build(keras)
    model.load_weights(written / "model.weights.h5")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(x) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    np.testing.assert_allclose(model(x).numpy(), found["y"], rtol=1e-4, atol=1e-5)
    for k, g in enumerate(gradients):
        np.testing.assert_allclose(np.asarray(g), found[f"arr_{k}"], rtol=2e-3, atol=1e-4)
