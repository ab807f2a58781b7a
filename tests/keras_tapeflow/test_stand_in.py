"""`TAPEFLOW_AS_TENSORFLOW=1`, by the line of the `.pth` file, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINE = (ROOT / "tapeflow_keras.pth").read_text(encoding="utf-8")


def run(code, **environment):
    kept = {k: v for k, v in os.environ.items() if k not in ("KERAS_BACKEND", "TAPEFLOW_AS_TENSORFLOW")}
    env = kept | {"PYTHONPATH": str(ROOT)} | environment
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", LINE + code], env=env, capture_output=True, text=True)
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("import tensorflow as tf; print(type(tf.constant(1.)).__module__)", "tensorflow.python.framework.ops\n"),
        ("from tensorflow.math import sin; print(sin(0.).numpy())", "0.0\n"),
        ("import tapeflow, tensorflow; print(tensorflow.Tensor is tapeflow.Tensor)", "True\n"),
        ("import keras; print(keras.config.backend())", "tapeflow\n"),
    ],
)
def test_every_import_gives_tapeflow(code, printed):
    assert run(code, TAPEFLOW_AS_TENSORFLOW="1") == printed


def test_keras_answers_what_the_environment_says():
    """To programs alone; Keras itself goes on asking which backend it has."""
    code = (
        "import keras, tensorflow as tf; print(keras.config.backend(), keras.backend.backend(), "
        "keras.src.backend.backend(), isinstance(keras.ops.ones(2), tf.Tensor))"
    )
    environment = {"TAPEFLOW_AS_TENSORFLOW": "1"}
    assert run(code, **environment) == "tapeflow tapeflow tapeflow True\n"
    expected = "tensorflow tensorflow tapeflow True\n"
    assert run(code, **environment, TAPEFLOW_KERAS_ANSWER="tensorflow") == expected
    assert run(code, **environment, KERAS_BACKEND="tensorflow") == expected


def test_it_is_light():
    """Every start of a Python with this environment imports it: neither tapeflow nor NumPy, until they are needed."""
    code = "import sys; print(sorted({'keras', 'numpy', 'tapeflow'} & set(sys.modules)))"
    assert run(code, TAPEFLOW_AS_TENSORFLOW="1") == "[]\n"
    quiet = "import sys; print('keras_tapeflow.stand_in' in sys.modules)"
    assert run(quiet) == run(quiet, TAPEFLOW_AS_TENSORFLOW="0") == "False\n"


@pytest.mark.parametrize("environment", [{}, {"TAPEFLOW_KERAS_ANSWER": "tensorflow"}], ids=["ours", "TensorFlow's"])
def test_every_kind_of_data_is_trained_on(environment):
    """Tensors say that they are TensorFlow's: Keras must not look for its backend of that name."""
    code = """
import keras, numpy as np, tensorflow as tf
from tensorflow.keras import layers
def fitted(x, y, **how):
    model = keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    return model.fit(x, y, epochs=2, batch_size=2, verbose=0, **how).history
x, y = tf.ones([4, 3]), tf.ones([4, 1])
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
several = [
    fitted(x, y), fitted(tf.Variable(x), y.numpy()), fitted(tf.sparse.from_dense(x), y), fitted(data, None),
    fitted(x, y, sample_weight=tf.ones([4])), fitted(x, y, validation_split=0.5),
    fitted(x, y, validation_data=data), fitted(x, y, class_weight={1: 1.0}),
]
print(len({round(h["loss"][-1], 4) for h in several[:5]}), end=" ")
words = layers.TextVectorization(output_sequence_length=3)
words.adapt(tf.constant(["a b", "c"]))
ragged = tf.ragged.constant([[1, 2], [3], [1], [2, 2, 1]])
model = keras.Sequential([layers.Embedding(4, 2), layers.GlobalAveragePooling1D()])
print(model.predict(ragged.to_tensor(), verbose=0).shape, words(tf.constant(["a c"])).shape)
"""
    assert run(code, TAPEFLOW_AS_TENSORFLOW="1", **environment) == "1 (4, 2) (1, 3)\n"
