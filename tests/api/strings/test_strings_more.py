"""Hashes, characters and n-grams. What is compared with is TensorFlow's result for the same input."""

import pytest

import tapeflow as tf

S = tf.strings
WORDS = [
    "", "a", "ab", "hello", "hello world", "x" * 16, "y" * 17, "z" * 31, "w" * 33, "v" * 63, "u" * 64, "t" * 65,
    "r" * 128, "q" * 129, "pq" * 200, "é",
]  # fmt: skip
BIG = 2**62


# ---- buckets


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


# ---- characters


def values(found):
    return found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()


def test_offsets():
    codes, offsets = S.unicode_decode_with_offsets("né€x", "UTF-8")
    assert values(codes) == [110, 233, 8364, 120] and values(offsets) == [0, 1, 3, 6]
    characters, offsets = S.unicode_split_with_offsets(["né€", "x"], "UTF-8")
    assert values(characters) == [[b"n", b"\xc3\xa9", b"\xe2\x82\xac"], [b"x"]] and values(offsets) == [[0, 1, 3], [0]]
    assert values(S.unicode_decode_with_offsets("né".encode("utf-16-be"), "UTF-16-BE")[1]) == [0, 2]


def test_bytes_that_are_no_characters():
    cut = S.unicode_decode_with_offsets(b"\xe2\x82a\xf0\x9f\x98b", "UTF-8")
    assert [values(part) for part in cut] == [[65533, 97, 65533, 98], [0, 2, 3, 6]]
    left_out = S.unicode_decode_with_offsets(b"a\xffb", "UTF-8", errors="ignore")
    assert [values(part) for part in left_out] == [[97, 98], [0, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting on input string"):
        S.unicode_decode(b"a\xffb", "UTF-8", errors="strict")
    assert values(S.unicode_decode("a\ufffdb", "UTF-8", replacement_char=63)) == [
        97,
        65533,
        98,
    ]  # that was a character


def test_control_characters():
    found = S.unicode_decode("a\x7f\x85\x1f\t", "UTF-8", replace_control_characters=True)
    assert values(found) == [97, 127, 133, 65533, 65533]


def test_encode():
    assert S.unicode_encode([110, -1, 0x110000, 0xD800], "UTF-8").numpy() == b"n" + "\ufffd".encode() * 3
    assert S.unicode_encode([110, 0xD800], "UTF-8", errors="ignore").numpy() == b"n"
    with pytest.raises(tf.errors.InvalidArgumentError, match="surrogate"):
        S.unicode_encode([110, 0xD800], "UTF-8", errors="strict")


def test_transcode():
    assert S.unicode_transcode(["né", "x€"], "UTF-8", "UTF-16-BE").numpy().tolist() == [
        b"\x00n\x00\xe9",
        b"\x00x \xac",
    ]
    assert S.unicode_transcode("né".encode("latin1"), "ISO-8859-1", "UTF-8").numpy() == "né".encode()
    assert S.unicode_transcode(b"a\xffb", "UTF-8", "UTF-8", replacement_char=32).numpy() == b"a b"
    assert S.unicode_transcode(b"a\xffb", "UTF-8", "UTF-8", errors="ignore").numpy() == b"ab"
    for encodings in [("UTF-9", "UTF-8"), ("UTF-8", "latin1")]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="encoding"):
            S.unicode_transcode("a", *encodings)


# ---- joined


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


def test_segments():
    assert values(S.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 3, separator="-")) == [b"a-c", b"b", b""]
    assert values(S.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 0], 1, separator=":")) == [[b"a:c", b"b:d"]]
    assert values(S.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2, ":")) == [b"a:d", b"b:c"]
    for ids in ([-1, 0], [0, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="segment_ids"):
            S.unsorted_segment_join(["a", "b"], ids, 2)


def test_rows_of_ragged_strings():
    ragged = tf.ragged.constant([["a", "b", "c"], ["d"], []], dtype=tf.string)
    assert values(S.reduce_join(ragged, axis=-1, separator="+")) == [b"a+b+c", b"d", b""]
    with pytest.raises(tf.errors.InvalidArgumentError, match="last axis"):
        S.reduce_join(ragged, axis=0)


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


def test_no_columns_of_strings_and_bytes_that_are_no_text():
    """Splitting a (2, 0) matrix lost its two rows; substr replaced bytes that are not UTF-8."""
    assert tf.strings.bytes_split(tf.zeros([2, 0], tf.string)).row_splits.numpy().tolist() == [0, 0, 0]
    assert tf.strings.unicode_split(tf.zeros([2, 0], tf.string), "UTF-8").row_splits.numpy().tolist() == [0, 0, 0]
    assert tf.strings.substr(b"\xff\xfea", 0, 2, unit="UTF8_CHAR").numpy() == b"\xff\xfe"
