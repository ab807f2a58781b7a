"""Hashes. What is compared with is TensorFlow's result for the same input."""

import pytest

import tapeflow as tf

S = tf.strings
WORDS = [
    "", "a", "ab", "hello", "hello world", "x" * 16, "y" * 17, "z" * 31, "w" * 33, "v" * 63, "u" * 64, "t" * 65,
    "r" * 128, "q" * 129, "pq" * 200, "é",
]  # fmt: skip
BIG = 2**62


def test_fast_buckets():
    assert S.to_hash_bucket_fast(WORDS, BIG).numpy().tolist() == [
        1936946117179621455, 3694432073954588131, 3066228220894225694, 3786372426573024488, 1769834696496558107,
        3320895591121647644, 426471879119003573, 474763799876683996, 1065610773926128234, 3609313336337959290,
        2984669881831571891, 203880748424968752, 3047886533807812261, 154208312781622945, 1643793829373731585,
        693143013273849025,
    ]  # fmt: skip


def test_buckets():
    assert S.to_hash_bucket(WORDS, BIG).numpy().tolist() == [
        105434511174508091, 2996632905371535868, 3579204183985781795, 1331861223480393034, 936430787915428847,
        1260831952859287914, 1430365920931554667, 2961845655798748210, 614313809260747414, 4413110872445185958,
        2586871961032706952, 294332474142199495, 4479746540980425345, 3630290610534901174, 4487875765218938310,
        3701471315553960761,
    ]  # fmt: skip


def test_strong_buckets():
    assert S.to_hash_bucket_strong(WORDS, BIG, key=[1, 2]).numpy().tolist() == [
        443797209252341627, 546566331822570742, 4607785088827641202, 2957200328589801622, 1015233985318741638,
        2083976100733463555, 1541948060395825868, 1034999867276219122, 1083027582118548111, 2266245554030888390,
        1983477065719937559, 2589939864604513657, 2622454741365376417, 1793193476025186662, 2083732672396988348,
        4006969190011310591,
    ]  # fmt: skip


def test_buckets_of_ragged_strings_and_in_functions():
    ragged = tf.ragged.constant([["a", "b", "c"], ["d"], []], dtype=tf.string)
    assert S.to_hash_bucket_fast(ragged, 5).to_list() == [[4, 2, 2], [0], []]
    assert tf.function(lambda s: S.to_hash_bucket_fast(s, 10))(tf.constant(["hello"])).numpy().tolist() == [6]


def test_bad_buckets():
    for call, message in [
        (lambda: S.to_hash_bucket_fast("a", 0), "at least 1"),
        (lambda: S.to_hash_bucket_strong("a", 5, key=[1]), "2 elements"),
        (lambda: S.to_hash_bucket_fast([1], 5), "int32"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            call()
