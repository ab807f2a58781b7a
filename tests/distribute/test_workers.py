"""Replicas in several processes: each worker has one, and all find the numbers of one process."""

import ast
import re

import pytest

import tapeflow as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.distribute import workers
from tapeflow.distribute.datasets import parts
from tapeflow.distribute.values import PerReplica
from tests.engines.xla.test_processes import launched_text


def found(program, count=2, each=None):
    """What each worker has put into `out`; `each`: so many devices, and replicas, in each."""
    devices = () if each is None else ("--devices-per-worker", str(each))
    status, _, said = launched_text(program + "\nprint('OUT', out, flush=True)\n", *devices, workers=count)
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


def test_batches_that_are_not_divided_are_known_in_every_worker():
    # Only some workers saw that their part was smaller: they went by turns, and the others waited for ever.
    for k in range(4):
        part = parts({"x": tf.range(9)}, 4, [k])["x"]
        assert isinstance(part, PerReplica) and not part.even
        assert type(part)([tf.range(2)])._type_spec != PerReplica.uneven([tf.range(2)])._type_spec
    assert tf.reduce_sum(part).numpy() == part.numpy().sum() == 0, "alone, it is as good as a tensor"
    assert isinstance(parts(tf.range(8), 4, [1]), tf.Tensor)
    assert parts(tf.range(8), 4, [2, 3]).even and parts(tf.range(9), 4).even, "in one process, shapes say it"


def test_replicas_of_a_worker_have_numbers_among_all():
    here = workers.Everywhere((None, None), 3, 1)
    assert (here.count, list(here.numbers), len(here)) == (6, [2, 3], 2)


def test_what_is_no_tensor_is_the_same_in_all():
    here = workers.Everywhere((None, None), 2, 0)
    assert here.of_all([({"a": 1}, "b", None), ({"a": 2}, "b", None)]) == [
        ({"a": 1}, "b", None), ({"a": 2}, "b", None)
    ] * 2  # fmt: skip


BEGIN = """
import numpy as np, tapeflow as tf
s = tf.distribute.MultiWorkerMirroredStrategy()
context = tf.distribute.get_replica_context
number = lambda: tf.cast(context().replica_id_in_sync_group, tf.float32) + 1.0
"""


@pytest.mark.long
@pytest.mark.parametrize("each", [1, 2])
def test_values_variables_and_derivatives(each):
    first, second = found(
        BEGIN
        + """
local = s.experimental_local_results
numbers = lambda value: [float(v) for v in local(value)]
r = s.run(number)
out = [numbers(r), float(s.reduce("SUM", r, axis=None)), float(s.reduce("MEAN", r, axis=None))]
out.append(s.gather(s.run(lambda: tf.reshape(number(), [1])), axis=0).numpy().tolist())
out.append(s.gather(s.run(lambda: tf.fill([int(number())], "a" if number() > 1 else "bc")), axis=0).numpy().tolist())
with s.scope():
    v = tf.Variable(float(s.cluster_resolver.task_id) + 5.0, aggregation=tf.VariableAggregation.MEAN)
    t = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ,
                    aggregation=tf.VariableAggregation.SUM)
    large = tf.Variable(np.full([40, 40], s.cluster_resolver.task_id))
out += [numbers(v), int(tf.reduce_sum(large))]
def f():
    with tf.GradientTape() as tape:
        y = context().all_reduce("SUM", v * number()) ** 2
    t.assign(number())
    return tape.gradient(y, v)
out += [numbers(s.run(f)), float(t), [float(x) for x in t.values], numbers(s.run(tf.function(f))), float(t)]
s.run(lambda: v.assign(number()))
out.append(numbers(v))
out.append(s.run(lambda: context().merge_call(lambda st, x: float(st.reduce("SUM", x, axis=None)), (number(),))))
rows = s.run(lambda: context().all_gather(tf.fill([int(number())], number()), axis=0))
out.append([x.numpy().tolist() for x in local(rows)])
try:
    with s.scope():
        plain = tf.Variable(0.0)
    s.run(lambda: plain.assign(tf.constant(float(s.cluster_resolver.task_id))))
except (ValueError, tf.errors.InvalidArgumentError) as error:
    out.append("Replicas assign different values to variable" in str(error))
""",
        each=each,
    )
    count = 2 * each
    total = count * (count + 1) / 2
    every = [float(n + 1) for n in range(count) for _ in range(n + 1)]
    texts = [b"bc", *[b"a"] * int(total - 1)]
    for k, said in enumerate((first, second)):
        own = [float(k * each + n + 1) for n in range(each)]
        # d/dv (total v)^2 summed over all, of which each has its own part of the sum
        gradients = [2 * total * 5.0 * count * n for n in own]
        assert said == [
            own, total, total / count, [float(n + 1) for n in range(count)], texts, [5.0] * each, 0,
            gradients, total, own, gradients, total, [total / count] * each, total,
            [every] * each, True,
        ]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("each", [1, 2])
