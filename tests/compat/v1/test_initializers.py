"""Initializers of version 1: their laws, by the limits and the spread of many numbers, and seeds that go on."""

import math

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1
SHAPE = [3, 20, 40]  # 60 values go in, 120 out


@pytest.mark.parametrize(
    ("mode", "count"), [("fan_in", 60), ("fan_out", 120), ("fan_avg", 90)],
)  # fmt: skip
@pytest.mark.parametrize("law", ["uniform", "truncated_normal", "untruncated_normal"])
def test_variance_is_scaled(mode, count, law):
    x = v1.variance_scaling_initializer(3.0, mode, law, seed=1)(SHAPE).numpy()
    spread = math.sqrt(3.0 / count)
    np.testing.assert_allclose([x.mean(), x.std()], [0, spread], atol=0.06 * spread)
    limit = {"uniform": math.sqrt(3) * spread, "truncated_normal": 2 * spread / 0.8796, "untruncated_normal": math.inf}
    assert np.abs(x).max() <= limit[law] * 1.001


def test_named_scales():
    glorot = v1.glorot_uniform_initializer(seed=1)(SHAPE).numpy()
    assert 0.98 * math.sqrt(6 / 180) < np.abs(glorot).max() <= math.sqrt(6 / 180)
    he = v1.initializers.he_normal(seed=1)(SHAPE).numpy()
    np.testing.assert_allclose(he.std(), math.sqrt(2 / 60), rtol=0.06)
    with pytest.raises(ValueError, match="Cannot scale"):
        v1.variance_scaling_initializer(0.0)


def test_limits_and_configuration():
    uniform = v1.random_uniform_initializer(-2.0, 1.0, seed=3)
    x = uniform([1000]).numpy()
    assert -2 <= x.min() < -1.9 and 0.9 < x.max() < 1
    assert uniform.get_config() == dict(minval=-2.0, maxval=1.0, seed=3, dtype="float32")
    assert np.abs(v1.truncated_normal_initializer(5.0, 2.0)([1000]).numpy() - 5).max() < 4
    assert v1.random_normal_initializer(dtype=tf.float64)([2]).dtype == tf.float64


def test_a_seed_goes_on():
    initializer = v1.random_normal_initializer(seed=7)
    assert not np.array_equal(initializer([3]), initializer([3]))
