"""tf.random.stateless_*: pure functions of their seed."""

import numpy as np
import pytest
from scipy import stats

import tapeflow as tf

SEED = [12, 34]
DRAWS = {
    "normal": lambda s: tf.random.stateless_normal([5], s),
    "uniform": lambda s: tf.random.stateless_uniform([5], s),
    "integers": lambda s: tf.random.stateless_uniform([5], s, 0, 10**6, tf.int32),
    "bits": lambda s: tf.random.stateless_uniform([5], s, None, None, tf.uint32),
    "truncated": lambda s: tf.random.stateless_truncated_normal([5], s),
    "parameterized": lambda s: tf.random.stateless_parameterized_truncated_normal([5], s),
    "gamma": lambda s: tf.random.stateless_gamma([5], s, 2.0),
    "poisson": lambda s: tf.random.stateless_poisson([5], s, 1e5),
    "binomial": lambda s: tf.random.stateless_binomial([5], s, 10**6, 0.5),
    "categorical": lambda s: tf.random.stateless_categorical(np.zeros((1, 10**5)), 5, s),
    "shuffle": lambda s: tf.random.experimental.stateless_shuffle(tf.range(100), s),
    "fold_in": lambda s: tf.random.fold_in(s, 5),
    "split": lambda s: tf.random.split(s, 3),
    "index": lambda s: tf.random.experimental.index_shuffle(tf.range(100), s, 1000),
}


@pytest.mark.parametrize("name", DRAWS)
def test_same_seed_same_numbers(name):
    first = DRAWS[name](SEED).numpy()
    tf.random.normal([3])  # whatever else is drawn
    for same in (SEED, tuple(SEED), np.array(SEED), tf.constant(SEED, tf.int64)):
        if (
            name in ("fold_in", "split")
            and np.asarray(same).dtype.itemsize == 8
            and not isinstance(same, (list, tuple))
        ):
            continue  # seeds of 64 bits give seeds of 64 bits
        np.testing.assert_array_equal(DRAWS[name](same).numpy(), first)
    for other in ([12, 35], [13, 34], [-12, 34]):
        assert (DRAWS[name](other).numpy() != first).any()


@pytest.mark.parametrize("seed", [1, [1, 2, 3], [1.0, 2.0]])
def test_wrong_seed(seed):
    with pytest.raises(tf.errors.InvalidArgumentError, match="seed"):
        tf.random.stateless_normal([2], seed)


def test_algorithms_by_name():
    for alg in ("philox", "auto_select", tf.random.Algorithm.PHILOX, 3):
        assert tf.random.stateless_normal([2], SEED, alg=alg).shape == (2,)
    with pytest.raises(ValueError, match="alg"):
        tf.random.stateless_normal([2], SEED, alg="dice")


@pytest.mark.parametrize(
    "bounds,dtype",
    [((0, None), tf.int32), ((None, 5), tf.int64), ((1, 5), tf.uint32), ((0, 5), tf.int8), ((None, 5.0), tf.float32)],
)
def test_wrong_bounds(bounds, dtype):
    with pytest.raises(ValueError):
        tf.random.stateless_uniform([2], SEED, *bounds, dtype)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64, tf.uint32, tf.uint64])
def test_full_range(dtype):
    drawn = tf.random.stateless_uniform([4000], SEED, None, None, dtype)
    assert drawn.dtype is dtype
    span = float(dtype.max) - float(dtype.min)
    place = (drawn.numpy().astype(np.float64) - float(dtype.min)) / span
    assert stats.kstest(place, "uniform").pvalue > 1e-3


def test_split_and_fold_in_keep_the_dtype_and_lead_apart():
    assert tf.random.split(SEED, 3).shape == (3, 2) and tf.random.split(SEED).dtype == tf.int32
    assert tf.random.fold_in(SEED, tf.constant(3, tf.int64)).dtype == tf.int64  # that of the data, as in TensorFlow
    seeds = [*tf.random.split(SEED, 10), *[tf.random.fold_in(SEED, k) for k in range(10)], tf.constant(SEED)]
    assert len({float(tf.random.stateless_normal([], s)) for s in seeds}) == 21


