"""What is called on the saved models of this folder, in TensorFlow (`scripts/tensorflow_models.py`) and here: `tf` is
either library."""

import numpy as np


def _image(tf):
    return tf.constant(np.linspace(-1, 1, 144, dtype=np.float32).reshape(2, 6, 6, 2))


def _words(tf):
    return tf.constant(["A fine day", "what a bad"])


def _sequence(tf):
    return tf.constant(np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 4, 2))


def _serve(tf, m):
    return m.signatures["serving_default"](_image(tf))


def _batch(tf):
    return tf.constant(np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 3, 2))


def _branch(n, training):
    fetches = ["first:0", "second:0", "again:0"]
    return lambda tf, m: m.prune(["x:0", "n:0", "training:0"], fetches)(
        _batch(tf), tf.constant(n), tf.constant(training)
    )


def _element(m, name):
    return m.graph.as_graph_element(name)


# By model: (what is called, the variables whose gradients are compared).
CALLS = {
    "line": [
        (lambda tf, m: m.at(tf.constant([[1.0, 2.0], [3.0, 4.0]])), lambda m: [m.slope, m.parts["offset"]]),
        (lambda tf, m: m.at([[1.0, 2.0]]), lambda m: [m.slope]),
        (lambda tf, m: m.moved(tf.constant([[1.0, 2.0]]), training=True), None),
        (lambda tf, m: m.of_any_rank(tf.ones([2, 3])), lambda m: [m.parts["offset"]]),
        (lambda tf, m: m.of_any_rank(tf.constant(3.0)), None),
        (lambda tf, m: m.nested({"a": tf.ones([2]), "b": [tf.ones([2]), tf.ones([3], tf.int32)]}), None),
        (lambda tf, m: m.signatures["serving_default"](x=tf.ones([2, 2])), lambda m: [m.slope]),
        (lambda tf, m: m.signatures["shape"](tf.ones([2, 2])), None),
        (lambda tf, m: m.parts["steps"], None),
    ],
    "control": [
        (lambda tf, m: m.chosen(tf.constant([1.0, 2.0])), lambda m: [m.w]),
        (lambda tf, m: m.chosen(tf.constant([-1.0, -2.0])), lambda m: [m.w]),
        (lambda tf, m: m.chosen(tf.constant([3.0])), lambda m: [m.w]),
        (lambda tf, m: m.powers(tf.constant(2.0), tf.constant(3)), lambda m: [m.w]),
        (lambda tf, m: m.switched(tf.constant([1.0, 2.0, 3.0]), tf.constant(0)), None),
        (lambda tf, m: m.switched(tf.constant([1.0, 2.0, 3.0]), tf.constant(1)), lambda m: [m.w]),
        (lambda tf, m: m.switched(tf.constant([1.0, 2.0, 3.0]), tf.constant(2)), None),
        (lambda tf, m: m.running(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])), lambda m: [m.w]),
        (lambda tf, m: m.running(tf.zeros([0, 2])), None),
        (lambda tf, m: m.mapped(tf.constant([1.0, 2.0, 3.0, 4.0])), lambda m: [m.w]),
    ],
    "text": [
        (lambda tf, m: m(_words(tf)), lambda m: [m.embedding]),
        (lambda tf, m: m.ragged(tf.ragged.constant([[1.0, 2.0], [], [3.0]])), None),
        (lambda tf, m: m.sparse(tf.sparse.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])), None),
    ],
    "keras3": [
        (lambda tf, m: m.serve(_image(tf)), lambda m: list(m.trainable_variables)),
        (_serve, lambda m: list(m.trainable_variables)),
    ],
    "keras3_object": [(_serve, None)],
    "keras2": [
        (_serve, None),
        (lambda tf, m: m(_image(tf)), lambda m: list(m.trainable_variables)),
        (lambda tf, m: m(_image(tf), training=False), lambda m: list(m.trainable_variables)),
    ],
    "lstm": [(lambda tf, m: m(_sequence(tf)), lambda m: list(m.weights)) for _ in range(2)],
    "generator": [
        (
            lambda tf, m: m.serve(tf.constant(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))),
            lambda m: list(m.trainable_variables),
        )
    ],
    "v1_line": [
        (lambda tf, m: m.signatures["serving_default"](x=tf.constant([[1.0, 2.0], [3.0, 4.0]])), None),
        (
            lambda tf, m: m.signatures["serving_default"](tf.constant([[1.0, 2.0]])),
            lambda m: [v for v in m.variables if v.name == "part/b:0"],
        ),
        (lambda tf, m: m.signatures["words"](words=tf.constant(["a", "day", "x"])), None),
        (lambda tf, m: m.prune(["x:0"], {"y": "y:0"})(tf.ones([1, 2])), None),
    ],
    "v1_flow": [
        (lambda tf, m: m.signatures["serving_default"](x=_batch(tf)), None),
        (lambda tf, m: m.prune("n:0", "looped:0")(tf.constant(0)), None),
        (lambda tf, m: m.prune("n:0", "looped:0")(tf.constant(1)), None),
        (lambda tf, m: m.prune("n:0", "looped:0")(tf.constant(4)), None),
        *[(_branch(n, training), None) for n in (1, 5) for training in (False, True)],
    ],
    "frozen": [
        (lambda tf, m: m.prune("x:0", "y:0")(_image(tf)), None),
        (
            lambda tf, m: m.prune(_element(m, "x:0"), [_element(m, "y:0"), [m.graph.as_graph_element("parts:1")]])(
                x=_image(tf)
            ),
            None,
        ),
        (lambda tf, m: m.prune(["norm:0"], ["y:0"])(tf.ones([1, 3, 3, 3])), None),
    ],
    "own_gradient": [(lambda tf, m: m.at(tf.constant([0.5, 1.0])), lambda m: [m.scale])],
}


def loaded(tf, folder):
    """The model in a folder: a SavedModel, or a frozen graph."""
    if not (folder / "frozen.pb").exists():
        return tf.saved_model.load(str(folder))
    graph_def = tf.compat.v1.GraphDef()
    graph_def.ParseFromString((folder / "frozen.pb").read_bytes())
    return tf.compat.v1.wrap_function(lambda: tf.compat.v1.import_graph_def(graph_def, name=""), [])


def answers(tf, name, model):
    """The results of the calls, and the gradients of their squares, by number."""
    found = {}
    for number, (call, variables) in enumerate(CALLS[name]):
        sources = [] if variables is None else variables(model)
        with tf.GradientTape(watch_accessed_variables=bool(sources)) as tape:
            results = tf.nest.flatten(call(tf, model), expand_composites=True)
            total = sum(tf.reduce_sum(r * r) for r in results if r.dtype.is_floating)
        for k, result in enumerate(results):
            value = result.numpy()
            found[f"{number}/{k}"] = np.array(value, "S") if result.dtype == tf.string else value
        if sources:
            for k, gradient in enumerate(tape.gradient(total, sources)):
                found[f"{number}/g{k}"] = tf.convert_to_tensor(gradient).numpy()
    return found
