"""tf.distribute on one replica, as TensorFlow behaves with one CPU."""

import contextlib
import json
import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def test_default_strategy():
    strategy = tf.distribute.get_strategy()
    assert strategy.num_replicas_in_sync == 1 and not tf.distribute.has_strategy()
    context = tf.distribute.get_replica_context()
    assert context.strategy is strategy and context.devices == ("",) and context.replica_id_in_sync_group == 0


def test_a_training_step():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope() as entered:
        assert entered is strategy
        assert tf.distribute.get_strategy() is strategy and tf.distribute.has_strategy()
        assert tf.distribute.in_cross_replica_context() and tf.distribute.get_replica_context() is None
        v = tf.Variable(3.0)

    def step(x):
        context = tf.distribute.get_replica_context()
        assert context.replica_id_in_sync_group.dtype is tf.int32 and context.replica_id_in_sync_group == 0
        assert context.devices == (DEVICE,) and not tf.distribute.in_cross_replica_context()
        with tf.GradientTape() as tape:
            y = v * x
        return context.all_reduce("sum", tape.gradient(y, v))

    for batch in strategy.experimental_distribute_dataset(
        tf.data.Dataset.range(1, 3).map(lambda x: tf.cast(x, tf.float32))
    ):
        assert float(strategy.run(step, args=(batch,))) == float(batch)
    assert not tf.distribute.has_strategy()


class Trainer:
    """The step of a program: `if` on a tensor, in a method that is handed to `strategy.run` inside a tf.function."""

    def __init__(self, strategy):
        self.strategy, self.total = strategy, tf.Variable(0.0)

    def step(self, x):
        if tf.reduce_sum(x) > 2.0:
            self.total.assign_add(tf.reduce_sum(x))
        return tf.reduce_sum(x)

    @tf.function
    def epoch(self, dataset):
        losses = 0.0
        for x in dataset:
            per_replica = self.strategy.run(self.step, args=(tf.cast(x, tf.float32),))
            losses += self.strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)
        return losses

    @tf.function
    def one(self, iterator):
        return self.strategy.run(self.step, args=(tf.cast(next(iterator), tf.float32),))


def test_inside_a_function():
    strategy = tf.distribute.MirroredStrategy()
    trainer = Trainer(strategy)
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    assert float(trainer.epoch(batches)) == 6.0
    assert float(trainer.total) == 5.0
    iterator = iter(batches)
    assert [float(trainer.one(iterator)) for _ in range(2)] == [1.0, 5.0]


def test_reduce():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    losses = tf.constant([1.0, 3.0])
    assert strategy.reduce("SUM", losses, axis=None).numpy().tolist() == [1.0, 3.0]
    assert float(strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=0)) == 4.0
    assert float(strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=0)) == 2.0
    assert isinstance(strategy.reduce("sum", 3.0, axis=None), tf.Tensor)
    assert isinstance(strategy.reduce("sum", tf.Variable(3.0), axis=None), tf.Tensor)
    assert strategy.experimental_local_results(losses)[0] is losses and strategy.unwrap(losses)[0] is losses
    assert strategy.gather(losses, axis=0).numpy().tolist() == [1.0, 3.0]
    for wrong in ("MAX", None):
        with pytest.raises(ValueError, match="is not a valid ReduceOp"):
            strategy.reduce(wrong, losses, axis=None)
    assert tf.distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.MEAN) is tf.distribute.ReduceOp.MEAN


def test_datasets():
    strategy = tf.distribute.MirroredStrategy()
    made = strategy.distribute_datasets_from_function(
        lambda c: tf.data.Dataset.range(c.get_per_replica_batch_size(3)).batch(2)
    )
    assert isinstance(made, tf.distribute.DistributedDataset) and made.cardinality == 2
    assert [batch.numpy().tolist() for batch in made] == [[0, 1], [2]]
    iterator = iter(made)
    assert isinstance(iterator, tf.distribute.DistributedIterator)
    assert iterator.get_next().numpy().tolist() == [0, 1] and next(iterator).numpy().tolist() == [2]
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(ValueError, match="6 is not divisible by `num_replicas_in_sync` 4"):
        tf.distribute.InputContext(1, 0, 4).get_per_replica_batch_size(6)


