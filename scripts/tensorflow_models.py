"""Writes the small SavedModels of `tests/saved_model/tensorflow/models`, with what TensorFlow computes by them.

    python scripts/tensorflow_models.py [folder] [name …]

in an environment with TensorFlow 2 (and `tf_keras`, for the files of Keras 2). Each file is a folder: a SavedModel and
`answers.npz`, with what TensorFlow gives for the calls of `tests/saved_model/tensorflow/calls.py`; what it gives for
those of `tests/api/raw_ops/values.py` goes there (`raw_ops`).
"""

import contextlib
import os
import sys
import tempfile
import zipfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "saved_model" / "tensorflow" / "models"
sys.path.insert(0, str(ROOT))
v1 = tf.compat.v1


class Line(tf.Module):
    """Variables, a captured constant, a function that calls another, Python values, a polymorphic function."""

    def __init__(self):
        super().__init__()
        self.slope = tf.Variable([2.0, 3.0], name="slope")
        self.parts = {"offset": tf.Variable(0.5, name="offset"), "steps": [tf.Variable(3, trainable=False)]}
        self.table = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
    def at(self, x):
        return self.moved(x * self.slope, training=False)

    @tf.function
    def moved(self, x, training=False, scale=2.0):
        if training:
            self.parts["steps"][0].assign_add(1)
            return {"y": x * scale, "steps": self.parts["steps"][0].read_value()}
        return tf.matmul(x, self.table) + self.parts["offset"]

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def of_any_rank(self, x):
        return tf.reduce_sum(x) * self.parts["offset"], tf.shape(x)

    @tf.function
    def nested(self, given):
        return [given["a"] + given["b"][0], (given["b"][1],)]


