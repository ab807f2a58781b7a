"""Variables, ragged and sparse tensors, structures and branches as type checkers see them, and NumPy's functions of
tensors."""

# pyright: strict

import tempfile
from pathlib import Path
from typing import Any, assert_type

import numpy as np

import tapeflow as tf


def of_variables(v: tf.Variable) -> list[float]:
    v[0].assign(3.0)
    v[1:].assign([4.0, 5.0])
    v.assign(v + 1.0).assign_sub(0.5 * v)
    total = tf.constant(0.0)
    for element in v:
        assert_type(element, tf.Tensor)
        total += element
    assert_type(v.read_value(), tf.Tensor)
    assert_type(v.gather_nd([[0]]), tf.Tensor)
    return [float(total), *[float(e) for e in v.scatter_add(tf.IndexedSlices([1.0], [0]))]]


def of_numpy(t: tf.Tensor) -> list[float]:
    """A tensor is one of NumPy's `ArrayLike`s."""
    np.testing.assert_allclose(t, t)
    largest: Any = np.max(t)
    return [float(largest), float(np.asarray(t).sum()), float(np.linalg.norm(t))]


def of_ragged(r: tf.RaggedTensor) -> tf.RaggedTensor:
    assert_type(tf.ragged.constant([[1], [2, 3]]), tf.RaggedTensor)
    assert_type(tf.strings.split(["a b", "c"]), tf.RaggedTensor)
    assert_type(tf.strings.split("a b"), tf.Tensor)
    assert_type(r.to_tensor(), tf.Tensor)
    assert_type(-r * 2 + r, tf.RaggedTensor)
    row: tf.Tensor = r[0]
    return r + tf.reduce_sum(row)


def of_sparse(t: tf.Tensor) -> tf.Tensor:
    s = tf.sparse.from_dense(t)
    assert_type(s, tf.SparseTensor)
    assert_type(s.values, tf.Tensor)
    return tf.sparse.to_dense(s * 2.0)


def of_structures(x: tf.Tensor, y: tf.Variable) -> dict[str, float]:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = tf.reduce_sum(x * y)
    named = tape.gradient(z, {"x": x, "y": y})
    assert_type(named, dict[str, tf.Tensor | Any])
    nested = tape.gradient(z, {"both": [x, y]})
    doubled = tf.nest.map_structure(lambda g: 2.0 * g, named)
    summed = tf.nest.map_structure(lambda a, b: a + b, named, doubled)
    clipped = tf.clip_by_norm(named["x"], 1.0)
    assert_type(tf.clip_by_value(x, 0.0, 1.0), tf.Tensor)
    return {"summed": float(summed["x"][0]), "nested": float(nested["both"][0][0]), "clipped": float(clipped[0])}


def of_branches(x: tf.Tensor) -> list[float]:
    assert_type(tf.cond(x[0] > 0.0, lambda: x, lambda: -x), tf.Tensor)
    chosen = tf.switch_case(tf.constant(1), [lambda: x, lambda: 2.0 * x])
    assert_type(chosen, tf.Tensor)
    found = tf.case([(x[0] > 5.0, lambda: x)], default=lambda: 3.0 * x)
    assert_type(found, tf.Tensor)
    rows: tf.Tensor = tf.map_fn(lambda row: row * 2.0, x)
    last: tf.Tensor = tf.foldl(lambda total, row: total + row, x)
    return [float(tf.reduce_sum(t)) for t in (chosen, found, rows, last)]


class Doubled(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def predict(self, x: tf.Tensor) -> tf.Tensor:
        return x * 2.0


def of_files(folder: Path) -> float:
    tf.saved_model.save(Doubled(), str(folder / "model"))
    loaded = tf.saved_model.load(str(folder / "model"))
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=tf.Variable(0)), str(folder / "states"), max_to_keep=2
    )
    manager.save()
    assert_type(manager.latest_checkpoint, str | None)
    return float(loaded.predict(tf.constant([1.0]))[0])


if __name__ == "__main__":
    x = tf.constant([1.0, 2.0, 4.0])
    print(of_variables(tf.Variable([1.0, 2.0, 4.0])), of_numpy(x), of_ragged(tf.ragged.constant([[1], [2, 3]])))
    print(of_sparse(x), of_structures(x, tf.Variable([1.0, 2.0, 4.0])), of_branches(x))
    with tempfile.TemporaryDirectory() as folder:
        print(of_files(Path(folder)))