def test_values_of_replicas():
    strategy = tf.distribute.MirroredStrategy()
    values = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([c.replica_id_in_sync_group + 1.0])
    )
    assert values.numpy().tolist() == [1.0]  # of one replica: the value
    assert strategy.run(lambda x: x * 2, args=(values,)).numpy().tolist() == [2.0]
    assert strategy.experimental_local_results(values)[0].numpy().tolist() == [1.0]
    assert strategy.reduce("SUM", values, axis=0).numpy() == 1.0


def test_merging_and_extended():
    strategy = tf.distribute.MirroredStrategy()
    merged = strategy.run(lambda: tf.distribute.get_replica_context().merge_call(lambda s, x: (s, x), args=(1,)))
    assert merged == (strategy, 1)
    assert strategy.extended.worker_devices == strategy.extended.parameter_devices == (DEVICE,)
    v = tf.Variable(3.0)
    assert float(strategy.extended.update(v, lambda var, g: var.assign_sub(g), args=(tf.constant(1.0),))) == 2.0
    with strategy.extended.colocate_vars_with(v):
        pass
    assert not strategy.extended.variable_created_in_scope(v)
    with strategy.scope():
        assert strategy.extended.variable_created_in_scope(tf.Variable(1.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d.MirroredStrategy(),
        lambda d: d.MirroredStrategy([]),
        lambda d: d.MirroredStrategy(cross_device_ops=d.NcclAllReduce()),
        lambda d: d.MirroredStrategy(cross_device_ops=d.HierarchicalCopyAllReduce(num_packs=2)),
        lambda d: d.MirroredStrategy(cross_device_ops=d.ReductionToOneDevice()),
        lambda d: d.MultiWorkerMirroredStrategy(),
        lambda d: d.experimental.MultiWorkerMirroredStrategy(d.experimental.CollectiveCommunication.NCCL),
        lambda d: d.experimental.CentralStorageStrategy(),
    ],
)
def test_every_strategy_has_one_replica(make):
    strategy = make(tf.distribute)
    with strategy.scope():
        v = tf.Variable(2.0)
    assert strategy.num_replicas_in_sync == 1 and float(strategy.run(lambda: v * v)) == 4.0


def test_a_keras_model_in_the_scope():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.1)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(tf.reduce_sum((model(x) - y) ** 2, 1), global_batch_size=4)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss + tf.nn.scale_regularization_loss(0.0)

    x = np.ones((4, 2), "float32")
    losses = [float(strategy.run(step, args=(x, 3 * x[:, :1]))) for _ in range(20)]
    assert losses[-1] < 1e-2 < losses[0]


def test_fit_takes_a_distributed_dataset():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    x = np.ones((8, 2), "float32")
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(4))
    assert len(model.fit(batches, epochs=2, verbose=0).history["loss"]) == 2


def test_a_machine_without_a_tpu():
    """What notebooks catch, to go on without."""
    for call in (
        tf.distribute.cluster_resolver.TPUClusterResolver,
        tf.distribute.cluster_resolver.TPUClusterResolver.connect,
        tf.distribute.TPUStrategy,
        tf.distribute.experimental.TPUStrategy,
        tf.tpu.experimental.initialize_tpu_system,
    ):
        with pytest.raises(ValueError, match="Please provide a TPU Name to connect to"):
            call()
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="local")
    with pytest.raises(tf.errors.NotFoundError, match="no TPU"):
        tf.tpu.experimental.initialize_tpu_system(resolver)
    with pytest.raises(ValueError, match="'mine'"):
        tf.distribute.cluster_resolver.TPUClusterResolver(tpu="mine")


def test_clusters(monkeypatch):
    resolvers = tf.distribute.cluster_resolver
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:3"}})
    assert (
        spec.num_tasks("worker") == 2
        and spec.task_address("ps", 3) == "c:3"
        and spec.job_tasks("worker") == ["a:1", "b:2"]
    )
    assert repr(tf.train.ClusterSpec({"worker": ["a:1"]})) == "ClusterSpec({'worker': ['a:1']})"
    with pytest.raises(ValueError, match="No such job"):
        spec.num_tasks("chief")
    assert resolvers.SimpleClusterResolver(spec, rpc_layer="grpc").master("worker", 1) == "grpc://b:2"
    monkeypatch.setenv(
        "TF_CONFIG", json.dumps({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})
    )
    found = resolvers.TFConfigClusterResolver()
    assert (found.task_type, found.task_id) == ("worker", 1)


