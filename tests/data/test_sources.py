"""Where elements come from: tensors, rows, generators, numbers; and their errors."""

import collections

import numpy as np
import pytest

import tapeflow as tf

DS = tf.data.Dataset
Pair = collections.namedtuple("Pair", "x y")


def values(ds):
    return [v.tolist() if hasattr(v, "tolist") else v for v in ds.as_numpy_iterator()]


def test_structures_are_kept():
    ds = DS.from_tensor_slices(Pair([1, 2], {"b": [[3.0], [4.0]], "a": ["u", "v"]}))
    first, second = ds
    assert isinstance(first, Pair) and list(first.y) == ["b", "a"]
    assert (int(second.x), float(second.y["b"][0]), second.y["a"].numpy()) == (2, 4.0, b"v")
    (batch,) = ds.batch(2)
    assert isinstance(batch, Pair) and batch.y["a"].numpy().tolist() == [b"u", b"v"]
    assert DS.from_tensor_slices(([1, 2], None)).map(lambda x, none: x if none is None else 1 / 0).batch(2) is not None
    assert [(int(x), none) for x, none in DS.from_tensor_slices(([1, 2], None))] == [(1, None), (2, None)]


def test_a_list_is_one_tensor():
    assert DS.from_tensor_slices([[1, 2], [3, 4]]).element_spec == tf.TensorSpec([2], tf.int32)
    assert DS.from_tensors([1, 2]).element_spec == tf.TensorSpec([2], tf.int32)


def test_rows_are_not_changed_from_outside():
    x = np.zeros(3, np.float32)
    ds = DS.from_tensor_slices(x)
    x[:] = 7
    assert values(ds) == [0.0, 0.0, 0.0]


def test_ragged_rows_become_ragged_again():
    ds = DS.from_tensor_slices(tf.ragged.constant([[1], [2, 3], []]))
    assert [row.numpy().tolist() for row in ds] == [[1], [2, 3], []]
    (batch,) = ds.shuffle(1).batch(3)
    assert isinstance(batch, tf.RaggedTensor) and batch.to_list() == [[1], [2, 3], []]
    assert ds.element_spec.shape.as_list() == [None] and ds.batch(2).element_spec == tf.RaggedTensorSpec(
        [None, None], tf.int32
    )


