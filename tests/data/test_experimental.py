"""tf.data.experimental, grain's datasets as sources, and datasets inside tf.function."""

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset
ex = tf.data.experimental


def values(ds):
    return [v.tolist() if hasattr(v, "tolist") else v for v in ds.as_numpy_iterator()]


def test_older_names():
    assert int(ex.cardinality(DS.range(4))) == 4 and ex.AUTOTUNE == tf.data.AUTOTUNE == -1
    assert values(DS.range(4).apply(ex.take_while(lambda x: x < 2))) == [0, 1]
    assert values(DS.range(2).apply(ex.enumerate_dataset(5))) == [(5, 0), (6, 1)]
    assert sorted(values(DS.range(3).apply(ex.shuffle_and_repeat(3, 2)))) == [0, 0, 1, 1, 2, 2]
    assert values(ex.Counter(start=3).take(2)) == [3, 4]
    assert values(ex.from_list([(1, "a"), (2, "b")])) == [(1, b"a"), (2, b"b")]
    assert int(ex.at(DS.range(10, 20), 3)) == 13 == int(ex.at(DS.range(10, 20).map(lambda x: x), 3))
    with pytest.raises(tf.errors.OutOfRangeError):
        ex.at(DS.range(5), 7)
    with pytest.raises(TypeError):
        ex.get_structure(3)
    with pytest.raises(TypeError, match="prdicate"):
        ex.take_while(prdicate=lambda x: x < 2)


def test_cardinality_can_be_asserted():
    some = DS.range(5).filter(lambda x: x < 3)
    assert len(some.apply(ex.assert_cardinality(3))) == 3 and len(list(some.apply(ex.assert_cardinality(3)))) == 3
    with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain 4 elements but contained only 3"):
        list(some.apply(ex.assert_cardinality(4)))
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="expected to contain 2 elements but contained at least 3"
    ):
        list(some.apply(ex.assert_cardinality(2)))


def test_grain():
    grain = pytest.importorskip("grain")
    source = grain.MapDataset.range(10).map(lambda i: {"x": np.full(2, i, np.float32), "y": i})
    ds = ex.from_grain(source)
    assert len(ds) == 10 and ds.element_spec["x"] == tf.TensorSpec([2], tf.float32)
    read = []
    watched = ex.from_grain(source.map(lambda e: read.append(int(e["y"])) or e)).shuffle(10, seed=3)
    first = next(iter(watched.batch(3)))
    assert len(read) == 3 and first["y"].numpy().tolist() == read  # the shuffle's buffer held numbers, not elements
    assert values(ex.from_grain(source.to_iter_dataset()).map(lambda e: e["y"])) == list(range(10))
    endless = ex.from_grain(grain.MapDataset.range(2).repeat())
    assert int(endless.cardinality()) == -1 and values(endless.take(3)) == [0, 1, 0]
    assert values(ex.from_grain(grain.MapDataset.range(4)).window(2).flat_map(lambda w: w.batch(2))) == [
        [0, 1],
        [2, 3],
    ]
    with pytest.raises(TypeError, match="from_grain takes"):
        ex.from_grain(3)


# ---- in functions: read anew in every call, as TensorFlow's graph does


def test_loops_in_functions():
    ds = DS.range(5)

    @tf.function
    def total(data):
        s = tf.constant(0, tf.int64)
        for x in data:
            if x > 3:
                break
            s += x
        return s

    assert [int(total(ds)) for _ in range(3)] == [6, 6, 6] and int(total(DS.range(3))) == 3


def test_iterators_move_on_in_functions():
    step = tf.function(lambda it: next(it) * 2)
    it = iter(DS.range(3))
    assert [int(step(it)) for _ in range(2)] == [0, 2]
    assert int(tf.function(lambda it: it.get_next())(it)) == 2
    with pytest.raises(tf.errors.OutOfRangeError):
        it.get_next()


def test_datasets_of_what_functions_compute():
    @tf.function
    def rows(x):
        s = tf.zeros([])
        for row in DS.from_tensor_slices(2.0 * x):
            s += tf.reduce_sum(row)
        return s

    assert float(rows(tf.ones([3, 2]))) == 12.0 and float(rows(tf.ones([1, 2]))) == 4.0
    scaled = tf.function(
        lambda x: DS.range(4).map(lambda i: tf.cast(i, tf.float32) * x).reduce(0.0, lambda a, b: a + b)
    )
    assert float(scaled(tf.constant(2.0))) == 12.0 and float(scaled(tf.constant(3.0))) == 18.0


def test_training_in_a_function():
    v = tf.Variable(1.0)
    ds = DS.from_tensor_slices((np.ones(8, "f4"), np.full(8, 2, "f4"))).batch(4)

    @tf.function
    def train():
        loss = tf.constant(0.0)
        for x, y in ds:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((v * x - y) ** 2)
            v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    assert [round(float(train()), 4) for _ in range(2)] == [0.64, 0.2621] and round(float(v), 4) == 1.5904
