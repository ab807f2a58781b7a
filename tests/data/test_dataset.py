"""tf.data.Dataset: what each method gives, how long it is, and that gradients end there."""

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset


def values(ds):
    return [v.tolist() if hasattr(v, "tolist") else v for v in ds.as_numpy_iterator()]


@pytest.mark.parametrize(
    ("ds", "want", "count"),
    [
        (lambda: DS.range(3), [0, 1, 2], 3),
        (lambda: DS.range(2, 9, 3), [2, 5, 8], 3),
        (lambda: DS.from_tensors([1, 2]), [[1, 2]], 1),
        (lambda: DS.from_tensor_slices([[1, 2], [3, 4]]), [[1, 2], [3, 4]], 2),
        (lambda: DS.range(5).batch(2), [[0, 1], [2, 3], [4]], 3),
        (lambda: DS.range(5).batch(2, drop_remainder=True), [[0, 1], [2, 3]], 2),
        (lambda: DS.range(3).map(lambda x: x * x), [0, 1, 4], 3),
        (lambda: DS.range(6).filter(lambda x: x % 2 == 0), [0, 2, 4], -2),
        (lambda: DS.range(2).repeat(2), [0, 1, 0, 1], 4),
        (lambda: DS.range(2).repeat().take(5), [0, 1, 0, 1, 0], 5),
        (lambda: DS.range(5).skip(3), [3, 4], 2),
        (lambda: DS.range(5).take(-1), [0, 1, 2, 3, 4], 5),
        (lambda: DS.range(2).concatenate(DS.range(1)), [0, 1, 0], 3),
        (lambda: DS.range(4).batch(2).unbatch(), [0, 1, 2, 3], -2),
        (lambda: DS.range(3).flat_map(lambda x: DS.range(int(x))), [0, 0, 1], -2),
        (lambda: DS.range(3).cache().prefetch(tf.data.AUTOTUNE), [0, 1, 2], 3),
        (lambda: DS.range(4).apply(lambda ds: ds.take(1)), [0], 1),
    ],
)
def test_elements(ds, want, count):
    ds = ds()
    assert values(ds) == want == values(ds)  # every iteration begins anew
    assert int(ds.cardinality()) == count


def test_structures():
    ds = DS.from_tensor_slices(({"x": [1, 2]}, [10, 20])).map(lambda d, y: (d["x"] + y, [y, y]))
    assert [(int(a), b.numpy().tolist()) for a, b in ds] == [(11, [10, 10]), (22, [20, 20])]
    (first, second), *_ = DS.zip((DS.range(2), DS.range(5, 9))).batch(2)
    assert first.numpy().tolist() == [0, 1] and second.numpy().tolist() == [5, 6]
    assert [(int(i), int(x)) for i, x in DS.range(5, 7).enumerate(start=3)] == [(3, 5), (4, 6)]


def test_generators():
    spec = (tf.TensorSpec([], tf.int32), {"y": tf.TensorSpec([None], tf.float32)})
    ds = DS.from_generator(lambda n: ((i, {"y": [i] * i}) for i in range(n)), output_signature=spec, args=(3,))
    assert [(int(i), d["y"].dtype, d["y"].shape[0]) for i, d in ds] == [(i, tf.float32, i) for i in range(3)]
    assert values(DS.from_generator(lambda: [1, 2], tf.int64)) == [1, 2]


def test_shuffle_follows_the_global_seed():
    # the order used to differ from run to run, whatever tf.random.set_seed said
    def order():
        tf.random.set_seed(7)
        return values(DS.range(50).shuffle(50)), values(DS.range(50).shuffle(50))

    first, second = order()
    assert order() == (first, second) and first != second
    tf.random.set_seed(None)


def test_shuffle():
    ds = DS.range(50).shuffle(50, seed=1)
    first, second = values(ds), values(ds)
    assert sorted(first) == list(range(50)) == sorted(second) and first != second and first != sorted(first)
    assert values(DS.range(50).shuffle(50, seed=1)) == first
    fixed = DS.range(50).shuffle(50, seed=1, reshuffle_each_iteration=False)
    assert values(fixed) == values(fixed)
    near = values(DS.range(50).shuffle(3, seed=2))
    assert sorted(near) == list(range(50)) and all(x <= i + 2 for i, x in enumerate(near))


