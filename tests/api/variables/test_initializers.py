"""Initializers: called with a shape and a dtype, taken apart and put together."""

import numpy as np
import pytest

import tapeflow as tf

ALL = [
    tf.zeros_initializer(),
    tf.ones_initializer(),
    tf.constant_initializer(3),
    tf.random_normal_initializer(1.0, 2.0, seed=3),
    tf.random_uniform_initializer(1.0, 2.0, seed=3),
]


@pytest.mark.parametrize("initializer", ALL, ids=lambda i: type(i).__name__)
def test_config(initializer):
    twin = type(initializer).from_config(initializer.get_config())
    np.testing.assert_array_equal(twin([2, 3], tf.float64).numpy(), initializer([2, 3], tf.float64).numpy())
    assert twin(tf.TensorShape([4]), "float16").dtype == tf.float16
    assert tf.Variable(initializer([2, 3], tf.float32)).shape == (2, 3)


def test_configs():
    assert tf.zeros_initializer().get_config() == {} and tf.constant_initializer(3).get_config() == {"value": 3}
    assert tf.random_normal_initializer(seed=1).get_config() == {"mean": 0.0, "stddev": 0.05, "seed": 1}
    assert tf.random_uniform_initializer().get_config() == {"minval": -0.05, "maxval": 0.05, "seed": None}


def test_constants():
    assert tf.constant_initializer([1, 2, 3, 4])([2, 2], tf.int64).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.constant_initializer([1.0])([2]).numpy().tolist() == [1, 1]
    with pytest.raises(TypeError, match="shape"):
        tf.constant_initializer([1, 2, 3, 4])([2, 3])


def test_seeds():
    seeded, free = tf.random_normal_initializer(seed=1), tf.random_normal_initializer()
    assert seeded([]).numpy() == seeded([]).numpy()
    assert free([]).numpy() != free([]).numpy()
    assert tf.random_uniform_initializer(0, 5)([50], tf.int32).numpy().max() <= 4


def test_errors():
    for initializer in (tf.zeros_initializer(), tf.ones_initializer(), tf.random_uniform_initializer()):
        with pytest.raises(ValueError, match="dtype"):
            initializer([2], tf.string)
    with pytest.raises(ValueError, match="floating"):
        tf.random_normal_initializer()([2], tf.int32)
    with pytest.raises(TypeError, match="foo"):
        tf.zeros_initializer()([2], foo=3)


def test_parts():
    assert tf.ones_initializer()([10, 3], partition_shape=[4, 3], partition_offset=[0, 0]).shape == (4, 3)
