"""Many elements into one and back; windows and groups."""

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset


def values(ds):
    return [v.tolist() if hasattr(v, "tolist") else v for v in ds.as_numpy_iterator()]


def lengths(n):
    return DS.range(1, n + 1).map(lambda k: tf.fill([k], k))


def test_rows_are_gathered_and_views_are_not_copied():
    x = np.random.default_rng(0).normal(size=(10, 3)).astype(np.float32)
    whole = DS.from_tensor_slices(x)
    first, second, third = whole.batch(4)
    assert first.array.base is second.array.base is not None  # of one array
    assert np.array_equal(np.concatenate([first, second, third]), x)
    shuffled = DS.from_tensor_slices((x, np.arange(10))).shuffle(10, seed=2)
    for (a, i), (b, j) in zip(
        shuffled.batch(3), shuffled.map(lambda *e: e).batch(3)
    ):  # rows by number, and element by element
        assert np.array_equal(a, x[i.numpy()]) and np.array_equal(b, x[j.numpy()])


@pytest.mark.parametrize("buffer", [1, 4, 100])
def test_shuffles_do_not_depend_on_how_elements_are_held(buffer):
    order = lambda ds: values(ds.shuffle(buffer, seed=5))
    assert order(DS.range(30)) == order(DS.range(30).map(lambda x: x)) == order(DS.range(30).cache())
    chain = lambda ds: values(ds.shuffle(buffer, seed=5).skip(2).shard(3, 1).repeat(2).take(11).batch(4))
    assert chain(DS.range(30)) == chain(DS.range(30).filter(lambda x: True))


def test_strings_and_scalars():
    assert values(DS.from_tensor_slices(["a", "bb"]).map(lambda s: s + "x").batch(2)) == [[b"ax", b"bbx"]]
    assert values(DS.from_tensor_slices(["a", "b", "c"]).shuffle(3, seed=1).batch(3).unbatch().take(0)) == []
    assert sorted(values(DS.from_tensor_slices(["a", "b", "c"]).shuffle(3, seed=1).batch(2).unbatch())) == [
        b"a",
        b"b",
        b"c",
    ]


