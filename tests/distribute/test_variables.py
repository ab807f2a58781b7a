"""Variables of several replicas: one value for all, or one for each."""

import numpy as np
import pytest

import tapeflow as tf

from .cpus import context, each, four_cpus, mirrored, numbers  # noqa: F401

A, S = tf.VariableAggregation, tf.VariableSynchronization


def values(variable):
    return [v.numpy().tolist() for v in variable.values]


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize(
    "aggregation,assigned,added,rows",
    [(A.SUM, 3.0, 4.0, 31.0), (A.MEAN, 1.5, 2.5, 16.0), (A.ONLY_FIRST_REPLICA, 1.0, 2.0, 11.0)],
)
def test_aggregation(aggregation, assigned, added, rows, graph):
    strategy = mirrored()
    with strategy.scope():
        a, b = [tf.Variable(1.0, aggregation=aggregation) for _ in range(2)]
        c = tf.Variable([1.0, 1.0], aggregation=aggregation)

    def f(x):
        a.assign(x)
        before = b + 0.0
        b.assign_add(x)
        c.scatter_add(tf.IndexedSlices([10.0 * x], [0]))
        return before

    run = lambda x: strategy.run(f, args=(x,))
    before = (tf.function(run) if graph else run)(each(strategy, 1.0, 2.0))
    assert numbers(before) == [1.0, 1.0]  # nobody sees an update that others have yet to make
    assert values(a) == [assigned] * 2 and values(b) == [added] * 2 and values(c) == [[rows, 1.0]] * 2


@pytest.mark.parametrize("graph", [False, True])
def test_without_aggregation_values_must_agree(graph):
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(1.0)
    run = lambda f, *args: (tf.function(strategy.run) if graph else strategy.run)(f, args=args)
    run(lambda: v.assign_add(1.0))
    run(lambda x: v.assign(context().all_reduce("sum", x) * v), each(strategy, 1.0, 2.0))
    assert values(v) == [6.0, 6.0]
    with pytest.raises(ValueError, match="SUM or ONLY_FIRST_REPLICA"):
        run(lambda x: v.assign(x), each(strategy, 1.0, 2.0))
    with pytest.raises(ValueError, match="SUM or ONLY_FIRST_REPLICA"):
        run(lambda: v.assign(tf.cast(context().replica_id_in_sync_group, tf.float32)))
    assert values(v) == [6.0, 6.0]


def test_there_is_one_value():
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], name="w")
    assert isinstance(v, tf.distribute.DistributedValues) and v.distribute_strategy is strategy
    assert [c.name for c in v.values] == ["w:0", "w/replica_1:0"]
    assert [c.device[-5:] for c in v.values] == ["CPU:0", "CPU:1"]
    assert repr(v).startswith("MirroredVariable:{\n  0: <tf.Variable 'w:0'")
    v[0].assign(9.0)
    v.values[1].assign_add([1.0, 1.0])
    assert values(v) == [[10.0, 3.0]] * 2
    assert strategy.extended.value_container(v.values[1]) is v
    with pytest.raises(ValueError, match="different values"):
        v.assign(each(strategy, [1.0, 1.0], [2.0, 2.0]))
    with pytest.raises(ValueError, match="another value"):
        strategy.extended.update(v, lambda x, y: x.assign_add(y), args=(each(strategy, 1.0, 2.0),))
    with tf.GradientTape() as tape, strategy.scope():
        y = tf.reduce_sum(v * v)
    assert tape.gradient(y, v).numpy().tolist() == [20.0, 6.0]
    assert v.assign(v + 0.0).assign_add([1.0, 1.0]).numpy().tolist() == [11.0, 4.0]


def test_a_number_in_the_program_has_no_sum():
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=A.SUM)
    with pytest.raises(ValueError, match=r"tf.constant\(1.0\)"):
        strategy.run(lambda: v.assign_add(1.0))
    strategy.run(lambda: v.assign_add(tf.constant(1.0)))
    assert float(v) == 3.0


def test_a_mean_of_equal_values_is_not_rounded():
    strategy = mirrored(3)
    with strategy.scope():
        v = tf.Variable(0.0, aggregation=A.MEAN)
    number = np.nextafter(np.float32(0.1), np.float32(1))
    strategy.run(lambda: v.assign(tf.constant(number)))
    assert v.numpy() == number


def test_variables_made_in_replicas():
    strategy, kept = mirrored(), []

    def f():
        if not kept:
            kept.append(tf.Variable(tf.random.normal([2])))
        return tf.Variable(lambda: tf.random.normal([2]))

    made = strategy.run(f)
    assert len(kept) == 1 and {type(made).__name__, type(kept[0]).__name__} == {"MirroredVariable"}
    plain = tf.Variable(1.0)
    strategy.run(lambda: plain.assign_add(1.0))
    assert float(plain) == 3.0  # of no strategy: each replica changes it, one after the other


@pytest.mark.parametrize(
    "aggregation,across,after",
    [(A.SUM, 3.0, [5.0, 5.0]), (A.MEAN, 1.5, [10.0, 10.0]), (A.ONLY_FIRST_REPLICA, 1.0, [10.0, 10.0])],
)
@pytest.mark.parametrize("graph", [False, True])
def test_a_value_for_each(aggregation, across, after, graph):
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=aggregation)
    assert not v.trainable and type(v).__name__ == "SyncOnReadVariable"

    def f(x):
        v.assign_add(x)
        return v + 0.0

    run = lambda x: strategy.run(f, args=(x,))
    assert numbers((tf.function(run) if graph else run)(each(strategy, 1.0, 2.0))) == [1.0, 2.0]
    assert values(v) == [1.0, 2.0] and float(v) == across == float(tf.function(lambda: v + 0.0)())
    with strategy.scope():
        v.assign(10.0)
    assert values(v) == after and float(v) == 10.0


def test_sums_are_split_and_kept():
    strategy = mirrored(3)
    with strategy.scope():
        v = tf.Variable(7, synchronization=S.ON_READ, aggregation=A.SUM)
        assert int(v) == 7  # the initial value counts once
        v.assign(11)
        assert int(v) == 11
        with pytest.raises(ValueError, match="sum over replicas"):
            v.assign_add(1)
        none = tf.Variable(0.0, synchronization=S.ON_READ)
        with pytest.raises(ValueError, match="Could not convert"):
            none.numpy()
        with pytest.raises(ValueError, match="not supported with"):
            tf.Variable(1.0, synchronization=S.NONE)
    with pytest.raises(ValueError, match="Invalid variable aggregation mode: sum"):
        tf.Variable(1.0, aggregation="sum")


@pytest.mark.parametrize("there,here", [(2, 4), (4, 1), (1, 2)])
def test_checkpoints_move_between_numbers_of_replicas(there, here, tmp_path):
    def made(count):
        with mirrored(count).scope():
            summed = tf.Variable(0.0, synchronization=S.ON_READ, aggregation=A.SUM)
            return tf.train.Checkpoint(v=tf.Variable([0.0, 0.0]), s=summed)

    before, after, late = made(there), made(here), tf.train.Checkpoint()
    before.v.assign([1.0, 2.0])
    before.s.assign(8.0)
    path = before.save(tmp_path / "c")
    after.restore(path).assert_consumed()
    assert values(after.v) == [[1.0, 2.0]] * here and float(after.s) == 8.0 and values(after.s) == [8.0 / here] * here
    late.restore(path)
    with mirrored(here).scope():  # restored before it is made
        late.v = tf.Variable([0.0, 0.0])
    assert values(late.v) == [[1.0, 2.0]] * here and type(late.v).__name__ == "MirroredVariable"