class Control(tf.Module):
    """Branches and loops in both forms, with variables that they read and assign."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(1.5)
        self.count = tf.Variable(0, trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def chosen(self, x):
        if tf.reduce_sum(x) > 0:
            self.count.assign_add(1)
            y = x * self.w
        else:
            y = -x
        return y, self.count.read_value()

    @tf.function(input_signature=[tf.TensorSpec([]), tf.TensorSpec([], tf.int32)])
    def powers(self, x, n):
        y = tf.constant(1.0)
        for _ in tf.range(n):
            y = y * x * self.w
        return y

    @tf.function(input_signature=[tf.TensorSpec([3]), tf.TensorSpec([], tf.int32)])
    def switched(self, x, k):
        return tf.switch_case(k, [lambda: x + 1.0, lambda: x * self.w, lambda: tf.sin(x)])

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def running(self, x):
        rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0], element_shape=[2])
        total = tf.zeros([2])
        for k in tf.range(tf.shape(x)[0]):
            total = total * self.w + x[k]
            rows = rows.write(k, total)
        return rows.stack()

    @tf.function(input_signature=[tf.TensorSpec([4])])
    def mapped(self, x):
        return tf.map_fn(lambda v: v * v + self.w, x)


class Text(tf.Module):
    """Tables from a file and from tensors, strings, ragged and sparse tensors."""

    def __init__(self, vocabulary):
        super().__init__()
        self.words = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(
                vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            num_oov_buckets=1,
        )  # fmt: skip
        self.names = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), tf.constant(["bad", "good"])), "?"
        )
        self.embedding = tf.Variable(np.linspace(-1, 1, 10, dtype=np.float32).reshape(5, 2))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def __call__(self, texts):
        words = tf.strings.split(tf.strings.lower(texts))
        ids = self.words.lookup(words.to_tensor(""))
        vectors = tf.nn.embedding_lookup(self.embedding, ids)
        score = tf.reduce_sum(tf.reduce_mean(vectors, 1), -1)
        return score, self.names.lookup(tf.cast(score > 0, tf.int64))

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def ragged(self, x):
        return tf.reduce_sum(x, 1), x * 2.0

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
    def sparse(self, x):
        return tf.sparse.to_dense(x) * 2.0, tf.sparse.reduce_sum(x)


def keras_model(keras):
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.layers.Input([6, 6, 2]),
            keras.layers.Conv2D(3, 3, strides=2, padding="same", activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dropout(0.5),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(2, activation="softmax"),
        ]
    )
    model.layers[1].moving_mean.assign([0.1, 0.2, 0.3])
    return model


def save_keras3(folder):
    keras_model(tf.keras).export(str(folder), verbose=False)


def save_keras3_object(folder):
    tf.saved_model.save(keras_model(tf.keras), str(folder))


def save_keras2(folder):
    import tf_keras

    keras_model(tf_keras).save(str(folder), save_format="tf")


def save_keras2_h5(folder):
    import tf_keras

    folder.mkdir(parents=True)
    keras_model(tf_keras).save(str(folder / "model.h5"))


def save_keras2_trained(folder):
    """A file of Keras 2: layers that Keras 3 writes otherwise, an optimizer with state, and how training goes on."""
    import tf_keras as keras

    keras.utils.set_random_seed(4)
    layers = keras.layers
    given = layers.Input([5])
    x = layers.Embedding(7, 4)(given)
    x = layers.Bidirectional(layers.LSTM(2, return_sequences=True))(x)
    x = layers.LayerNormalization()(layers.Add()([x, layers.MultiHeadAttention(2, 2)(x, value=x)]))
    x = layers.SeparableConv1D(3, 2, activation="tanh")(x)
    x = layers.Flatten()(layers.GRU(2, reset_after=False, return_sequences=True)(x))
    model = keras.Model(given, layers.Dense(2, activation="softmax")(layers.LeakyReLU(0.2)(x)))
    model.compile(keras.optimizers.Adam(0.01), keras.losses.CategoricalCrossentropy(), metrics=["accuracy"])
    inputs = np.random.default_rng(0).integers(0, 7, (6, 5)).astype(np.float32)
    targets = np.eye(2, dtype=np.float32)[[0, 1, 1, 0, 1, 0]]
    for _ in range(3):
        model.train_on_batch(inputs, targets)
    folder.mkdir(parents=True)
    model.save(str(folder / "model.h5"))
    outputs = model(inputs).numpy()
    losses = [model.train_on_batch(inputs, targets)[0] for _ in range(4)]
    np.savez(folder / "answers.npz", inputs=inputs, targets=targets, outputs=outputs, losses=np.float32(losses))


def save_lstm(folder):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            tf.keras.utils.set_random_seed(1)
            self.cell = tf.keras.layers.LSTM(3, return_sequences=True, return_state=True)
            self.cell.build([None, None, 2])
            self.weights = [w.value for w in self.cell.trainable_weights]
            self.h = tf.Variable(tf.zeros([1, 3]), trainable=False)
            self.c = tf.Variable(tf.zeros([1, 3]), trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([1, None, 2])])
        def __call__(self, x):
            y, h, c = self.cell(x, initial_state=[self.h, self.c])
            self.h.assign(h)
            self.c.assign(c)
            return y

    tf.saved_model.save(Counter(), str(folder))


def save_generator(folder):
    keras = tf.keras
    keras.utils.set_random_seed(2)
    model = keras.Sequential(
        [
            keras.layers.Input([4]),
            keras.layers.Dense(2 * 2 * 3, use_bias=False),
            keras.layers.BatchNormalization(),
            keras.layers.LeakyReLU(),
            keras.layers.Reshape([2, 2, 3]),
            keras.layers.Conv2DTranspose(2, 3, strides=2, padding="same", use_bias=False),
            keras.layers.UpSampling2D(),
            keras.layers.Conv2D(1, 3, padding="same", activation="tanh"),
        ]
    )
    model.export(str(folder), verbose=False)


def save_text(folder):
    vocabulary = folder.parent / "words.txt"
    vocabulary.write_text("\n".join(["a", "fine", "day", "bad"]))
    tf.saved_model.save(Text(str(vocabulary)), str(folder))
    vocabulary.unlink()


def save_line(folder):
    line = Line()
    line.moved(tf.ones([1, 2]), training=True)
    line.parts["steps"][0].assign(3)
    line.nested({"a": tf.ones([2]), "b": [tf.ones([2]), tf.ones([3], tf.int32)]})
    tf.saved_model.save(line, str(folder), signatures={"serving_default": line.at, "shape": line.of_any_rank})


def save_control(folder):
    tf.saved_model.save(Control(), str(folder))


class OwnGradient(tf.Module):
    """Functions with `tf.custom_gradient`, TensorFlow's and one that is no derivative."""

    def __init__(self):
        super().__init__()
        self.scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def at(self, x):
        @tf.custom_gradient
        def tripled(x):
            y = tf.exp(x)
            return y, lambda g: 3.0 * g * y

        return tf.nn.silu(x * self.scale) + tripled(x * self.scale)


