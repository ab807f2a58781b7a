"""Functions of elements with the wrong number of arguments: an error when the dataset is built, as in TensorFlow, that
says what the elements are."""

import numpy as np
import pytest

import tapeflow as tf

pairs = tf.data.Dataset.from_tensor_slices((np.ones([4, 2], np.float32), np.arange(4)))
single = tf.data.Dataset.range(3)
dicts = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})

OF_PAIRS = (
    r"\(\) takes 1 positional argument but 2 were given\. The elements of the dataset are tuples of 2, and each part "
    r"is an argument of its own \(def f\(a, b\): …\): \(float32 \(2,\), int64 \(\)\)\.$"
)


@pytest.mark.parametrize("method", ["map", "filter", "flat_map", "interleave", "take_while"])
def test_too_few_parameters(method):
    with pytest.raises(TypeError, match=r"^<lambda>" + OF_PAIRS):
        getattr(pairs, method)(lambda x: x)


@pytest.mark.parametrize(
    ("dataset", "function", "words"),
    [
        (single, lambda x, y: x, "missing 1 required positional argument: 'y'. The elements of the dataset are one"),
        (single, lambda x, y, z: x, "missing 2 required positional arguments: 'y' and 'z'."),
        (dicts, lambda a, b: a, "a dict is one argument (def f(d): …): {'a': int32 ()}."),
        (single, lambda: 1, "takes 0 positional arguments but 1 was given."),
        (pairs.batch(2), lambda x: x, "(float32 (None, 2), int64 (None,))"),
    ],
)  # fmt: skip
def test_words(dataset, function, words):
    with pytest.raises(TypeError) as caught:
        dataset.map(function)
    assert words in str(caught.value)


def test_elements_that_are_not_known_before_they_are_read():
    dataset = single.map(lambda x: (x, x)).map(lambda x: x)
    with pytest.raises(TypeError, match="tuples of 2"):
        list(dataset)


def test_functions_that_take_them():
    class Scale:
        def __call__(self, x, y=2):
            return x

    functions = [
        lambda x, y: x, lambda *parts: parts[0], lambda x, *rest: x, lambda x, y, z=3: x, max, tf.maximum, Scale(),
        tf.function(lambda x, y: x),
    ]  # fmt: skip
    numbers = tf.data.Dataset.from_tensor_slices(([1.0, 2.0], [3.0, 4.0]))
    for function in functions:
        assert len(list(numbers.map(function))) == 2


def test_a_type_error_of_the_function_itself_stays_as_it_is():
    def broken(x):
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine$"):
        list(single.map(broken))
