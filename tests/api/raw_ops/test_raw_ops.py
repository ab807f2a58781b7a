"""Operations of `tf.raw_ops` that exported graphs use: what TensorFlow gives for them (`values.npz`)."""

from pathlib import Path

import numpy as np

import tapeflow as tf
from tests.api.raw_ops.values import CALLS, answers


def test_results_are_those_of_tensorflow():
    with np.load(Path(__file__).parent / "values.npz") as stored:
        wanted = dict(stored)
    found = answers(tf, False)
    for key, value in wanted.items():
        name = f"{key} {CALLS[int(key.partition('/')[0])][0]}"
        assert found[key].shape == value.shape, name
        if value.dtype.kind in "fc":
            np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-5, err_msg=name)
        else:
            assert found[key].tolist() == value.tolist(), name
            assert found[key].dtype.kind == value.dtype.kind, name


def test_numbers_that_are_drawn_by_a_key():
    """They had the distribution, but were not TensorFlow's."""
    seed = tf.constant([3, 4])
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=seed)
    given = dict(shape=[5], key=key, counter=counter, alg=1)
    for raw, own in (
        (tf.raw_ops.StatelessRandomUniformV2(**given), tf.random.stateless_uniform([5], seed)),
        (tf.raw_ops.StatelessRandomNormalV2(**given), tf.random.stateless_normal([5], seed)),
        (tf.raw_ops.StatelessTruncatedNormalV2(**given), tf.random.stateless_truncated_normal([5], seed)),
        (
            tf.raw_ops.StatelessRandomUniformIntV2(**given, minval=2, maxval=9),
            tf.random.stateless_uniform([5], seed, 2, 9, tf.int32),
        ),
    ):
        assert raw.numpy().tolist() == own.numpy().tolist()


def test_counts_in_a_function():
    """They needed the numbers while the function was traced."""

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def counted(x):
        return tf.raw_ops.DenseBincount(input=x, size=4, weights=tf.constant([], tf.float32))

    assert counted(tf.constant([[1, 5, 2], [2, 2, -1]])).numpy().tolist() == [[0, 1, 1, 0], [0, 0, 2, 0]]
