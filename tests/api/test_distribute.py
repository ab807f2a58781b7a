"""tf.distribute on one replica."""

import pytest

import tapeflow as tf


def test_default_strategy():
    strategy = tf.distribute.get_strategy()
    assert strategy.num_replicas_in_sync == 1 and not tf.distribute.has_strategy()
    assert tf.distribute.get_replica_context().strategy is strategy


def test_a_training_step():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        assert tf.distribute.get_strategy() is strategy and tf.distribute.has_strategy()
        assert tf.distribute.in_cross_replica_context() and tf.distribute.get_replica_context() is None
        v = tf.Variable(3.0)

    def step(x):
        context = tf.distribute.get_replica_context()
        assert context.replica_id_in_sync_group == 0 and not tf.distribute.in_cross_replica_context()
        with tf.GradientTape() as tape:
            y = v * x
        return context.all_reduce("sum", tape.gradient(y, v))

    for batch in strategy.experimental_distribute_dataset(tf.data.Dataset.range(1, 3).map(lambda x: tf.cast(x, tf.float32))):
        assert float(strategy.run(step, args=(batch,))) == float(batch)
    assert not tf.distribute.has_strategy()


def test_reduce():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    losses = tf.constant([1.0, 3.0])
    assert strategy.reduce("SUM", losses, axis=None).numpy().tolist() == [1.0, 3.0]
    assert float(strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=0)) == 4.0
    assert float(strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=0)) == 2.0
    assert strategy.experimental_local_results(losses)[0] is losses
    with pytest.raises(ValueError, match="SUM or MEAN"):
        strategy.reduce("MAX", losses)


def test_datasets_from_functions_and_merging():
    strategy = tf.distribute.MirroredStrategy()
    ds = strategy.distribute_datasets_from_function(lambda context: tf.data.Dataset.range(context.get_per_replica_batch_size(2)))
    assert len(ds) == 2
    merged = strategy.run(lambda: tf.distribute.get_replica_context().merge_call(lambda s, x: (s, x), args=(1,)))
    assert merged == (strategy, 1)


def test_refusals():
    with pytest.raises(ValueError, match="one device"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/gpu:0"])
    with pytest.raises(ValueError, match="list or tuple"):
        tf.distribute.get_strategy().run(lambda x: x, args=3)
