"""tf.strings. Expected values are TensorFlow's."""

import numpy as np
import pytest

import tapeflow as tf

from .test_unicode import values as _values

S = tf.strings


def listed(x):
    return x.to_list() if isinstance(x, tf.RaggedTensor) else x.numpy().tolist() if x.shape.rank else x.numpy()


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (lambda: S.lower("ABÉ"), "abÉ".encode()),
        (lambda: S.lower("ABÉ", encoding="utf-8"), "abé".encode()),
        (lambda: S.upper("abéß", encoding="utf-8"), "ABÉSS".encode()),
        (lambda: S.strip(["  a b \n\t", "x"]), [b"a b", b"x"]),
        (lambda: S.length(["aé", ""]), [3, 0]),
        (lambda: S.length(["aé", ""], "UTF8_CHAR"), [2, 0]),
        (lambda: S.join([["a", "b"], "c"]), [b"ac", b"bc"]),
        (lambda: S.join(["a", "b"], " "), b"a b"),
        (lambda: S.join([]), b""),
        (lambda: S.reduce_join([["a", "b"], ["c", "d"]]), b"abcd"),
        (lambda: S.reduce_join([["a", "b"], ["c", "d"]], axis=[0, 1]), b"acbd"),
        (lambda: S.reduce_join([["a", "b"], ["c", "d"]], axis=-1, keepdims=True), [[b"ab"], [b"cd"]]),
        (lambda: S.reduce_join("abc"), b"abc"),
        (lambda: S.split("a b  c"), [b"a", b"b", b"c"]),
        (lambda: S.split(["a b", "c  d e", ""]), [[b"a", b"b"], [b"c", b"d", b"e"], []]),
        (lambda: S.split([["a b", "c"], ["d", "e f"]]), [[[b"a", b"b"], [b"c"]], [[b"d"], [b"e", b"f"]]]),
        (lambda: S.split(["a,b,,c", "", ","], sep=","), [[b"a", b"b", b"", b"c"], [b""], [b"", b""]]),
        (lambda: S.split(["a b c d "], maxsplit=2), [[b"a", b"b", b"c d "]]),
        (lambda: S.bytes_split("né"), [b"n", b"\xc3", b"\xa9"]),
        (lambda: S.unicode_split(["né", "a"], "UTF-8"), [[b"n", "é".encode()], [b"a"]]),
        (lambda: S.unicode_decode("né", "UTF-8"), [110, 233]),
        (lambda: S.unicode_encode(tf.ragged.constant([[110, 233], []]), "UTF-8"), ["né".encode(), b""]),
        (lambda: S.regex_replace(["aab", "b"], "a", "x"), [b"xxb", b"b"]),
        (lambda: S.regex_replace("aab", "a", "x", replace_global=False), b"xab"),
        (lambda: S.regex_replace("hello world", r"(\w+) (\w+)", r"\2 \1"), b"world hello"),
        (lambda: S.regex_replace("hello", "l", r"\0\0"), b"hellllo"),
        (lambda: S.regex_full_match(["abc", "ab"], "a.c"), [True, False]),
        (lambda: S.regex_full_match(["ab\n"], "ab."), [False]),
        (lambda: S.substr(["hello", "world"], 1, 3), [b"ell", b"orl"]),
        (lambda: S.substr("hello", -3, 2), b"ll"),
        (lambda: S.substr("hello", 5, 2), b""),
        (lambda: S.substr("hello", 1, -1), b"ello"),
        (lambda: S.substr("héllo", 1, 2, unit="UTF8_CHAR"), "él".encode()),
        (lambda: S.substr([["hello", "world"]], [1, 2], [3, 1]), [[b"ell", b"r"]]),
        (lambda: S.to_number(["3.5", " -1e3 ", "0x10"]), [3.5, -1000.0, 16.0]),
        (lambda: S.to_number(["3", "-7"], tf.int64), [3, -7]),
        (lambda: S.format("x {} y {}", (tf.constant([1, 2]), tf.constant(3.0))), b"x [1 2] y 3"),
        (lambda: S.format("{}", tf.range(8)), b"[0 1 2 ... 5 6 7]"),
        (lambda: S.format("{}", tf.constant(["abc", "d"])), b'["abc" "d"]'),
        (lambda: S.format("{}", tf.constant(1 / 3)), b"0.333333343"),
        (lambda: tf.constant("a") + "b", b"ab"),
        (lambda: S.lower(tf.ragged.constant([["A"], [], ["B", "C"]])), [[b"a"], [], [b"b", b"c"]]),
    ],
)
def test_values(got, want):
    assert listed(got()) == want


@pytest.mark.parametrize(
    ("value", "options", "want"),
    [
        ([3.14, float("inf"), float("nan")], {}, [b"3.140000", b"inf", b"nan"]),
        ([3.14, 1e10], {"scientific": True}, [b"3.140000e+00", b"1.000000e+10"]),
        ([3.14, 1e10], {"shortest": True}, [b"3.14", b"1e+10"]),
        ([3.14, -1.5], {"precision": 2, "width": 8, "fill": "0"}, [b"00003.14", b"-0001.50"]),
        ([3.14, -1.5], {"precision": 2, "width": 8, "fill": "-"}, [b"3.14    ", b"-1.50   "]),
        ([3.14, -1.5], {"precision": 2, "width": 8, "fill": "+"}, [b"   +3.14", b"   -1.50"]),
        ([3, -7], {"width": 5}, [b"    3", b"   -7"]),
        ([True, False], {}, [b"true", b"false"]),
        ([1 + 2j], {"precision": 1}, [b"(1.0,2.0)"]),
        (["a"], {"width": 4}, [b"   a"]),
    ],
)
def test_as_string(value, options, want):
    assert tf.as_string(tf.constant(value), **options).numpy().tolist() == want