def test_what_cannot_be_stacked():
    message = (
        r"different shapes in component 0. First element had shape \[1\] and element 1 had shape \[2\]. Use "
        r"padded_batch"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        list(lengths(2).batch(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="different dtypes in component 1"):
        list(DS.range(2).map(lambda x: (x, x if int(x) else 1.0)).batch(2))


def test_padding():
    assert values(lengths(3).padded_batch(2, padding_values=np.int64(9))) == [[[1, 9], [2, 2]], [[3, 3, 3]]]
    signature = {"a": tf.TensorSpec([None], tf.int32), "b": tf.TensorSpec([], tf.string)}
    ds = DS.from_generator(lambda: [{"a": [1], "b": "x"}, {"a": [1, 2], "b": "y"}], output_signature=signature)
    (batch,) = ds.padded_batch(
        2, padded_shapes={"a": [4], "b": []}, padding_values={"a": -1, "b": "?"}
    ).as_numpy_iterator()
    assert batch["a"].tolist() == [[1, -1, -1, -1], [1, 2, -1, -1]] and batch["b"].tolist() == [b"x", b"y"]
    assert ds.padded_batch(2, {"a": [4], "b": []}, drop_remainder=True).element_spec["a"] == tf.TensorSpec(
        [2, 4], tf.int32
    )
    (both,) = DS.from_tensors(([1], [2])).padded_batch(1, padded_shapes=([2], [3]), padding_values=7)
    assert [x.numpy().tolist() for x in both] == [[[1, 7]], [[2, 7, 7]]]
    words = DS.from_generator(
        lambda: [["a"], ["b", "c"]], output_signature=tf.TensorSpec([None], tf.string)
    ).padded_batch(2)
    assert values(words) == [[[b"a", b""], [b"b", b"c"]]]


def test_padding_errors():
    with pytest.raises(tf.errors.DataLossError, match="Attempted to pad to a smaller size than the input element"):
        list(lengths(3).padded_batch(3, padded_shapes=[2]))
    with pytest.raises(TypeError, match="values type float32 does not match type int64"):
        DS.range(3).padded_batch(3, padding_values=1.5)
    with pytest.raises(ValueError, match="component 0 has unknown rank"):
        DS.from_generator(lambda: [[1]], tf.int32).padded_batch(3)
    with pytest.raises(ValueError, match="ranks must be the same"):
        list(DS.from_tensors([1]).padded_batch(1, padded_shapes=[2, 2]))


def test_ragged_batches():
    assert [b.to_list() for b in lengths(3).ragged_batch(2)] == [[[1], [2, 2]], [[3, 3, 3]]]
    assert lengths(3).ragged_batch(2).element_spec == tf.RaggedTensorSpec([None, None], tf.int64)
    assert values(DS.range(3).ragged_batch(2)) == [[0, 1], [2]]
    assert next(iter(lengths(2).ragged_batch(2, row_splits_dtype=tf.int32))).row_splits.dtype is tf.int32
    (nested,) = DS.from_tensors(tf.ragged.constant([[1], [2, 3]])).repeat(2).batch(2)
    assert nested.to_list() == [[[1], [2, 3]]] * 2


def test_other_sizes():
    assert values(DS.range(7).batch(3).rebatch(2)) == [[0, 1], [2, 3], [4, 5], [6]]
    assert values(DS.range(7).batch(4).rebatch([2, 1, 1], drop_remainder=True)) == [[0, 1], [2], [3], [4, 5], [6]]
    assert int(DS.range(7).batch(2, drop_remainder=True).unbatch().cardinality()) == 6
    with pytest.raises(ValueError, match="rank >= 1"):
        list(DS.range(2).unbatch())


def test_windows():
    shown = lambda ds: [values(w) for w in ds]
    assert shown(DS.range(7).window(3, 2, 2)) == [[0, 2, 4], [2, 4, 6], [4, 6], [6]]
    assert shown(DS.range(7).window(3, 2, 2, True)) == [[0, 2, 4], [2, 4, 6]]
    assert shown(DS.range(10).map(lambda x: x).window(2, 4)) == [[0, 1], [4, 5], [8, 9]]
    assert [len(DS.range(n).window(3, 2, 2, drop)) for n in (4, 5, 7) for drop in (False, True)] == [2, 0, 3, 1, 4, 2]
    series = DS.from_tensor_slices({"a": [1, 2, 3], "b": [4, 5, 6]})
    for ds in (series, series.map(lambda e: e)):
        assert [(values(w["a"]), values(w["b"])) for w in ds.window(2)] == [([1, 2], [4, 5]), ([3], [6])]
    batches = DS.range(5).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
    assert values(batches) == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    pairs = DS.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2).flat_map(lambda a, b: DS.zip((a, b)))
    assert values(pairs) == [(1, 4), (2, 5), (3, 6)]
    with pytest.raises(TypeError, match="as_numpy_iterator"):
        DS.range(3).window(2).as_numpy_iterator()
    for bad in ({"size": 0}, {"size": 1, "shift": 0}, {"size": 1, "stride": 0}):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be greater than zero"):
            DS.range(3).window(**bad)


def test_groups():
    ds = DS.range(10).group_by_window(
        lambda x: x % 2, lambda key, window: window.batch(3).map(lambda b: b + 100 * key), 3
    )
    assert values(ds) == [[0, 2, 4], [101, 103, 105], [6, 8], [107, 109]]
    by_size = DS.range(7).group_by_window(
        lambda x: x % 2, lambda k, w: w.batch(9), window_size_func=lambda key: key + 1
    )
    assert values(by_size) == [[0], [2], [1, 3], [4], [6], [5]]
    with pytest.raises(ValueError, match="not both"):
        DS.range(3).group_by_window(lambda x: x, lambda k, w: w)


def test_buckets():
    texts = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 19, 20], [21, 22]]
    ds = DS.from_generator(lambda: texts, tf.int64, [None])
    length = lambda x: tf.shape(x)[0]
    found = values(ds.bucket_by_sequence_length(length, [3, 5], [2, 2, 2]))
    assert found == [
        [[1, 2, 3, 4], [5, 6, 7, 0]],
        [[7, 8, 9, 10, 11, 0], [13, 14, 15, 16, 19, 20]],
        [[0, 0], [21, 22]],
    ]
    bounded = ds.take(3).bucket_by_sequence_length(length, [4, 6], [2, 2, 2], pad_to_bucket_boundary=True)
    assert values(bounded) == [[[0, 0, 0], [5, 6, 7]], [[1, 2, 3, 4, 0]]]
    with pytest.raises(ValueError, match="which is 4"):
        values(ds.bucket_by_sequence_length(length, [4], [1, 1], pad_to_bucket_boundary=True))
    with pytest.raises(ValueError, match="but got 2 and 2"):
        ds.bucket_by_sequence_length(length, [3, 5], [2, 2])


def test_sizes_of_minus_one_are_the_largest_of_the_batch():
    ds = DS.from_tensor_slices([1, 3]).map(lambda n: tf.ones([n, 2]))
    [batch] = ds.padded_batch(2, padded_shapes=[-1, 4])
    assert batch.shape == [2, 3, 4]


def test_the_rows_of_endless_elements_are_endless():
    assert (
        int(DS.from_tensors([1, 2]).map(lambda x: x + 1).repeat().unbatch().cardinality())
        == tf.data.INFINITE_CARDINALITY
    )
    assert int(DS.from_tensors([1, 2]).repeat(3).unbatch().cardinality()) == 6


def test_groups_that_are_left_come_by_key():
    """They came in the order in which their first elements did, and TensorFlow's by their keys."""
    numbers = tf.data.Dataset.from_tensor_slices([5, 3, 9, -1, 3, 5, 2, 7])
    groups = numbers.group_by_window(lambda x: tf.cast(x, tf.int64), lambda _, group: group.batch(10), window_size=10)
    assert [g.numpy().tolist() for g in groups] == [[-1], [2], [3, 3], [5, 5], [7], [9]]
