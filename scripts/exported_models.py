"""The table of exported models in docs/saved_models.md: `python scripts/exported_models.py [--tensorflow PYTHON]
[NAME ...]`.

Each model, with random weights, is exported to every format, run by what the format is for, and compared with what the
model gives here: the largest difference, in units of the largest number. ONNX is run by onnxruntime, StableHLO by jax,
and TensorFlow's SavedModels by the TensorFlow of another Python, since both cannot be in one process.
"""

import argparse
import json
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
folder, inputs, results = sys.argv[1:4]
given, dtypes = np.load(inputs), json.loads(sys.argv[4])
tensors = {k: tf.cast(given[k], d) if d != "string" else tf.constant(given[k]) for k, d in dtypes.items()}
model = tf.saved_model.load(folder)
named = not any(k.startswith("arr_") for k in dtypes)
one, *more = tensors.values()
found = model.serve(tensors if named else [one, *more] if more else one)
results_of = lambda y: y.numpy() if y.dtype != tf.bfloat16 else tf.cast(y, tf.float32).numpy()
np.savez(results, *[results_of(y) for y in tf.nest.flatten(found)])
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

    def text() -> tuple:
        """Words by a table; one that it does not know."""
        start = keras.Input((4,), dtype="string")
        numbers = layers.StringLookup(vocabulary=["good", "bad", "film", "the"])(start)
        out = layers.Dense(2)(layers.LSTM(8)(layers.Embedding(6, 8)(numbers)))
        return keras.Model(start, out), [np.array([["the", "film", "good", "?"], ["bad", "bad", "the", "the"]])]

    def indices() -> tuple:
        """Two inputs by name, of which one are indices; two results."""
        given = {"item": keras.Input((5,), dtype="int64", name="item"), "side": keras.Input((3,), name="side")}
        rows = layers.GRU(8, return_sequences=True)(layers.Embedding(20, 4)(given["item"]))
        both = layers.Concatenate()([layers.GlobalMaxPooling1D()(rows), given["side"]])
        model = keras.Model(given, {"score": layers.Dense(1)(both), "rows": rows})
        return model, {"item": np.arange(10).reshape(2, 5), "side": np.eye(2, 3, dtype=np.float32)}

    class Looping(keras.Model):
        """A loop in a branch in a loop, all of which read what is outside."""

        def __init__(self) -> None:
            super().__init__()
            self.step = layers.Dense(6, "tanh")

        def call(self, x: Any) -> Any:
            scale, total = tf.reduce_mean(x), tf.zeros_like(x)

            def inner(i: Any, y: Any) -> tuple:
                return i + 1, self.step(y) + scale

            def outer(i: Any, y: Any) -> tuple:
                far = lambda: tf.while_loop(lambda k, _: k < i, inner, (0, y))[1]
                return i + 1, tf.cond(i % 2 == 0, far, lambda: y - scale)

            return tf.while_loop(lambda i, _: i < 5, outer, (0, total + x))[1]

    def loops() -> tuple:
        model = Looping()
        model(np.zeros((1, 6), np.float32))
        return model, [(3, 6)]

    def halves(dtype: str) -> Callable:
        parts = lambda: [layers.Dense(32, "gelu"), layers.LayerNormalization(), layers.Dense(4)]
        halved = lambda: [setattr(layer, "dtype_policy", dtype) or layer for layer in parts()]
        return lambda: (keras.Sequential([keras.Input((16,), dtype=dtype), *halved()]), [(2, 16)])

    yield from {
        "MLP": mlp, "CNN": cnn, "LSTM": lstm, "Transformer block": transformer, "LSTM with state": lstm_with_state,
        "GAN's generator": generator, "Text with a table": text, "Indices and two inputs": indices,
        "Loops and branches": loops, "MLP in float16": halves("float16"), "MLP in bfloat16": halves("bfloat16"),
    }.items()  # fmt: skip


def by_onnx(path: Path, inputs: dict[str, np.ndarray], python: str) -> list:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    given = [x.astype(object) if x.dtype.kind == "U" else x for x in inputs.values()]
    names = [i.name for i in session.get_inputs()]
    return session.run(None, dict(zip(names if "arr_0" in inputs else inputs, given, strict=True)))


def by_jax(path: Path, inputs: dict[str, np.ndarray], python: str) -> list:
    import jax

    program = jax.export.deserialize(bytearray(path.read_bytes()))
    with jax.enable_x64(True):  # without it, jax makes int32 of int64
        return [np.asarray(y) for y in program.call(*inputs.values())]


def by_tensorflow(path: Path, inputs: dict[str, np.ndarray], python: str) -> list:
    files = [str(path.with_name(name)) for name in ("inputs.npz", "results.npz")]
    dtypes = {name: tf.as_dtype(x.dtype).name if x.dtype.kind != "U" else "string" for name, x in inputs.items()}
    np.savez(files[0], **{name: x.astype(np.float32) if x.dtype.kind == "V" else x for name, x in inputs.items()})
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "KERAS_BACKEND")}
    command = [python, "-c", _LOAD, str(path), *files, json.dumps(dtypes)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    with np.load(files[1]) as found:
        return [found[k] for k in found]


FORMATS: dict[str, Callable] = {"onnx": by_onnx, "stablehlo": by_jax, "tensorflow": by_tensorflow}


def differences(make: Callable, python: str) -> dict[str, str]:
    """By format, how far its results are from ours."""
    keras.utils.set_random_seed(0)
    model, given = make()
    inputs = given if isinstance(given, dict) else {f"arr_{k}": _numbers(model, k, x) for k, x in enumerate(given)}
    tensors = {name: tf.constant(x) for name, x in inputs.items()}
    one, *more = tensors.values()
    called = tensors if isinstance(given, dict) else [one, *more] if more else one
    want = [y.numpy() for y in tf.nest.flatten(model(called, training=False))]
    found = {}
    for format, run in FORMATS.items():
        if format == "tensorflow" and not python:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            try:
                model.export(path, format=format, verbose=False)
                pairs = zip(run(path, inputs, python), want, strict=True)
                wide = [(np.asarray(a, float), np.asarray(b, float)) for a, b in pairs]
                found[format] = f"{max(np.abs(a - b).max() / np.abs(b).max() for a, b in wide):.0e}"
            except tf.export.CannotBeExported as error:
                logging.warning("%s", error)
                found[format] = "refused"
            except Exception as error:
                if type(error).__name__ == "NotImplemented":  # onnxruntime has no kernels for a dtype
                    found[format] = "no kernels"
                    continue
                logging.exception("%s", format)
                found[format] = f"{type(error).__name__}: {str(error)[:80]}"
    return found


def _numbers(model: Any, k: int, given: Any) -> np.ndarray:
    """Normal numbers of a shape, in the dtype of the input."""
    if not isinstance(given, tuple):
        return given
    dtype = tf.as_dtype(model.inputs[k].dtype).as_numpy_dtype if getattr(model, "inputs", None) else np.float32
    return np.random.default_rng(k).normal(size=given).astype(dtype)


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