def save_own_gradient(folder):
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    tf.saved_model.save(OwnGradient(), str(folder), options=options)


# ---- the forms of TensorFlow 1: graphs with switches, variables of a Saver, frozen graphs


@contextlib.contextmanager
def session():
    """A session on a graph of its own, whose control flow is that of version 1."""
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default(), v1.Session() as one:
            v1.set_random_seed(3)
            yield one
    finally:
        v1.enable_control_flow_v2()


def save_v1_line(folder):
    """Variables of both kinds, one that is not saved, tables from a file and from tensors, two signatures."""
    vocabulary = folder.parent / "words.txt"
    vocabulary.write_text("\n".join(["a", "fine", "day", "bad"]))
    with session() as one:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        with v1.variable_scope("part"):
            w = v1.get_variable("w", initializer=np.float32([[1, 2], [3, 4]]), use_resource=False)
            b = v1.get_variable("b", initializer=np.float32([0.5, -1]), use_resource=True)
        steps = v1.get_variable("steps", initializer=7, trainable=False, use_resource=False)
        local = v1.Variable(1.0, collections=[v1.GraphKeys.LOCAL_VARIABLES], name="local")
        y = tf.identity(tf.matmul(x, w) + b, name="y")
        tf.add(y, local, name="never_saved")
        words = v1.placeholder(tf.string, [None], name="words")
        table = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(
                str(vocabulary), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
            ),
            num_oov_buckets=1,
        )  # fmt: skip
        names = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1, 2], tf.int64), tf.constant(["A", "B", "C"])), "?"
        )
        ids = table.lookup(words)
        one.run([v1.global_variables_initializer(), v1.local_variables_initializer(), v1.tables_initializer()])
        builder = v1.saved_model.Builder(str(folder))
        signature = lambda takes, gives: v1.saved_model.predict_signature_def(takes, gives)
        builder.add_meta_graph_and_variables(
            one, ["serve"],
            {
                "serving_default": signature({"x": x}, {"y": y, "steps": steps.read_value()}),
                "words": signature({"words": words}, {"ids": ids, "names": names.lookup(ids)}),
            },
            assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
            main_op=v1.tables_initializer(),
        )  # fmt: skip
        builder.save()
    vocabulary.unlink()


def save_v1_flow(folder):
    """Branches within branches, loops within loops, a recurrent network: all by switches."""
    with session() as one:
        x = v1.placeholder(tf.float32, [None, 3, 2], name="x")
        n = v1.placeholder(tf.int32, [], name="n")
        training = v1.placeholder_with_default(False, [], name="training")
        w = v1.get_variable("w", initializer=np.float32([[0.5, -0.25], [0.125, 1]]), use_resource=True)
        cell = np.float32([[0.3, -0.2, 0.1], [0.2, 0.4, -0.5]])
        u = v1.get_variable("u", initializer=cell)

        def step(k, total):
            inner = tf.while_loop(
                lambda j, s: j < k, lambda j, s: (j + 1, tf.tanh(tf.matmul(s, w)) + total), [0, total]
            )[1]
            return k + 1, tf.cond(tf.reduce_sum(inner) > 0, lambda: inner * 0.5, lambda: inner - w)

        looped = tf.while_loop(lambda k, total: k < n, step, [tf.constant(0), tf.ones([2, 2])])[1]
        tf.identity(looped, name="looped")

        mean = tf.reduce_mean(x)

        def inside():
            return tf.cond(n > 2, lambda: mean * 2.0, lambda: mean - tf.reduce_sum(w)), tf.constant(1)

        first, second = tf.cond(training, inside, lambda: (mean, tf.constant(2)))
        tf.identity(first, name="first")
        tf.identity(second, name="second")
        again = tf.cond(training, lambda: first + 1.0, lambda: first * 3.0)
        tf.identity(again, name="again")

        # A recurrent network as `dynamic_rnn` writes it: rows of a TensorArray, and lengths of sequences.
        rows = tf.TensorArray(tf.float32, size=3, element_shape=[None, 2]).unstack(tf.transpose(x, [1, 0, 2]))
        out = tf.TensorArray(tf.float32, size=3, element_shape=[None, 3])

        def cell_step(t, h, out):
            h = tf.tanh(tf.matmul(rows.read(t), u) + 0.5 * h)
            return t + 1, h, out.write(t, h)

        start = tf.zeros([tf.shape(x)[0], 3])
        _, last, out = tf.while_loop(lambda t, *_: t < 3, cell_step, [0, start, out])
        sequence = tf.identity(tf.transpose(out.stack(), [1, 0, 2]), name="sequence")
        last = tf.identity(last, name="last")
        one.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(one, str(folder), {"x": x}, {"sequence": sequence, "last": last})


