"""Characters of strings. What is compared with is TensorFlow's result for the same input."""

import pytest

import tapeflow as tf

S = tf.strings


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
