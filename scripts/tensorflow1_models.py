"""The models of `scripts/tensorflow_models.py` in the forms of TensorFlow 1: graphs with switches, variables of a
Saver, frozen graphs."""

import contextlib

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


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


MODELS = {"v1_line": save_v1_line, "v1_flow": save_v1_flow, "frozen": save_frozen}