def test_shape_is_the_whole_shape():
    assert tf.random.stateless_gamma([2, 3], SEED, [1.0, 2.0, 3.0], beta=[[2.0], [1.0]]).shape == (2, 3)
    for wrong in (
        lambda: tf.random.stateless_gamma([2, 3], SEED, [1.0, 2.0]),
        lambda: tf.random.stateless_poisson([3], SEED, [[1.0], [2.0]]),
        lambda: tf.random.stateless_binomial([2], SEED, [10.0, 20.0, 30.0], 0.5),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="end with"):
            wrong()


def test_binomial():
    drawn = tf.random.stateless_binomial([5000], SEED, 10.0, 0.3, tf.float32).numpy()
    np.testing.assert_allclose([drawn.mean(), drawn.var()], [3, 2.1], rtol=0.05)


@pytest.mark.parametrize(
    "mean,stddev,low,high",
    [(0.0, 1.0, -1.0, 0.5), (5.0, 2.0, 6.0, np.inf), (0.0, 1.0, 25.0, 26.0), (0.0, 1.0, -30.0, -29.0)],
)
def test_parameterized_truncated_normal(mean, stddev, low, high):
    x = tf.random.stateless_parameterized_truncated_normal(
        [2000], SEED, *[tf.constant(v, tf.float64) for v in (mean, stddev, low, high)]
    )
    law = stats.truncnorm((low - mean) / stddev, (high - mean) / stddev, mean, stddev)
    assert stats.kstest(x.numpy(), law.cdf).pvalue > 1e-3


def test_parameterized_truncated_normal_has_the_slopes_of_its_quantile():
    """Numbers are drawn by rejection; their gradients are those of the quantiles that they are."""
    values = [1.0, 2.0, -1.0, 4.0]
    xs = [tf.constant(v, tf.float64) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.random.stateless_parameterized_truncated_normal([3], SEED, *xs)
    standard = lambda mean, stddev, low, high: dict(
        a=(low - mean) / stddev, b=(high - mean) / stddev, loc=mean, scale=stddev
    )
    quantile = stats.truncnorm.cdf(y.numpy(), **standard(*values))
    for k, g in enumerate(tape.gradient(y, xs)):
        moved = [
            stats.truncnorm.ppf(quantile, **standard(*[v + s * 1e-6 * (i == k) for i, v in enumerate(values)])).sum()
            for s in (1, -1)
        ]
        np.testing.assert_allclose(g.numpy(), (moved[0] - moved[1]) / 2e-6, rtol=1e-5)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.random.stateless_parameterized_truncated_normal([3], SEED, 0.0, 1.0, 1.0, -1.0)


@pytest.mark.parametrize("last", [0, 1, 6, 63, 64, 1000])
def test_index_shuffle_is_a_permutation(last):
    places = tf.random.experimental.index_shuffle(tf.range(last + 1), SEED, last).numpy()
    assert sorted(places.tolist()) == list(range(last + 1))
    assert last < 6 or (places != np.arange(last + 1)).any()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.random.experimental.index_shuffle(last + 1, SEED, last)


def test_shapes_that_a_signature_leaves_open_fit_the_parameters():
    draw = tf.function(lambda shape, alpha, beta: tf.random.stateless_gamma(shape, [1, 2], alpha, beta))
    concrete = draw.get_concrete_function(
        tf.TensorSpec([2], tf.int32), tf.TensorSpec([3], tf.float32), tf.TensorSpec([1], tf.float32)
    )
    x = concrete(tf.constant([2, 3]), tf.ones([3]), tf.ones([1]))
    np.testing.assert_array_equal(x, tf.random.stateless_gamma([2, 3], [1, 2], tf.ones([3]), tf.ones([1])))
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.constant([2, 4]), tf.ones([3]), tf.ones([1]))
