"""A small model of every kind of thing that a SavedModel has, written to the folder of this file's `model/`:
`python -m tests.export.to_tensorflow.model`. TensorFlow 2.21 has loaded and run what is committed there: see
`answers.json`, which is what it gave."""

from pathlib import Path

import numpy as np

import tapeflow as tf

FOLDER = Path(__file__).with_name("model")
X = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]], np.float32)


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2) / 4, name="weights")
        self.total = tf.Variable(0.0, name="total")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def dense(self, x):
        return tf.nn.softmax(x @ self.weights)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def counted(self, x):
        self.total.assign_add(tf.reduce_sum(x))
        return self.total * x

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def branch(self, x):
        if tf.reduce_sum(x) > 0:
            y = x * 2
        else:
            y = x[::-1] - 1
        return y

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def scan(self, x):
        return tf.scan(lambda a, b: a * 0.5 + b, x)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def picked(self, x):
        return {"some": tf.boolean_mask(x, x[:, 0] > 0.75), "flat": tf.reshape(x, [tf.shape(x)[0] * 3])}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="s")])
    def text(self, s):
        return tf.strings.join([tf.strings.upper(s), "!"])


FUNCTIONS = ("dense", "branch", "scan", "picked")


def write(folder: Path) -> None:
    model = Model()
    tf.saved_model.save(model, folder, signatures={"serving_default": model.dense, "picked": model.picked},
                        format="tensorflow")  # fmt: skip


if __name__ == "__main__":
    write(FOLDER)