def test_sparse_rows():
    ds = DS.from_tensor_slices(tf.sparse.eye(3))
    assert ds.element_spec == tf.SparseTensorSpec([3])
    first = next(iter(ds.skip(1).batch(2)))
    assert tf.sparse.to_dense(first).numpy().tolist() == [[0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("value", "dtype", "want"),  # arrays are cast, Python's numbers only where nothing is lost
    [
        (np.array(1.5), tf.int32, 1),
        (np.int64(5), tf.float32, 5.0),
        (True, tf.int32, 1),
        (3, tf.float32, 3.0),
        ([1, 2], tf.float32, [1.0, 2.0]),
    ],
)
def test_what_generators_yield_is_converted(value, dtype, want):
    (found,) = DS.from_generator(lambda: [value], dtype)
    assert found.dtype is dtype and found.numpy().tolist() == want


@pytest.mark.parametrize("value", [2.5, "s", None, tf.constant(1.0)])
def test_what_generators_may_not_yield(value):
    for kind in (TypeError, tf.errors.InvalidArgumentError):  # TensorFlow's is one and says the other
        with pytest.raises(kind, match=r"could not be converted to the expected type\. The expected type was int32"):
            list(DS.from_generator(lambda: [value], tf.int32))


def test_generators_are_checked():
    with pytest.raises(TypeError, match=r"an element of shape \(2,\) where an element of shape \(3,\) was expected"):
        list(DS.from_generator(lambda: [[1, 2]], tf.int32, [3]))
    with pytest.raises(TypeError, match="did not match the expected structure"):
        list(DS.from_generator(lambda: [(1, 2, 3)], (tf.int32, tf.int32)))
    with pytest.raises(TypeError, match="alone"):
        DS.from_generator(list, tf.int32, output_signature=tf.TensorSpec([]))
    with pytest.raises(TypeError, match="must be a tuple"):
        DS.from_generator(lambda n: [], tf.int32, args=1)
    with pytest.raises(TypeError, match="TypeSpec"):
        DS.from_generator(list, output_signature=tf.int32)


def test_generators_begin_anew_and_may_reuse_their_array():
    buffer = np.zeros(2, np.float32)

    def counting():
        for i in range(3):
            buffer[:] = i
            yield buffer

    ds = DS.from_generator(counting, output_signature=tf.TensorSpec([2], tf.float32))
    assert [x.numpy().tolist() for x in list(ds)] == [[0, 0], [1, 1], [2, 2]] == values(ds)
    ragged = DS.from_generator(lambda: [[[1], [2, 3]]], output_signature=tf.RaggedTensorSpec([None, None], tf.int32))
    assert next(iter(ragged)).to_list() == [[1], [2, 3]]


def test_numbers():
    assert DS.range(3, output_type=tf.float32).element_spec == tf.TensorSpec([], tf.float32)
    big = DS.range(10**12)
    assert len(big) == 10**12 and values(big.take(2).batch(2)) == [[0, 1]]
    assert values(DS.counter(5, 2, tf.int32).take(2)) == [5, 7]
    with pytest.raises(TypeError):
        DS.range(2.5)
    with pytest.raises(ValueError, match="between 1 and 3"):
        DS.range()
    fixed = DS.random(seed=4).take(3)
    assert values(fixed) == values(fixed) == values(DS.random(seed=4).take(3)) and len(set(values(fixed))) == 3
    other = DS.random(seed=4, rerandomize_each_iteration=True).take(3)
    assert values(other) != values(other)


def test_zip():
    a, b = DS.range(2), DS.range(5, 9)
    assert DS.zip((a, {"b": b})).batch(2).element_spec[1]["b"] == tf.TensorSpec([None], tf.int64)
    assert values(DS.zip(datasets=(a, b))) == [(0, 5), (1, 6)] == values(DS.zip(a.map(lambda x: x), b))
    nested = DS.zip((a, (b, b.filter(lambda x: x > 5))))
    assert [(int(x), (int(y), int(z))) for x, (y, z) in nested] == [(0, (5, 6)), (1, (6, 7))]
    rows = (
        DS.zip((DS.from_tensor_slices([1, 2, 3]), DS.from_tensor_slices(([4, 5, 6], [7, 8, 9]))))
        .shuffle(3, seed=1)
        .batch(3)
    )
    ((x, (y, z)),) = rows
    assert (y - x).numpy().tolist() == [3, 3, 3] and (z - x).numpy().tolist() == [6, 6, 6]  # rows stay together
    with pytest.raises(TypeError, match="use `tuple` instead"):
        DS.zip([a, b])
    with pytest.raises(TypeError):
        DS.zip()


def test_choosing_and_sampling():
    parts = [DS.from_tensors(s).repeat(2) for s in "abc"]
    assert values(DS.choose_from_datasets(parts, DS.range(3).repeat(3))) == [b"a", b"b", b"c"] * 2
    assert values(tf.data.experimental.choose_from_datasets([DS.range(1), DS.range(4)], DS.range(2).repeat(4))) == [
        0,
        0,
        1,
        2,
        3,
    ]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Selector index out of range: 1 >= 1"):
        values(DS.choose_from_datasets([DS.range(2)], DS.range(3)))
    with pytest.raises(TypeError, match=r"scalar `tf\.int64`"):
        DS.choose_from_datasets(parts, DS.from_tensors(0))
    sampled = DS.sample_from_datasets([DS.from_tensors(0).repeat(), DS.from_tensors(1).repeat()], [0.9, 0.1], seed=3)
    assert 20 < sum(values(sampled.take(500))) < 90 and int(sampled.cardinality()) == -1
    short = DS.sample_from_datasets([DS.range(2), DS.range(50)], seed=1, stop_on_empty_dataset=True)
    assert len(values(short)) < 30 and len(values(DS.sample_from_datasets([DS.range(2), DS.range(50)], seed=1))) == 52
    assert len(DS.sample_from_datasets([DS.range(2), DS.range(5)], [1.0, 0.0])) == 2
    with pytest.raises(ValueError, match="one number for each of the 2 datasets"):
        DS.sample_from_datasets([DS.range(2), DS.range(5)], [1.0])


def test_guide_class():
    # TensorFlow's performance guide makes datasets like this
    class Artificial(tf.data.Dataset):
        def __new__(cls, n=3):
            return tf.data.Dataset.from_generator(
                lambda k: iter(range(k)), output_signature=tf.TensorSpec((), tf.int64), args=(n,)
            )

    assert values(Artificial().prefetch(1)) == [0, 1, 2] and isinstance(Artificial(), tf.data.Dataset)


def test_a_range_goes_somewhere():
    with pytest.raises(tf.errors.InvalidArgumentError, match="step must be a non-zero integer"):
        DS.range(0, 5, 0)


def test_a_list_of_arguments_for_a_generator():
    def generator(n, text):
        for i in range(n):
            yield i, text

    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string))
    made = tf.data.Dataset.from_generator(generator, args=[2, "x"], output_signature=spec)
    assert [(int(n), text.numpy()) for n, text in made] == [(0, b"x"), (1, b"x")]
    with pytest.raises(TypeError, match="must be a tuple or a list"):
        tf.data.Dataset.from_generator(generator, args=2, output_signature=spec)