def test_refusals():
    with pytest.raises(ValueError, match="There is no device '/gpu:17'"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/gpu:17"])
    with pytest.raises(ValueError, match="list or tuple"):
        tf.distribute.get_strategy().run(lambda x: x, args=3)
    with pytest.raises(ValueError, match="num_packs >= 0"):
        tf.distribute.NcclAllReduce(num_packs=-1)
    with pytest.raises(tf.errors.UnimplementedError, match="parameter servers"):
        tf.distribute.ParameterServerStrategy(None)


def test_slurm(monkeypatch):
    resolvers = tf.distribute.cluster_resolver
    with pytest.raises(RuntimeError, match="no step of Slurm"):
        resolvers.SlurmClusterResolver()
    for name, value in {
        "PROCID": "3", "STEP_NODELIST": "n[08-09],m1", "STEP_TASKS_PER_NODE": "1(x2),2"
    }.items():  # fmt: skip
        monkeypatch.setenv(f"SLURM_{name}", value)
    found = resolvers.SlurmClusterResolver({"chief": 1, "worker": 3}, port_base=7)
    assert found.cluster_spec().as_dict() == {"chief": ["n08:7"], "worker": ["n09:7", "m1:7", "m1:8"]}
    assert found.get_task_info() == ("worker", 2)
    assert resolvers.SlurmClusterResolver(tasks_per_node=[2, 1, 1]).cluster_spec().num_tasks("worker") == 4
    with pytest.raises(RuntimeError, match="Requested 3 tasks"):
        resolvers.SlurmClusterResolver({"worker": 3})


def test_clusters_together():
    resolvers = tf.distribute.cluster_resolver
    one = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["a:1"]}), task_type="worker", task_id=0)
    other = resolvers.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["b:1"], "ps": ["p:1"]}))
    both = resolvers.UnionResolver(one, other)
    assert both.cluster_spec().as_dict() == {"worker": ["a:1", "b:1"], "ps": ["p:1"]} and both.task_type == "worker"
    with pytest.raises(TypeError, match="cluster_spec must be a"):
        resolvers.SimpleClusterResolver({"worker": ["a:1"]})


def test_a_scope_of_ones_own():
    """Where a strategy of the program's own does more in its scope, `run` does, too."""

    class Local(tf.distribute.MirroredStrategy):
        def scope(self):
            stack = contextlib.ExitStack()
            stack.enter_context(super().scope())
            stack.enter_context(tf.variable_creator_scope(self.local))
            return stack

        @staticmethod
        def local(make, **named):
            named.update(trainable=True, synchronization=tf.VariableSynchronization.ON_READ)
            return make(**named)

    strategy, made = Local(["/cpu:0"]), []

    def create():
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * 1.0

    assert float(strategy.run(create)) == 2.0
    [v] = made
    assert type(v).__name__ == "SyncOnReadVariable" and v.trainable
    assert v._values == v.values and v._primary is v.values[0]


ALONE = """
import json, os, sys
import tapeflow as tf

D = tf.distribute
os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": ["h:1"]}, "task": {"type": "worker", "index": 0}})
alone = D.MultiWorkerMirroredStrategy()
del os.environ["TF_CONFIG"]
strategies = [D.MultiWorkerMirroredStrategy(), D.OneDeviceStrategy("CPU:0"), D.MirroredStrategy(["CPU:0"]), alone]
for strategy in [D.get_strategy(), *strategies]:
    with strategy.scope():
        v = tf.Variable(3.0)
    def step(x):
        with tf.GradientTape() as tape:
            y = v * x
        v.assign_sub(D.get_replica_context().all_reduce("SUM", tape.gradient(y, v)))
        return y
    train = tf.function(lambda x: strategy.reduce("SUM", strategy.run(step, args=(x,)), axis=None))
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    print([float(train(tf.cast(x[1], tf.float32))) for x in batches], train.graph.nodes[-1].prim.name)
    assert strategy.num_replicas_in_sync == 1
assert "jax" not in sys.modules and not any(name.startswith("tapeflow.engines.xla") for name in sys.modules)
"""


def test_one_replica_takes_the_path_without_a_strategy():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(set(done.stdout.splitlines())) == 1, f"the same numbers, and the same operations: {done.stdout}"
