"""A small model of every kind of thing that a SavedModel has, written to the folder of this file's `model/`:
`python -m tests.export.to_tensorflow.model`. TensorFlow 2.21 has loaded and run what is committed there, by
`scripts/exports/answers.py`; `answers.json` is what it gave."""

import shutil
from pathlib import Path

import numpy as np

import tapeflow as tf

FOLDER = Path(__file__).with_name("model")
WORDS = Path(__file__).with_name("words.txt")
X = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]], np.float32)


class Part(tf.Module):
    def __init__(self, value):
        super().__init__()
        self.v = tf.Variable(np.full((3, 1), value, np.float32), name="v")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def f(self, x):
        return x @ self.v


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2) / 4, name="weights")
        self.total = tf.Variable(0.0, name="total")
        self.part = self.same_part = Part(1.0)
        self.parts = [Part(2.0), {"deep": Part(3.0)}]
        self.by_name = {"scale": tf.Variable(4.0, name="scale"), "limits": (tf.Variable(-1), tf.Variable(1))}
        words, kinds = tf.constant(["one", "two"]), tf.constant([1, 2], tf.int64)
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(words, kinds), -1)
        whole, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        lines = tf.lookup.TextFileInitializer(str(WORDS), tf.string, whole, tf.int64, number)
        self.vocabulary = tf.lookup.StaticVocabularyTable(lines, 3)

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

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.string, name="s"), tf.TensorSpec([], tf.bool, name="known")]
    )
    def looked_up(self, s, known):
        """In a branch, and in a loop."""
        y = self.table.lookup(s) if known else self.vocabulary.lookup(s) * 10
        for _ in tf.range(2):
            y += self.table.lookup(s)
        return y

    @tf.function
    def dropped(self, x, training=False, *, scale=2.0):
        """For each kind of arguments another trace."""
        return x * scale if training else x + 1

    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32, name="seed")])
    def drawn(self, seed):
        """By a seed: the same numbers on both sides."""
        return tf.random.stateless_uniform([4], seed), tf.random.stateless_uniform([3], seed, 5, 50, tf.int32)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x")])
    def noisy(self, x):
        """Other numbers in each call."""
        return tf.nn.dropout(x, 0.5)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x"), tf.TensorSpec([None, 1], name="y")])
    def train(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.part.f(x) - y) ** 2)
        self.part.v.assign_sub(0.1 * tape.gradient(loss, self.part.v))
        return loss


FUNCTIONS = ("dense", "branch", "scan", "picked")


def traced() -> Model:
    """A model whose functions have been called for the arguments that they are saved for."""
    model = Model()
    model.dropped(X)
    model.dropped(X, training=True)
    model.dropped(X, training=True, scale=3.0)
    model.dropped(np.array(3, np.int32))
    return model


def write(folder: Path) -> None:
    model = traced()
    signatures = {"serving_default": model.dense, "picked": model.picked, "looked_up": model.looked_up}
    tf.saved_model.save(model, folder, signatures=signatures, format="tensorflow")


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    write(FOLDER)
