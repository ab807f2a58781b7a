"""The table of exported models in docs/saved_models.md: `python scripts/exported_models.py [--tensorflow PYTHON]
[NAME ...]`.

Each model, with random weights, is exported to every format, run by what the format is for, and compared with what the
model gives here: the largest difference, in units of the largest number. ONNX is run by onnxruntime, StableHLO by jax,
and TensorFlow's SavedModels by the TensorFlow of another Python, since both cannot be in one process.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = "tapeflow"

import numpy as np

import tapeflow as tf  # first: it makes itself a backend of Keras

import keras  # isort: skip
from keras import layers  # isort: skip

_LOAD = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow as tf
folder, inputs, results = sys.argv[1:]
given = np.load(inputs)
model = tf.saved_model.load(folder)
found = model.serve(*[tf.constant(given[k]) for k in given]) if len(given) == 1 else None
if found is None:
    found = model.serve([tf.constant(given[k]) for k in given])
np.savez(results, *[y.numpy() for y in tf.nest.flatten(found)])
"""


def applications() -> Iterator[tuple[str, Callable]]:
    """Keras' own, for inputs as small as they take."""
    smallest = {"InceptionV3": 75, "InceptionResNetV2": 75, "Xception": 71, "NASNetMobile": 224, "NASNetLarge": 331}
    for name in sorted(vars(keras.applications)):
        make = getattr(keras.applications, name)
        if name[0].isupper() and callable(make):
            size = smallest.get(name, 32)
            shape = (size, size, 3)
            top = {"classes": 1000, "include_top": name.startswith("NASNet")}
            if not top["include_top"]:
                top |= {"input_shape": shape, "pooling": "avg"}
            yield name, lambda make=make, top=top, shape=shape: (make(weights=None, **top), [(2, *shape)])


def others() -> Iterator[tuple[str, Callable]]:
    """The models of the benchmarks, and some that serve."""

    def mlp() -> tuple:
        parts = [layers.Dense(1024, "relu"), layers.Dense(1024, "relu"), layers.Dense(10)]
        return keras.Sequential([keras.Input((784,)), *parts]), [(2, 784)]

    def cnn() -> tuple:
        parts: list[Any] = []
        for filters in (32, 64, 128):
            parts += [layers.Conv2D(filters, 3, padding="same", activation="relu"), layers.MaxPooling2D()]
        return keras.Sequential([keras.Input((32, 32, 3)), *parts, layers.Flatten(), layers.Dense(10)]), [
            (2, 32, 32, 3)
        ]

    def lstm() -> tuple:
        return keras.Sequential([keras.Input((None, 16)), layers.LSTM(64), layers.Dense(4)]), [(2, 12, 16)]

    def transformer() -> tuple:
        x = start = keras.Input((None, 32))
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "gelu")(x)))
        return keras.Model(start, x), [(2, 9, 32)]

    def lstm_with_state() -> tuple:
        x, h, c = keras.Input((5, 3)), keras.Input((8,)), keras.Input((8,))
        out = layers.LSTM(8, return_state=True)(x, initial_state=[h, c])
        return keras.Model([x, h, c], out), [(2, 5, 3), (2, 8), (2, 8)]

    def generator() -> tuple:
        up = lambda filters: [
            layers.Conv2DTranspose(filters, 4, strides=2, padding="same"),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
        ]
        last = layers.Conv2D(3, 3, padding="same", activation="tanh")
        parts = [layers.Dense(4 * 4 * 32), layers.Reshape((4, 4, 32)), *up(16), *up(8), last]
        return keras.Sequential([keras.Input((16,)), *parts]), [(2, 16)]

    yield from {
        "MLP": mlp, "CNN": cnn, "LSTM": lstm, "Transformer block": transformer, "LSTM with state": lstm_with_state,
        "GAN's generator": generator,
    }.items()  # fmt: skip


def by_onnx(path: Path, inputs: list, python: str) -> list:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    return session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs)})


def by_jax(path: Path, inputs: list, python: str) -> list:
    import jax

    return [np.asarray(y) for y in jax.export.deserialize(bytearray(path.read_bytes())).call(*inputs)]


def by_tensorflow(path: Path, inputs: list, python: str) -> list:
    files = [str(path.with_name(name)) for name in ("inputs.npz", "results.npz")]
    np.savez(files[0], *inputs)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "KERAS_BACKEND")}
    command = [python, "-c", _LOAD, str(path), *files]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    with np.load(files[1]) as found:
        return [found[k] for k in found]


FORMATS: dict[str, Callable] = {"onnx": by_onnx, "stablehlo": by_jax, "tensorflow": by_tensorflow}


def differences(make: Callable, python: str) -> dict[str, str]:
    """By format, how far its results are from ours."""
    keras.utils.set_random_seed(0)
    model, shapes = make()
    inputs = [np.random.default_rng(k).normal(size=s).astype(np.float32) for k, s in enumerate(shapes)]
    want = [y.numpy() for y in tf.nest.flatten(model(inputs[0] if len(inputs) == 1 else inputs, training=False))]
    found = {}
    for format, run in FORMATS.items():
        if format == "tensorflow" and not python:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            try:
                model.export(path, format=format, verbose=False)
                pairs = zip(run(path, inputs, python), want, strict=True)
                found[format] = f"{max(np.abs(a - b).max() / np.abs(b).max() for a, b in pairs):.0e}"
            except Exception as error:
                logging.exception("%s", format)
                found[format] = f"{type(error).__name__}: {str(error)[:80]}"
    return found


def main(given: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--tensorflow", default="", help="a Python that has TensorFlow")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(given)
    print("| model | ONNX | StableHLO | TensorFlow |\n|---|---|---|---|", flush=True)
    for name, make in [*others(), *applications()]:
        if not options.names or name in options.names:
            found = differences(make, options.tensorflow)
            print(f"| {name} | {' | '.join(found.get(f, '') for f in FORMATS)} |", flush=True)
            keras.backend.clear_session()


if __name__ == "__main__":
    main(sys.argv[1:])
