"""n-grams. What is compared with is TensorFlow's result for the same input."""

import pytest

import tapeflow as tf

from .test_unicode import values

S = tf.strings


@pytest.mark.parametrize(
    "data, width, options, expected",
    [
        (["a", "b", "c", "d"], 2, {}, [b"a b", b"b c", b"c d"]),
        (["a", "b", "c"], (1, 2), dict(separator="|"), [b"a", b"b", b"c", b"a|b", b"b|c"]),
        (["a", "b"], 3, dict(pad_values=("L", "R")), [b"L L a", b"L a b", b"a b R", b"b R R"]),
        (["a", "b"], 3, dict(pad_values=("L", "R"), padding_width=1), [b"L a b", b"a b R"]),
        (["a"], 3, {}, []),
        (["a"], 3, dict(preserve_short_sequences=True), [b"a"]),
        (["a"], 5, dict(pad_values="P", padding_width=1, preserve_short_sequences=True), [b"P a P"]),
        ([["a", "b"], ["c", "d"]], 2, {}, [[b"a b"], [b"c d"]]),
        (tf.zeros([2, 0], tf.string), 2, dict(pad_values="P"), [[], []]),
        (
            tf.ragged.constant([["a", "b", "c"], ["d"], []]),
            [1, 2],
            {},
            [[b"a", b"b", b"c", b"a b", b"b c"], [b"d"], []],
        ),
        (
            tf.ragged.constant([["a", "b", "c"], ["d"], []]),
            2,
            dict(preserve_short_sequences=True),
            [[b"a b", b"b c"], [b"d"], []],
        ),
    ],
)
def test_ngrams(data, width, options, expected):
    assert values(S.ngrams(data, width, **options)) == expected


def test_bad_ngrams():
    for call, kind in [
        (lambda: S.ngrams(["a"], 0), ValueError), (lambda: S.ngrams(["a"], 2, padding_width=1), ValueError),
        (lambda: S.ngrams("a", 2), ValueError), (lambda: S.ngrams(["a"], 2, pad_values=1), TypeError),
        (lambda: S.ngrams(["a"], 3, pad_values="P", padding_width=0), ValueError),
    ]:  # fmt: skip
        with pytest.raises(kind):
            call()


def test_rows_without_strings():
    ragged = tf.ragged.constant([[], ["a"]], dtype=tf.string)
    assert tf.strings.ngrams(ragged, 2, pad_values=("<", ">")).to_list() == [[b"< >"], [b"< a", b"a >"]]
    assert tf.strings.ngrams(ragged, [2, 3], pad_values=("<", ">"), padding_width=1).to_list() == [
        [b"< >"],
        [b"< a", b"a >", b"< a >"],
    ]
    assert tf.strings.ngrams(ragged, 2).to_list() == [[], []]
    assert tf.strings.ngrams(ragged[:1], 2, pad_values="P").to_list() == [
        []
    ]  # as in TensorFlow: where no row has a string
    assert tf.strings.unicode_encode(tf.zeros([2, 0], tf.int32), "UTF-8").numpy().tolist() == [b"", b""]


def test_joined_in_functions():
    """Rows of words joined again: such functions ran as Python."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def f(texts):
        words = tf.strings.split(texts)
        segments = tf.strings.unsorted_segment_join(
            words.values, tf.zeros_like(words.value_rowids()), 2, separator="-"
        )
        return tf.strings.reduce_join(words, axis=-1, separator="+"), segments

    joined, segments = f(tf.constant(["a b", "", "c"]))
    assert joined.numpy().tolist() == [b"a+b", b"", b"c"] and segments.numpy().tolist() == [b"a-b-c", b""]
    assert f.get_concrete_function().graph.get_operations()

    @tf.function
    def wrong(ids):
        return tf.strings.unsorted_segment_join(["a", "b"], ids, 2)

    with pytest.raises(tf.errors.InvalidArgumentError, match="not allowed to exceed num_segments"):
        wrong(tf.constant([0, 2]))