def test_cache_makes_elements_once():
    calls = []
    ds = DS.range(3).map(lambda x: calls.append(int(x)) or x).cache()
    assert values(ds) == values(ds) and calls == [0, 1, 2]


@pytest.mark.parametrize("initial", [[0.9, 0.1], None])
def test_classes_as_often_as_asked(initial):
    labels = (np.arange(2000) % 10 == 0).astype("int32")
    ds = DS.from_tensor_slices((np.arange(2000), labels))
    sampled = ds.rejection_resample(lambda x, label: label, target_dist=[0.5, 0.5], initial_dist=initial, seed=1)
    assert sampled.element_spec == (tf.TensorSpec([], tf.int32), ds.element_spec)
    found = [(int(label), int(x), int(own)) for label, (x, own) in sampled]
    assert all(label == own == labels[x] for label, x, own in found)
    assert 0.4 < np.mean([label for label, _, _ in found]) < 0.6 and 300 < len(found) < 500
    assert values(sampled.map(lambda label, element: element[0])) != [
        x for _, x, _ in found
    ]  # drawn anew in every round
    with pytest.raises(tf.errors.InvalidArgumentError, match="class 5"):
        list(DS.from_tensors(5).rejection_resample(lambda x: x, [0.5, 0.5]))
    with pytest.raises(ValueError, match="initial_dist"):
        ds.rejection_resample(lambda x, label: label, [0.5, 0.5], [1.0])


def test_iterators_have_a_method_next():
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    for made in (iter, DS.as_numpy_iterator, lambda ds: iter(strategy.experimental_distribute_dataset(ds))):
        it = made(DS.range(2))
        assert [int(it.next()), int(it.next())] == [0, 1]
        with pytest.raises(StopIteration):
            it.next()


def test_reading():
    assert int(DS.range(5).reduce(np.int64(0), lambda total, x: total + x)) == 10
    assert int(DS.from_tensors(7).get_single_element()) == 7
    with pytest.raises(tf.errors.InvalidArgumentError):
        DS.range(2).get_single_element()
    it = iter(DS.range(1))
    it.get_next()
    with pytest.raises(tf.errors.OutOfRangeError):
        it.get_next()
    assert len(DS.range(4)) == 4
    for endless in (DS.range(1).repeat(), DS.range(3).filter(lambda x: True)):
        with pytest.raises(TypeError):
            len(endless)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: DS.from_tensor_slices(1.0), ValueError),
        (lambda: DS.from_tensor_slices(([1, 2], [1, 2, 3])), ValueError),
        (lambda: DS.range(3).batch(0), tf.errors.InvalidArgumentError),
        (lambda: DS.range(3).shuffle(0), tf.errors.InvalidArgumentError),
        (lambda: DS.from_generator(3), TypeError),
        (lambda: DS.zip(1, 2), TypeError),
    ],
)
def test_errors(make, error):
    with pytest.raises(error):
        make()


