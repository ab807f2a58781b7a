"""Replicas in several processes: each worker has one, and all find the numbers of one process."""

import ast
import re

import pytest

import tapeflow as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.distribute import workers
from tapeflow.distribute.datasets import parts
from tests.engines.xla.test_processes import launched_text


def found(program, count=2):
    """What each worker has put into `out`."""
    status, _, said = launched_text(program + "\nprint('OUT', out, flush=True)\n", workers=count)
    assert status == 0, said
    values = {int(k): ast.literal_eval(text) for k, text in re.findall(r"(?m)^\[(\d)\] OUT (.*)$", said)}
    return [values[k] for k in range(count)]


def test_one_worker_is_one_replica():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert (strategy.num_replicas_in_sync, list(strategy.numbers), type(strategy.cluster_resolver).__name__) == (
        1, [0], "TFConfigClusterResolver",
    )  # fmt: skip
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    strategy.run(lambda: v.assign_add(tf.constant(2.0)))
    assert type(v).__name__ == "MirroredVariable" and float(v) == 3.0


def test_the_parts_of_a_worker():
    batch = tf.range(5)
    assert [parts(batch, 2, [k]).numpy().tolist() for k in range(2)] == [[0, 1, 2], [3, 4]]


def test_what_is_no_tensor_is_the_same_in_all():
    assert workers.of_all(({"a": 1}, "b", None), 2) == [({"a": 1}, "b", None)] * 2


BEGIN = """
import numpy as np, tapeflow as tf
s = tf.distribute.MultiWorkerMirroredStrategy()
context = tf.distribute.get_replica_context
number = lambda: tf.cast(context().replica_id_in_sync_group, tf.float32) + 1.0
"""


@pytest.mark.long
def test_values_variables_and_derivatives():
    first, second = found(
        BEGIN
        + """
r = s.run(number)
out = [float(r), float(s.reduce("SUM", r, axis=None)), float(s.reduce("MEAN", r, axis=None))]
out.append(s.gather(s.run(lambda: tf.reshape(number(), [1])), axis=0).numpy().tolist())
with s.scope():
    v = tf.Variable(float(s.cluster_resolver.task_id) + 5.0, aggregation=tf.VariableAggregation.MEAN)
    t = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ,
                    aggregation=tf.VariableAggregation.SUM)
out.append(float(v))
def f():
    with tf.GradientTape() as tape:
        y = context().all_reduce("SUM", v * number()) ** 2
    t.assign(number())
    return tape.gradient(y, v)
out += [float(s.run(f)), float(t.numpy()), float(s.run(tf.function(f))), float(t.numpy())]
s.run(lambda: v.assign(number()))
out.append(float(v))
out.append(s.run(lambda: context().merge_call(lambda st, x: float(st.reduce("SUM", x, axis=None)), (number(),))))
"""
    )
    # d/dv (3 v)^2 summed over both, of which each has its own part of the sum
    for k, (own, *rest) in enumerate((first, second)):
        y = 2 * 15.0 * 2 * (k + 1)
        assert own == k + 1.0 and rest == [3.0, 1.5, [1.0, 2.0], 5.0, y, 3.0, y, 3.0, 1.5, 3.0]


@pytest.mark.long
def test_keras_has_the_losses_of_one_process():
    program = (
        BEGIN
        + """
x = np.arange(40.0, dtype="float32").reshape(10, 4) / 10
y = x.sum(1, keepdims=True)
tf.keras.utils.set_random_seed(1)
with s.scope():
    layers = [tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(1)]
    m = tf.keras.Sequential([tf.keras.Input((4,)), *layers])
    m.compile("adam", "mse", metrics=["mae"])
h = m.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(4), epochs=3, verbose=0).history
out = [*h["loss"], *h["mae"], m.evaluate(x, y, batch_size=4, verbose=0)[0]]
out += [float(v) for v in m.predict(x, batch_size=4, verbose=0)[:, 0]]
"""
    )
    [one] = found(program, 1)
    for each in found(program):
        assert each == pytest.approx(one, rel=1e-4)
