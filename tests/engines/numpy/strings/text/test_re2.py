"""Patterns as RE2 reads them. All results are TensorFlow's, by running it."""

import pytest

import tapeflow as tf

# text, pattern, the text with every match replaced by "_"
REPLACED = [
    ("ab1", "[[:alpha:]]", "__1"), ("ab1", "[[:digit:][:upper:]]", "ab_"), ("ab1", "[^[:alpha:]]", "ab_"),
    ("A", "[[:^lower:]]", "_"), ("aAb", "(?i)a", "__b"), ("aab", "a{2}", "_b"), ("aab", "a{,2}", "aab"),
    ("ab\ncd", "^c", "ab\ncd"), ("ab\ncd", "(?m)^c", "ab\n_d"), ("ab\ncd", "b.c", "ab\ncd"),
    ("ab\ncd", "(?s)b.c", "a_d"), ("ab", r"\pL", "__"), ("aé1", r"\p{L}", "__1"), ("aé1", r"\PL", "aé_"),
    ("abc", "(?P<x>b)", "a_c"), ("a\\b", "\\Q\\\\E", "a_b"), ("a.b", r"\Q.\E", "a_b"), ("a\x0bb", r"\s", "a\x0bb"),
    ("aé", r"\w", "_é"), ("٣", r"\d", "٣"), ("ab", r"\z", "ab_"), ("ab\n", "b$", "ab\n"), ("aXb", "(?U)a.*", "_Xb"),
    ("aaa", "a*?", "_a_a_a_"), ("ab", r"\x{61}", "_b"), ("ab", r"\141", "_b"), ("ab", "a|", "_b_"),
    ("aba", "a|ab", "_b_"), ("é", ".", "_"), ("aB", "(?-i)b", "aB"), ("ab]", "[]]", "ab_"), ("a-b", r"[a\-]", "__b"),
    ("ab", "", "_a_b_"), ("ab", "a{0}", "_a_b_"), ("ſ", "(?i)s", "_"), ("x:", "[:x]", "__"),
    (b"\xff\xfea", ".", b"\xff\xfe_"), (b"\xffa", "[^a]", b"\xffa"), (b"a\xff", r"\xff", b"a\xff"),
]  # fmt: skip
REFUSED = [
    "b++", "(?=b)", "(?!b)", "(?<=a)b", r"(b)c\1", r"b\Z", "[a-", "(b", "*", "b)", "a**", "a{1001}", "(?#c)a",
    "(?x) a", r"\h", r"\G", "(?P=x)", "[[:foo:]]", b"\xff", "(?<x>b)",
]  # fmt: skip


@pytest.mark.parametrize("text,pattern,expected", REPLACED)
def test_replaced(text, pattern, expected):
    expected = expected if isinstance(expected, bytes) else expected.encode()
    assert tf.strings.regex_replace(text, pattern, "_").numpy() == expected


@pytest.mark.parametrize("pattern", REFUSED)
def test_refused(pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern"):
        tf.strings.regex_full_match("abc", pattern)


@pytest.mark.parametrize("pattern", [r"\p{Greek}", r"\C"])
def test_what_python_cannot_say_is_refused(pattern):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not known|not supported"):
        tf.strings.regex_replace("abc", pattern, "")


def test_rewrites():
    assert tf.strings.regex_replace("ab", "(a)", r"\1\1").numpy() == b"aab"
    assert tf.strings.regex_replace("ab", "(a)", r"\10").numpy() == b"a0b"
    assert tf.strings.regex_replace("ab", "a", r"\1").numpy() == b"ab"  # no such group: nothing happens
    assert tf.strings.regex_replace(b"\xff\xfea", ".", r"<\0>", replace_global=False).numpy() == b"\xff\xfe<a>"
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid rewrite"):
        tf.strings.regex_replace("ab", "a", r"\q")


def test_full_match():
    assert tf.strings.regex_full_match(["é", "ab", "a"], ".|a").numpy().tolist() == [True, False, True]
    assert tf.strings.regex_full_match("aXb", "(?U)a.*").numpy()


def test_bytes_that_are_no_text_are_replaced_when_letters_change():
    assert tf.strings.upper(b"\xffa", encoding="utf-8").numpy() == b"\xef\xbf\xbdA"
    assert tf.strings.lower(b"\xffA", encoding="utf-8").numpy() == b"\xef\xbf\xbda"