def test_gradients_end():
    x, v = tf.constant(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = next(iter(DS.from_tensors(x * x))) * 3.0
        z = next(iter(DS.range(1).map(lambda _: v * v)))
    assert tape.gradient(y, x) is None and tape.gradient(z, v) is None


def test_repeating_nothing_ends():
    assert values(DS.range(0).repeat()) == []


@pytest.mark.parametrize(
    ("ds", "count"),  # as TensorFlow says, of DS.range(7); -1 never ends, -2 is not known
    [
        (lambda d: d.batch(2, drop_remainder=True).unbatch(), 6),
        (lambda d: d.window(2), 4),
        (lambda d: d.window(3, 1, 1, True), 5),
        (lambda d: d.interleave(lambda x: DS.range(2)), -2),
        (lambda d: d.shard(3, 1), 2),
        (lambda d: d.enumerate(), 7),
        (lambda d: d.padded_batch(3), 3),
        (lambda d: d.scan(np.int64(0), lambda s, x: (s + x, s)), 7),
        (lambda d: d.take_while(lambda x: x < 3), -2),
        (lambda d: d.unique(), -2),
        (lambda d: DS.choose_from_datasets([d, d], DS.range(2)), -2),
        (lambda d: DS.sample_from_datasets([d, d]), -2),
        (lambda d: DS.random(), -1),
        (lambda d: DS.zip(d, d.repeat()), 7),
        (lambda d: d.concatenate(d.repeat()), -1),
        (lambda d: d.batch(2).rebatch(3), -2),
        (lambda d: d.ignore_errors(), -2),
        (lambda d: d.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 2), -2),
        (lambda d: DS.from_generator(lambda: [1], tf.int32), -2),
        (lambda d: d.repeat().skip(3), -1),
        (lambda d: d.repeat().repeat(0), 0),
        (lambda d: d.filter(lambda x: True).repeat(), -1),
        (lambda d: d.filter(lambda x: True).repeat(0), 0),
        (lambda d: d.filter(lambda x: True).take(0), -2),
        (lambda d: d.skip(-1), 0),
    ],
)
def test_cardinality(ds, count):
    assert int(ds(DS.range(7)).cardinality()) == count


@pytest.mark.parametrize(
    ("ds", "message"),
    [
        (lambda d: d.batch(-1), "Batch size must be greater than zero"),
        (lambda d: d.shuffle(-1), "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"),
        (lambda d: d.prefetch(-2), "buffer_size must be >= 0"),
        (lambda d: d.shard(2, 2), r"Index must be between 0 and 1 \(currently index = 2\)"),
        (lambda d: d.shard(0, 0), "Number of shards must be greater than zero"),
        (lambda d: d.interleave(DS.from_tensors, cycle_length=0), "cycle_length must be greater than zero"),
        (lambda d: d.interleave(DS.from_tensors, block_length=0), "block_length must be greater than zero"),
        (lambda d: d.map(lambda x: x, num_parallel_calls=0), "num_parallel_calls must be greater than zero"),
    ],
)
def test_wrong_arguments(ds, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        ds(DS.range(4))


def test_interleave():
    # the order is TensorFlow's
    repeated = lambda x: DS.from_tensors(x).repeat(6)
    wanted = [1] * 4 + [2] * 4 + [1] * 2 + [2] * 2 + [3] * 4 + [4] * 4 + [3] * 2 + [4] * 2 + [5] * 6
    assert values(DS.range(1, 6).interleave(repeated, cycle_length=2, block_length=4)) == wanted
    uneven = DS.from_tensor_slices([1, 3, 0, 2]).interleave(
        lambda n: DS.from_tensors(n).repeat(tf.cast(n, tf.int64)), 2
    )
    assert values(uneven) == [1, 3, 3, 3, 2, 2]


def test_scan_and_unique_and_errors():
    assert values(DS.range(4).scan(np.int64(10), lambda s, x: (s + x, (s, x)))) == [(10, 0), (10, 1), (11, 2), (13, 3)]
    assert values(DS.from_tensor_slices(["a", "b", "a"]).unique()) == [b"a", b"b"]
    bad = DS.from_tensor_slices([1.0, 0.0, 4.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "bad"))
    assert values(bad.ignore_errors()) == [1.0, 0.25]
    state = DS.range(3).reduce(
        {"n": 0, "s": 0.0}, lambda s, x: {"n": s["n"] + 1, "s": s["s"] + tf.cast(x, tf.float32)}
    )
    assert (int(state["n"]), float(state["s"])) == (3, 3.0)


def test_a_list_from_a_function_is_a_tuple():
    ds = DS.range(2).map(lambda x: [x, tf.ones([x + 1])])  # they need not have the same shape
    assert [(int(a), b.shape[0]) for a, b in ds] == [(0, 1), (1, 2)]


def test_nobody_keeps_a_dataset():
    import gc
    import weakref

    ds = DS.from_tensor_slices(np.ones((10, 2))).shuffle(5).batch(3).map(lambda x: x).prefetch(2)
    assert len(list(ds)) == 4
    known = weakref.ref(ds)
    gc.disable()
    try:
        del ds
        assert known() is None  # at once: no cycles, so the arrays go with it
    finally:
        gc.enable()