def test_small_floats_as_strings():
    for dtype in (tf.float16, tf.bfloat16):
        assert tf.as_string(tf.constant([3.14], dtype)).numpy()[0] == b"3.140625"


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.as_string([1.0], fill="x"),
        lambda: tf.as_string([1.0], scientific=True, shortest=True),
        lambda: tf.as_string([1], precision=2),
        lambda: S.join([["a", "b"], ["c", "d", "e"]]),
        lambda: S.length("a", "x"),
        lambda: S.regex_replace("a", "[", "x"),
        lambda: S.substr("hello", 6, 2),
        lambda: S.substr("hello", -6, 2),
        lambda: S.substr(["a", "b"], 1, [[1], [2]]),
        lambda: S.to_number(["x"]),
        lambda: S.to_number(["3.5"], tf.int32),
        lambda: S.to_number(["1_0"]),
        lambda: S.to_number(["99999999999"], tf.int32),
        lambda: S.to_number(["3"], tf.float16),
        lambda: S.unicode_decode(b"\xff", "UTF-8", errors="strict"),
    ],
)
def test_errors(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_format_needs_one_tensor_a_placeholder():
    with pytest.raises(ValueError, match="expects 2 tensors"):
        S.format("{} {}", tf.constant(1))


def test_strings_may_hold_zero_bytes():
    """NumPy's own byte strings drop zeros at the end; object arrays must not."""
    x = tf.constant([b"a\x00", b"\x00"])
    assert S.join([x, x]).numpy().tolist() == [b"a\x00a\x00", b"\x00\x00"]
    assert S.length(x).numpy().tolist() == [2, 1]


def test_no_gradient_and_no_error():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = S.to_number(tf.as_string(x)) * 2.0
    assert tape.gradient(y, x) is None
    assert np.allclose(y, [2, 4])


@pytest.mark.parametrize(
    "text,count,parts",
    [
        ("x", 1, ["x", ""]),
        (" 1e3 b c ", 1, ["1e3", "b c "]),
        ("a b", 5, ["a", "b"]),
        ("", 1, []),
        ("  ", 1, []),
        ("a  b  c", 1, ["a", "b  c"]),
    ],
)
def test_the_rest_after_so_many_words_is_a_part(text, count, parts):
    """TensorFlow's results."""
    assert tf.strings.split(text, maxsplit=count).numpy().tolist() == [p.encode() for p in parts]


# ---- joined


def test_segments():
    assert _values(tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 3, separator="-")) == [
        b"a-c",
        b"b",
        b"",
    ]
    assert _values(tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 0], 1, separator=":")) == [
        [b"a:c", b"b:d"]
    ]
    assert _values(tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2, ":")) == [
        b"a:d",
        b"b:c",
    ]
    for ids in ([-1, 0], [0, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="segment_ids"):
            tf.strings.unsorted_segment_join(["a", "b"], ids, 2)


def test_rows_of_ragged_strings():
    ragged = tf.ragged.constant([["a", "b", "c"], ["d"], []], dtype=tf.string)
    assert _values(tf.strings.reduce_join(ragged, axis=-1, separator="+")) == [b"a+b+c", b"d", b""]
    with pytest.raises(tf.errors.InvalidArgumentError, match="last axis"):
        tf.strings.reduce_join(ragged, axis=0)


def test_no_columns_of_strings_and_bytes_that_are_no_text():
    """Splitting a (2, 0) matrix lost its two rows; substr replaced bytes that are not UTF-8."""
    assert tf.strings.bytes_split(tf.zeros([2, 0], tf.string)).row_splits.numpy().tolist() == [0, 0, 0]
    assert tf.strings.unicode_split(tf.zeros([2, 0], tf.string), "UTF-8").row_splits.numpy().tolist() == [0, 0, 0]
    assert tf.strings.substr(b"\xff\xfea", 0, 2, unit="UTF8_CHAR").numpy() == b"\xff\xfe"


def test_parts_in_functions():
    """How many parts there are is known when it runs; such functions ran as Python, and could not be saved."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def f(texts):
        assert not tf.executing_eagerly()
        words = S.split(texts)
        return (
            words,
            S.unicode_split(words.values, "UTF-8"),
            S.bytes_split(texts).row_lengths(),
            S.split(texts[0], ","),
        )

    for texts in (["a bc", "é"], ["x,y z", "", "w"]):
        found = f(tf.constant(texts))
        assert found[0].to_list() == [[w.encode() for w in text.split()] for text in texts]
        assert found[1].to_list() == [[c.encode() for c in w] for text in texts for w in text.split()]
        assert found[2].numpy().tolist() == [len(text.encode()) for text in texts]
        assert found[3].numpy().tolist() == texts[0].encode().split(b",")
    assert f.experimental_get_tracing_count() == 1
    matrix = tf.function(lambda x: S.split(x))(tf.constant([["a b", "c"], ["", "d"]]))
    assert matrix.to_list() == [[[b"a", b"b"], [b"c"]], [[], [b"d"]]]
