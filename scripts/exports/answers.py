"""What TensorFlow gives for the committed model of `tests/export/to_tensorflow`, which our exporter wrote: run this
where TensorFlow is installed, after `python -m tests.export.to_tensorflow.model`.

    python scripts/exports/answers.py
"""

import json
import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

HOME = Path(__file__).resolve().parents[2] / "tests" / "export" / "to_tensorflow"
X = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]], np.float32)
Y, WORDS = np.array([[1.0], [2.0]], np.float32), ["one", "red", "two", "zebra", "?"]


def plain(structure):
    """Lists in the place of tensors; texts as such."""

    def one(tensor):
        array = tensor.numpy()
        return np.char.decode(array.astype(bytes)).tolist() if array.dtype == object else array.tolist()

    return tf.nest.map_structure(one, structure)


def served(folder):
    """As a server loads it: a graph, what fills it, and a signature."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        meta = tf.compat.v1.saved_model.load(session, ["serve"], folder)
        found = {}
        for name, given in (("serving_default", {"x": X}), ("looked_up", {"s": WORDS, "known": False})):
            signature = meta.signature_def[name]
            feeds = {signature.inputs[argument].name: value for argument, value in given.items()}
            found[name] = session.run({k: v.name for k, v in signature.outputs.items()}, feeds)["output_0"].tolist()
        return found


def answers(folder):
    model = tf.saved_model.load(folder)
    x, words = tf.constant(X), tf.constant(WORDS)
    found = {name: plain(tf.nest.flatten(getattr(model, name)(x))) for name in ("dense", "branch", "scan", "picked")}
    found["counted"] = [plain(model.counted(x)) for _ in range(2)]
    found["total"] = plain(model.total.value())
    found["text"] = [plain(model.text(tf.constant(["ab", "C"])))]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model.dense(x) ** 2)
    found["gradient"] = plain(tape.gradient(y, model.weights))
    found["parts"] = [plain(p.f(x)) for p in (model.part, model.parts[0], model.parts[1]["deep"])]
    found["names"] = [model.part.v.name, model.by_name["scale"].name]
    found["held"] = plain([model.by_name["scale"].value(), model.by_name["limits"][1].value()])
    found["one object"] = model.part is model.same_part
    found["looked_up"] = [plain(model.looked_up(words, tf.constant(known))) for known in (True, False)]
    found["dropped"] = [
        plain(model.dropped(x)), plain(model.dropped(x, training=True)), plain(model.dropped(x, True, scale=3.0)),
        plain(model.dropped(tf.constant(3))),
    ]  # fmt: skip
    found["drawn"] = plain(model.drawn(tf.constant([3, 4])))
    noise = [model.noisy(tf.ones([50, 3])).numpy() for _ in range(2)]
    found["noisy"] = [sorted({float(y) for one in noise for y in one.ravel()}), bool((noise[0] == noise[1]).all())]
    found["train"] = [plain(model.train(x, tf.constant(Y))) for _ in range(2)]
    found["trained"] = plain(model.part.v.value())
    found["signature serving_default"] = plain(model.signatures["serving_default"](x=x)["output_0"])
    found["signature picked"] = plain(model.signatures["picked"](x=x))
    found["signature looked_up"] = plain(model.signatures["looked_up"](s=words, known=tf.constant(True)))
    return found | {f"served {name}": value for name, value in served(folder).items()}


if __name__ == "__main__":
    text = json.dumps(answers(str(HOME / "model")), indent=1)
    (HOME / "answers.json").write_text(text + "\n", encoding="utf-8")
