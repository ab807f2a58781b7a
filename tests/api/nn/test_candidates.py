"""Candidate samplers: laws, expected counts, errors."""

import numpy as np
import pytest

import tapeflow as tf

TRUE = tf.constant([[1], [2]], tf.int64)


@pytest.fixture(autouse=True)
def _seeded():
    tf.random.set_seed(1)
    yield
    tf.random.set_seed(None)


def test_uniform():
    drawn = tf.random.uniform_candidate_sampler(TRUE, 1, 20000, False, 5)
    np.testing.assert_allclose(np.bincount(drawn.sampled_candidates.numpy()) / 4000, np.ones(5), rtol=0.1)
    np.testing.assert_allclose(drawn.true_expected_count.numpy(), [[4000], [4000]])
    assert drawn.sampled_candidates.dtype == tf.int64 and drawn.sampled_expected_count.dtype == tf.float32


def test_log_uniform():
    drawn = tf.random.log_uniform_candidate_sampler(TRUE, 1, 20000, False, 10)
    c = np.arange(10)
    p = (np.log(c + 2) - np.log(c + 1)) / np.log(11)
    np.testing.assert_allclose(np.bincount(drawn.sampled_candidates.numpy()) / 20000, p, rtol=0.15)
    np.testing.assert_allclose(drawn.true_expected_count.numpy().ravel(), 20000 * p[[1, 2]], rtol=1e-6)


@pytest.mark.parametrize("sampler", [tf.random.uniform_candidate_sampler, tf.random.log_uniform_candidate_sampler])
def test_unique(sampler):
    drawn = sampler(TRUE, 1, 10, True, 10)
    assert sorted(drawn.sampled_candidates.numpy().tolist()) == list(range(10))
    assert (drawn.sampled_expected_count.numpy() <= 1).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="range is too small"):
        sampler(TRUE, 1, 11, True, 10)


def test_unique_counts_the_tries():
    """With n tries, a class of probability p is expected 1 - (1 - p)**n times."""
    drawn = tf.random.uniform_candidate_sampler(TRUE, 1, 9, True, 10)
    tries = np.log1p(-drawn.true_expected_count.numpy().astype(float)) / np.log(0.9)
    np.testing.assert_allclose(tries, np.round(tries), atol=1e-3)
    assert tries.min() > 9


def test_fixed_unigram(tmp_path):
    file = tmp_path / "vocabulary.csv"
    file.write_text("a,0\nb,1\nc,9\n", encoding="utf-8")
    for source in ({"unigrams": [0.0, 1.0, 9.0]}, {"vocab_file": str(file)}):
        drawn = tf.random.fixed_unigram_candidate_sampler(TRUE, 1, 5000, False, 3, distortion=0.5, **source)
        found = np.bincount(drawn.sampled_candidates.numpy(), minlength=3)
        np.testing.assert_allclose(found / 5000, [0, 0.25, 0.75], atol=0.03)
        np.testing.assert_allclose(drawn.true_expected_count.numpy().ravel(), [1250, 3750])
    drawn = tf.random.fixed_unigram_candidate_sampler(
        TRUE, 1, 50, False, 5, num_reserved_ids=2, num_shards=2, shard=1, unigrams=[1.0, 1.0, 1.0]
    )
    assert set(drawn.sampled_candidates.numpy().tolist()) == {3}


def test_learned_and_all():
    assert tf.random.learned_unigram_candidate_sampler(TRUE, 1, 3, True, 10).sampled_candidates.shape == (3,)
    drawn = tf.random.all_candidate_sampler(TRUE, 1, 3, True)
    assert drawn[0].numpy().tolist() == [0, 1, 2] and drawn[1].numpy().tolist() == [[1], [1]]


@pytest.mark.parametrize("true,columns", [([[1], [2]], 1), (TRUE, 2), (tf.constant([[12]], tf.int64), 1)])
def test_errors(true, columns):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.random.uniform_candidate_sampler(tf.constant(true), columns, 3, True, 10)


def test_repeatable():
    draw = lambda **k: tf.random.log_uniform_candidate_sampler(TRUE, 1, 5, True, 1000, **k)[0].numpy().tolist()
    first = [draw(), draw(), draw(seed=3)]
    assert first[0] != first[1]
    tf.random.set_seed(1)
    assert [draw(), draw(), draw(seed=3)] == first


@pytest.mark.parametrize(
    "weights", [[1.0, float("nan"), 1.0], [1.0, float("inf"), 1.0], [1.0, -1.0, 1.0], [0.0, 0.0, 0.0]]
)
def test_weights_that_are_no_counts(weights):
    """With NaN among them the search for different classes never ended."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be finite"):
        tf.random.fixed_unigram_candidate_sampler(TRUE, 1, 2, True, 3, unigrams=weights)
