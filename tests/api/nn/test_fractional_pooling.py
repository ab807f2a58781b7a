"""Fractional pooling: regions tile the image, and a seed fixes them."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

X = np.random.default_rng(0).normal(size=(2, 10, 11, 3)).astype(np.float32)


@pytest.mark.parametrize("pseudo_random", [False, True])
@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_number_comes_from_its_region(pseudo_random, overlapping, seed):
    for pool, reduce in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        y, rows, columns = pool(X, [1.0, 1.44, 1.73, 1.0], pseudo_random, overlapping, seed=seed)
        rows, columns = rows.numpy(), columns.numpy()
        assert rows[0] == columns[0] == 0 and (rows[-1], columns[-1]) == (10, 11)
        assert set(np.diff(rows)) <= {1, 2} and y.shape == (2, 6, 6, 3)
        more = 1 if overlapping else 0
        for i, j in np.ndindex(6, 6):
            region = X[:, rows[i] : rows[i + 1] + more, columns[j] : columns[j + 1] + more]
            np.testing.assert_allclose(y.numpy()[:, i, j], reduce(region, axis=(1, 2)), rtol=1e-5, atol=1e-6)


def test_a_seed_gives_the_regions_of_tensorflow():
    _, rows, columns = tf.nn.fractional_max_pool(np.zeros((1, 10, 10, 1), np.float32), 1.44, seed=1)
    assert np.diff(rows).tolist() == [2, 1, 2, 1, 2, 2] and np.diff(columns).tolist() == [1, 1, 2, 2, 2, 2]


def test_without_a_seed_the_program_s_seed_decides():
    def draw():
        tf.random.set_seed(5)
        return [np.asarray(tf.nn.fractional_max_pool(X, 1.44)[1]).tolist() for _ in range(6)]

    first = draw()
    assert first == draw() and len(set(map(tuple, first))) > 1


def test_gradients():
    assert (
        gradient(lambda x: tf.nn.fractional_max_pool(x, 1.5, seed=1)[0], np.ones((1, 3, 3, 1), np.float32)).sum() == 4
    )
    np.testing.assert_allclose(
        gradient(lambda x: tf.nn.fractional_avg_pool(x, 2.0, seed=1)[0], X[:, :, :10]), 0.25, rtol=1e-6
    )


def test_errors():
    with pytest.raises(ValueError, match="rank 4"):
        tf.nn.fractional_max_pool(X[0], 1.5)
    with pytest.raises(ValueError, match="at least 1"):
        tf.nn.fractional_max_pool(X, 0.5)