def test_batches_that_are_not_divided_evenly(each):
    program = (
        BEGIN
        + """
X = np.random.default_rng(0).normal(size=(10, 3)).astype("f")
def train(compiled):
    with s.scope():
        w, optimizer = tf.Variable(tf.ones([3, 1])), tf.keras.optimizers.SGD(0.1)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x @ w - 2 * y) ** 2) / 4
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss
    run = lambda batch: s.reduce("SUM", s.run(step, args=batch), axis=None)
    run = tf.function(run) if compiled else run
    batches = tf.data.Dataset.from_tensor_slices((X, X.sum(1, keepdims=True))).batch(4)
    return [float(run(batch)) for _ in range(2) for batch in s.experimental_distribute_dataset(batches)]
def own(context):
    k = context.input_pipeline_id
    return tf.data.Dataset.range(10 * k, 10 * k + 5 + 2 * k).batch(2)
total = tf.function(lambda b: s.reduce("SUM", s.run(tf.reduce_sum, args=(b,)), axis=None))
sums = [int(total(batch)) for batch in s.distribute_datasets_from_function(own)]
out = [train(True), train(False), sum(sums)]
"""
    )
    [[one, _, _]] = found(program, 1)
    for compiled, eager, total in found(program, each=each):
        assert compiled == pytest.approx(one, rel=1e-5) and eager == pytest.approx(one, rel=1e-5)
        assert total == sum(range(5)) + sum(range(10, 17)), "also where one worker has more batches than the other"


@pytest.mark.long
def test_keras_has_the_losses_of_one_process():
    program = (
        BEGIN
        + """
import tempfile
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
path = tf.train.Checkpoint(m=m).save(tempfile.mkdtemp() + "/c")
for v in m.weights:
    v.assign(v * 0)
tf.train.Checkpoint(m=m).restore(path)
out.append(m.evaluate(x, y, batch_size=4, verbose=0)[0])
"""
    )
    [one] = found(program, 1)
    for each in [*found(program), *found(program, each=2), *found(program, 1, each=2)]:
        assert each == pytest.approx(one, rel=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("each", [1, 2])
def test_a_step_is_one_exchange_and_sends_the_batch_alone(each):
    """Weights, counters and sums of metrics were sent to the devices at each step, and each metric was read by two
    exchanges of its own."""
    program = (
        BEGIN
        + """
from collections import Counter
from tapeflow.engines.xla import devices, exchanges, meshes
count, steps, texts = Counter(), [], []
def counted(module, name):
    before = getattr(module, name)
    def call(*args, **kwargs):
        count[name] += 1
        return before(*args, **kwargs)
    setattr(module, name, call)
for module, name in ((exchanges, "_exchanged"), (meshes, "joined"), (meshes, "run")):
    counted(module, name)
compiled = devices.compiled
class Program:
    def __init__(self, run, *args):
        self.run = compiled(run, *args)
    def __call__(self, *arrays):
        return self.run(*arrays)
    def lower(self, *arrays):  # for the comparison before the first run
        lowered = self.run.lower(*arrays)
        texts.append(lowered.compile().as_text())
        return lowered
devices.compiled = Program
class Steps(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        steps.append(dict(count))
        count.clear()
with s.scope():
    layers = [tf.keras.layers.Dense(8, "relu") for _ in range(3)]
    m = tf.keras.Sequential([tf.keras.Input((8,)), *layers, tf.keras.layers.Dense(3)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    m.compile("adam", loss, metrics=["accuracy", "sparse_categorical_crossentropy"])
x = np.random.default_rng(0).normal(size=(32, 8)).astype("f")
m.fit(x, np.arange(32) % 3, batch_size=4, epochs=1, verbose=0, callbacks=[Steps()])
out = steps[2:], [text.count(" all-reduce(") for text in texts]
"""
    )
    for steps, reduced in found(program, each=each):
        assert steps == [{"joined": 2, "run": 1}] * 6, "x and y"
        assert reduced == [1], "gradients, and sums of metrics with them"
