"""Replicas that take turns: their order, what stops them, what goes in and comes out."""

import threading

import numpy as np
import pytest

import tapeflow as tf

from .cpus import context, each, four_cpus, mirrored, numbers  # noqa: F401


def replica():
    return int(context().replica_id_in_sync_group)


def test_they_go_on_in_their_order_from_meeting_to_meeting():
    said = []

    def f():
        said.append(("first", replica()))
        context().merge_call(lambda strategy: said.append("all"))
        said.append(("then", replica()))

    mirrored(3).run(f)
    assert said == [*[("first", k) for k in range(3)], "all", *[("then", k) for k in range(3)]]


def test_threads_of_replicas_find_the_callers_context():
    strategy = mirrored()
    with tf.name_scope("outer"):
        names = strategy.run(lambda: tf.Variable(1.0, name="v").name)
    assert names == "outer/v:0"
    threads = set()
    strategy.run(lambda: threads.add(threading.current_thread()))
    assert len(threads) == 2 and threading.current_thread() in threads
    assert not [t for t in threads if t is not threading.current_thread() and t.is_alive()]


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("who", [0, 1, -1])
@pytest.mark.parametrize("meets", [False, True])
def test_an_error_of_one_ends_all(count, who, meets):
    strategy, ended = mirrored(count), []

    def f():
        try:
            if replica() == who % count:
                raise ZeroDivisionError("mine")
            if meets:
                context().all_reduce("sum", tf.constant(1.0))
        finally:
            ended.append(replica())

    with pytest.raises(ZeroDivisionError, match="mine"):
        strategy.run(f)
    assert len(ended) == len(set(ended)) and (not meets or who != 0) <= len(ended)
    assert strategy.run(lambda: 1) == 1 and not tf.distribute.has_strategy()


@pytest.mark.parametrize("who", [0, 1, 2])
def test_a_meeting_to_which_not_all_come(who):
    strategy = mirrored(3)
    f = lambda: context().merge_call(lambda s: 1) if replica() == who else 1
    with pytest.raises(RuntimeError, match="different number of replica_context"):
        strategy.run(f)
    g = lambda: context().all_reduce("sum", tf.constant(1.0)) if replica() else context().merge_call(lambda s: 1)
    with pytest.raises(RuntimeError, match="waits at"):
        strategy.run(g)


def test_an_error_at_a_meeting():
    with pytest.raises(ZeroDivisionError):
        mirrored(3).run(lambda: context().merge_call(lambda strategy: 1 / 0))


def test_what_comes_out():
    strategy = mirrored()
    shared = tf.constant(1.0)
    assert strategy.run(lambda: shared) is shared
    assert strategy.run(lambda: (1, "a", None, True)) == (1, "a", None, True)
    first, second = strategy.run(lambda: [tf.constant(replica()), {"a": np.float32(replica())}])
    assert numbers(first) == [0, 1] and [float(v) for v in second["a"].values] == [0.0, 1.0]
    with pytest.raises(AssertionError, match="same structure"):
        strategy.run(lambda: (1,) * (replica() + 1))
    with pytest.raises(AssertionError, match="different keys"):
        strategy.run(lambda: {replica(): 1})


def test_a_value_for_each_is_no_tensor():
    values = each(mirrored(), 1.0, 2.0)
    with pytest.raises(ValueError, match="not inside a replica context"):
        tf.add(values, 1.0)
    with pytest.raises(ValueError, match="2 replicas was given to a strategy of 3"):
        mirrored(3).run(lambda x: x, args=(values,))
    assert str(values).startswith("PerReplica:{\n  0: tf.Tensor(1.0")
    spec = tf.type_spec_from_value(values)
    assert spec.is_compatible_with(each(mirrored(), 3.0, 4.0)) and not spec.is_compatible_with(each(mirrored(), 3, 4))


def test_reduce_and_gather():
    strategy = mirrored()
    values = each(strategy, [1.0, 2.0, 3.0], [7.0])
    assert float(strategy.reduce("MEAN", values, axis=0)) == 3.25
    assert strategy.gather({"a": values}, axis=0)["a"].numpy().tolist() == [1.0, 2.0, 3.0, 7.0]
    mean = strategy.reduce("MEAN", each(strategy, 1, 2), axis=None)
    assert mean.dtype is tf.float64 and float(mean) == 1.5
    with pytest.raises(ValueError, match="one value for all 2 replicas"):
        strategy.reduce("SUM", tf.constant(3.0), axis=None)
    with pytest.raises(ValueError, match="Invalid reduction dimension 1"):
        strategy.reduce("SUM", values, axis=1)
    with pytest.raises(ValueError, match="Give scalars an axis"):
        strategy.gather(each(strategy, 1.0, 2.0), axis=0)


