"""Functions for `Dataset.apply` are the methods of their names."""

import inspect

import pytest

import tapeflow as tf

E = tf.data.experimental
Dataset = tf.data.Dataset


def values(dataset):
    return [x.tolist() if hasattr(x, "tolist") else x for x in dataset.as_numpy_iterator()]


def test_a_function_is_its_method():
    by_function = Dataset.range(9).apply(E.take_while(lambda x: x < 4))
    assert values(by_function) == values(Dataset.range(9).take_while(lambda x: x < 4)) == [0, 1, 2, 3]
    assert [i for i, _ in values(Dataset.range(3).apply(E.enumerate_dataset(start=5)))] == [5, 6, 7]
    assert "self" not in inspect.signature(E.scan).parameters


def test_wrong_arguments_are_noticed_before_there_is_a_dataset():
    with pytest.raises(TypeError, match="beginning"):
        E.enumerate_dataset(beginning=5)


@pytest.mark.parametrize(("said", "what"), [(3, "at least 4"), (5, "only 4")])
def test_a_cardinality_that_is_not_true(said, what):
    dataset = Dataset.range(4).filter(lambda x: True)
    assert int(dataset.apply(E.assert_cardinality(4)).cardinality()) == 4
    assert values(dataset.apply(E.assert_cardinality(4))) == [0, 1, 2, 3]
    with pytest.raises(tf.errors.FailedPreconditionError, match=f"to contain {said} elements but contained {what}"):
        values(dataset.apply(E.assert_cardinality(said)))


def test_two_in_one():
    seen = values(Dataset.range(4).apply(E.shuffle_and_repeat(4, 2, seed=1)))
    assert sorted(seen[:4]) == sorted(seen[4:]) == [0, 1, 2, 3]
    batched = Dataset.range(5).apply(E.map_and_batch(lambda x: x * 10, 2, drop_remainder=True))
    assert values(batched) == [[0, 10], [20, 30]]
    interleaved = Dataset.range(2).apply(
        E.parallel_interleave(lambda x: Dataset.range(2).map(lambda y: x * 10 + y), 2)
    )
    assert values(interleaved) == [0, 10, 1, 11]
    assert values(Dataset.range(3).apply(E.copy_to_device("/gpu:0")).apply(E.prefetch_to_device("/gpu:0"))) == [
        0,
        1,
        2,
    ]


def test_one_element_for_each_key():
    sums = E.Reducer(lambda key: key * 100, lambda state, x: state + x, lambda state: -state)
    found = Dataset.range(6).apply(E.group_by_reducer(lambda x: x % 3, sums))
    assert values(found) == [-(0 + 3), -(100 + 1 + 4), -(200 + 2 + 5)]