def save_frozen(folder):
    """A network for images whose variables have become constants, and a switch for training that is off."""
    with session() as one:
        x = v1.placeholder(tf.float32, [None, 6, 6, 2], name="x")
        k = v1.get_variable("k", [3, 3, 2, 3], initializer=v1.random_normal_initializer(seed=1))
        y = tf.nn.conv2d(x, k, 2, "SAME", name="conv")
        ones, zeros = np.ones(3, np.float32), np.zeros(3, np.float32)
        mean, variance = np.float32([0.1, 0.2, 0.3]), np.float32([1, 2, 0.5])
        y, _, _ = v1.nn.fused_batch_norm(y, ones, zeros, mean, variance, is_training=False, name="norm")
        training = v1.placeholder_with_default(False, [], name="training")
        y = tf.cond(training, lambda: tf.nn.dropout(y, 0.5), lambda: tf.nn.relu6(y))
        a, b = tf.split(tf.reduce_mean(y, [1, 2]), [1, 2], axis=1, name="parts")
        tf.nn.softmax(b - a, name="y")
        one.run(v1.global_variables_initializer())
        frozen = v1.graph_util.convert_variables_to_constants(one, one.graph.as_graph_def(), ["y"])
    folder.mkdir(parents=True)
    (folder / "frozen.pb").write_bytes(frozen.SerializeToString())
    (folder / "frozen.pbtxt").write_text(str(frozen))


MODELS = {
    "line": save_line, "control": save_control, "text": save_text, "keras3": save_keras3,
    "keras3_object": save_keras3_object, "keras2": save_keras2, "keras2_h5": save_keras2_h5,
    "keras2_trained": save_keras2_trained, "lstm": save_lstm,
    "generator": save_generator, "own_gradient": save_own_gradient, "v1_line": save_v1_line,
    "v1_flow": save_v1_flow, "frozen": save_frozen,
}  # fmt: skip


def main(folder: Path, names: list[str]) -> None:
    from tests.api.raw_ops import values
    from tests.saved_model.tensorflow.calls import CALLS, answers, loaded

    if not names or "raw_ops" in names:
        np.savez_compressed(ROOT / "tests" / "api" / "raw_ops" / "values.npz", **values.answers(tf, True))
    folder.mkdir(parents=True, exist_ok=True)
    for name in [n for n in names or MODELS if n != "raw_ops"]:
        with tempfile.TemporaryDirectory() as place:
            model = Path(place, name)
            try:
                MODELS[name](model)
            except ImportError as error:
                print(f"{name}: left out ({error})")
                continue
            if name in CALLS:
                np.savez(model / "answers.npz", **answers(tf, name, loaded(tf, model)))
            packed(model, folder / f"{name}.zip")


def packed(model: Path, path: Path) -> None:
    """The files of a folder in one, small, and the same whenever it is made."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        for one in sorted(model.rglob("*")):
            if one.is_file():
                file.writestr(zipfile.ZipInfo(one.relative_to(model).as_posix()), one.read_bytes(), zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else FOLDER, sys.argv[2:])
