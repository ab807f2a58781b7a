import keras
import numpy as np
import pytest

import tapeflow as tf
from keras_tapeflow.src import random

DRAWS = {
    "normal": lambda seed: random.normal((3, 4), 1.0, 2.0, seed=seed),
    "uniform": lambda seed: random.uniform((3, 4), -1.0, 2.0, seed=seed),
    "truncated_normal": lambda seed: random.truncated_normal((3, 4), seed=seed),
    "randint": lambda seed: random.randint((3, 4), 5, 900, dtype="uint16", seed=seed),
    "categorical": lambda seed: random.categorical(tf.zeros([3, 50]), 4, seed=seed),
    "binomial": lambda seed: random.binomial((3, 4), 100, 0.5, seed=seed),
    "gamma": lambda seed: random.gamma((3, 4), [0.5, 1.0, 2.0, 8.0], seed=seed),
    "beta": lambda seed: random.beta((3, 4), 2.0, 3.0, seed=seed),
    "dropout": lambda seed: random.dropout(tf.ones([5, 20]), 0.5, seed=seed),
    "shuffle": lambda seed: random.shuffle(tf.range(60), seed=seed),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_number_gives_the_same_every_time_and_a_generator_goes_on(draw):
    first, second = draw(7).numpy(), draw(7).numpy()
    np.testing.assert_array_equal(first, second)
    generator = keras.random.SeedGenerator(7)
    first, second = draw(generator).numpy(), draw(generator).numpy()
    assert (first != second).any()


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_graph_draws_what_eager_draws(draw):
    eager, traced = keras.random.SeedGenerator(3), keras.random.SeedGenerator(3)
    function = tf.function(lambda: draw(traced))
    for _ in range(2):
        np.testing.assert_array_equal(draw(eager).numpy(), function().numpy())
    np.testing.assert_array_equal(np.array(eager.state), np.array(traced.state))


@pytest.mark.parametrize("rate", [0.0, 0.25, 1.0])
def test_dropout_has_a_gradient_at_every_rate(rate):
    """At rate 1 it used to be None where zeros replaced the input."""
    x = tf.ones([1000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = random.dropout(x, rate, seed=1)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), y.numpy())
    assert abs(y.numpy().mean() - (rate < 1)) < 0.1


def test_dropout_of_half_precision_keeps_its_rate():
    """bfloat16 knows 128 numbers between 1/2 and 1, too few for a rate of 0.001."""
    y = random.dropout(tf.ones([100_000], tf.bfloat16), 0.001, seed=1)
    assert 50 < (y.numpy() == 0).sum() < 150


def test_dropout_decides_once_along_sizes_of_one():
    y = random.dropout(tf.ones([4, 50, 3]), 0.5, noise_shape=(None, 1, 3), seed=1).numpy()
    assert (y == y[:, :1]).all() and 0 < (y[:, 0] == 0).sum() < 12


def test_shuffle_moves_whole_slices_along_its_axis():
    x = np.arange(24.0, dtype="float32").reshape(2, 12)
    y = random.shuffle(x, axis=1, seed=4).numpy()
    assert (y != x).any()
    np.testing.assert_array_equal(y[1] - y[0], 12)
    np.testing.assert_array_equal(np.sort(y[0]), x[0])


def test_gradients_reach_parameters():
    mean, stddev = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = random.normal((5,), mean, stddev, seed=1)
    slopes = tape.gradient(y, [mean, stddev])
    np.testing.assert_allclose(slopes[0].numpy(), 5)
    np.testing.assert_allclose(slopes[1].numpy(), ((y - 1) / 2).numpy().sum(), rtol=1e-5)


def test_beta_has_its_mean_and_variance():
    y = random.beta((20_000,), 2.0, 6.0, seed=5).numpy()
    assert abs(y.mean() - 0.25) < 0.005
    assert abs(y.var() - 12 / (64 * 9)) < 0.001


def test_integers_cover_their_range():
    y = random.randint((1000,), -3, 3, dtype="int8", seed=2).numpy()
    assert y.dtype == np.int8
    assert set(y.tolist()) == {-3, -2, -1, 0, 1, 2}


SIZED = {
    "normal": lambda x: random.normal(keras.ops.shape(x), seed=1),
    "randint": lambda x: random.randint(keras.ops.shape(x), 0, 9, seed=1),
    "gamma": lambda x: random.gamma(keras.ops.shape(x), 2.0, seed=1),
    "dropout": lambda x: random.dropout(x, 0.5, noise_shape=(None, 1), seed=1),
    "shuffle": lambda x: random.shuffle(x, axis=1, seed=1),
}


@pytest.mark.parametrize("draw", SIZED.values(), ids=SIZED)
def test_sizes_that_a_trace_leaves_open(draw):
    traced = tf.function(draw, reduce_retracing=True)
    for shape in ((2, 3), (4, 3), (4, 5), (1, 6)):
        x = tf.constant(np.random.normal(size=shape), tf.float32)
        np.testing.assert_array_equal(traced(x).numpy(), draw(x).numpy())