def test_contexts():
    strategy, other = mirrored(), mirrored()
    with pytest.raises(RuntimeError, match="Mixing"), strategy.scope(), other.scope():
        pass
    for inside in (
        strategy.scope().__enter__,
        lambda: strategy.run(lambda: 1),
        lambda: strategy.reduce("SUM", 1, None),
    ):
        with pytest.raises(RuntimeError, match="cross-replica context"):
            strategy.run(inside)
    with strategy.scope(), pytest.raises(RuntimeError, match="Must not be called inside"):
        tf.distribute.experimental_set_strategy(None)
    tf.distribute.experimental_set_strategy(strategy)
    try:
        assert tf.distribute.get_strategy() is strategy and tf.distribute.in_cross_replica_context()
        assert type(tf.Variable(1.0)).__name__ == "MirroredVariable"
    finally:
        tf.distribute.experimental_set_strategy(None)
    assert not tf.distribute.has_strategy() and type(tf.Variable(1.0)).__name__ == "ResourceVariable"


def test_what_is_traced_in_a_scope_is_not_used_outside():
    strategy = mirrored()
    f = tf.function(lambda: tf.constant(tf.distribute.in_cross_replica_context()))
    with strategy.scope():
        inside = bool(f())
    assert inside and not bool(f())


def test_functions_are_graphs_with_all_replicas():
    strategy, traced = mirrored(), []
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)

    @tf.function
    def step(x):
        traced.append(1)
        if x > 1.5:  # by AutoGraph
            x = x * 10.0
        v.assign_add(x)
        return context().all_reduce("sum", x)

    for _ in range(2):
        found = strategy.run(step, args=(each(strategy, 1.0, 2.0),))
    assert numbers(found) == [21.0, 21.0] and len(traced) == 2  # once for each replica
    assert float(v) == 1.0 + 2 * 10.5
    total = tf.function(lambda x: strategy.reduce("SUM", strategy.run(lambda y: y * v, args=(x,)), axis=None))
    assert float(total(each(strategy, 1.0, 2.0))) == 3 * 22.0


def test_random_numbers_are_each_replicas_own():
    strategy = mirrored()

    def drawn():
        tf.random.set_seed(1)
        return numbers(strategy.run(lambda: (tf.random.normal([3]), tf.random.normal([3]))[1]))

    first, second = drawn()
    assert first != second and drawn() == [first, second]
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
    a, b = numbers(strategy.run(lambda: generator.normal([3])))
    assert a != b and numbers(strategy.run(lambda: generator.state + 0))[0] == generator.state.numpy().tolist()
    a, b = numbers(strategy.run(lambda: tf.random.stateless_normal([3], seed=[1, 2])))
    assert a == b


def test_datasets():
    strategy = mirrored(4)
    read = lambda dataset: [[v.numpy().tolist() for v in batch.values] for batch in dataset]
    assert read(strategy.experimental_distribute_dataset(tf.data.Dataset.range(10).batch(4))) == [
        [[0], [1], [2], [3]], [[4], [5], [6], [7]], [[8], [9], [], []],
    ]  # fmt: skip
    dataset = mirrored().distribute_datasets_from_function(lambda c: tf.data.Dataset.range(5).batch(2))
    assert read(dataset) == [[[0, 1], [2, 3]], [[4], []]] and len(dataset) == 2 == int(dataset.cardinality)
    iterator = iter(dataset)
    assert [bool(iterator.get_next_as_optional().has_value()) for _ in range(3)] == [True, True, False]
    with pytest.raises(ValueError, match=r"Call dataset.batch\(n\) first"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(4))
    whole = strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(8, drop_remainder=True))
    assert [spec.shape for spec in whole.element_spec._value_specs] == [(2,)] * 4


def test_checkpoints_are_not_written_by_each(tmp_path):
    strategy = mirrored()
    with strategy.scope():
        checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(RuntimeError, match="once for each of 2 replicas"):
        strategy.run(lambda: checkpoint.save(tmp_path / "c"))
    strategy.run(lambda: context().merge_call(lambda s: checkpoint.save(tmp_path / "c")))
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "c-1")
