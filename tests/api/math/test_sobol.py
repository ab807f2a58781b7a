"""`tf.math.sobol_sample`."""

import pytest

import tapeflow as tf


def test_sobol_points():
    assert tf.math.sobol_sample(3, 5).numpy()[-1].tolist() == [0.875, 0.875, 0.125]
    found = tf.math.sobol_sample(2, 3, skip=2, dtype=tf.float64)
    assert found.dtype is tf.float64 and found.numpy().tolist() == [[0.25, 0.75], [0.375, 0.375], [0.875, 0.875]]


@pytest.mark.parametrize("given", [(0, 2), (2, 0), (2, -1), (2, 2, -1), (2, 1, 0, tf.int32)])
def test_what_has_no_sobol_points(given):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.sobol_sample(*given)
