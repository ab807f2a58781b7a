import numpy as np

from tests.ops.samples.sample import each, normal, of


def _strings(*rows):
    """Bytes of the texts, as an array of objects."""
    out = np.empty(np.shape(rows), object)
    for place in np.ndindex(out.shape):
        item = rows
        for i in place:
            item = item[i]
        out[place] = item.encode()
    return out


_words = _strings(("Tape", " flow "), ("", "né"))
_none = np.zeros((0, 2), object)
_numbers = dict(precision=-1, scientific=False, shortest=False, width=-1, fill="")


def _gives(*results):
    """What comes of the four words in their order; strings where they are text."""
    results = [r.encode() if isinstance(r, str) else r for r in results]
    table = dict(zip(_words.flat, results))
    return each(table.__getitem__, dtype=object if isinstance(results[0], bytes) else type(results[0]))


def _simple(*results, **params):
    return [of(x, order=0, reference=_gives(*results), **params) for x in (_words, _none)]


def _is(*rows):
    return lambda *_, **__: _strings(*rows)


def _formatted(form):
    return each(lambda x: format(x, form).encode(), dtype=object)


SAMPLES = {
    "string_lower": [*_simple("tape", " flow ", "", "né", encoding=""), *_simple("tape", " flow ", "", "né",
        encoding="utf-8")],
    "string_upper": [*_simple("TAPE", " FLOW ", "", "Né", encoding=""), *_simple("TAPE", " FLOW ", "", "NÉ",
        encoding="utf-8")],
    "string_strip": _simple("Tape", "flow", "", "né"),
    "string_length": [*_simple(4, 6, 0, 3, unit="BYTE"), *_simple(4, 6, 0, 2, unit="UTF8_CHAR")],
    "regex_replace": _simple("T<ape>", " <flow> ", "", "<n>é", pattern=b"[a-z]+", rewrite=b"<\\0>",
        replace_global=True),
    "regex_full_match": _simple(True, False, False, False, pattern=b"[A-Z].*"),
    "string_to_hash_bucket": [  # the numbers are TensorFlow's
        *_simple(50, 43, 63, 38, num_buckets=100, method="fast", key=()),
        *_simple(94, 24, 99, 78, num_buckets=100, method="", key=()),
        *_simple(75, 73, 35, 36, num_buckets=100, method="strong", key=(1, 2)),
    ],
    "unicode_transcode": _simple(
        *[word.decode().encode("utf-16-be") for word in _words.flat],
        source="utf-8", target="utf-16-be", errors="replace", replacement=65533, controls=False
    ),
    "string_join": [
        of(_words, _words, order=0, separator=b"-", reference=_is(("Tape-Tape", " flow - flow "), ("-", "né-né"))),
        of(_none, _none, order=0, separator="", reference=lambda *_, **__: _none),
    ],
    "string_reduce_join": [
        of(_words, order=0, axis=(0,), keepdims=False, separator=b"+", reference=_is("Tape+", " flow +né")),
        of(_words, order=0, axis=(1, 0), keepdims=True, separator=b"", reference=_is(("Tape flow né",))),
        of(_words, order=0, axis=(0, 1), keepdims=False, separator=b"|",
            reference=lambda *_, **__: np.array("Tape|| flow |né".encode(), object)),
        of(_none, order=0, axis=(0,), keepdims=False, separator=b"", reference=_is("", "")),
    ],
    "string_segment_join": [
        of(_words[:, 0], np.array([2, 2]), order=0, num_segments=3, separator=b"-", reference=_is("", "", "Tape-")),
        of(_words, np.array([1, -1]), order=0, num_segments=2, separator=b"",
           reference=_is(("", ""), ("Tape", " flow "))),
        of(_words, np.array([0, 0]), order=0, num_segments=1, separator=b"+", reference=_is(("Tape+", " flow +né"))),
        of(_none, np.zeros(0, np.int32), order=0, num_segments=1, separator=b"+", reference=_is(("", ""))),
    ],
    "substr": [
        of(_words, np.array([0, 0]), np.array([2, 1]), order=0, unit="BYTE", reference=_is(("Ta", " "), ("", "n"))),
        of(_words, np.int32(0), np.int32(-1), order=0, unit="UTF8_CHAR", reference=lambda x, *_, **__: x),
        of(_words[0], np.array([-2, 1]), np.array([9, 4]), order=0, unit="BYTE", reference=_is("pe", "flow")),
    ],
    "as_string": [
        of(normal(2, 3), order=0, **_numbers, reference=lambda x, **_: _formatted("f")(x)),
        of(np.array([1, -20]), order=0, **_numbers | {"width": 5, "fill": "0"},
           reference=_is("00001", "-0020")),
        of(np.array([True, False]), order=0, **_numbers, reference=_is("true", "false")),
        of(np.array([1 + 2j]), order=0, **_numbers | {"precision": 2}, reference=_is("(1.00,2.00)")),
        of(_words, order=0, **_numbers | {"width": 6},
           reference=_is(("  Tape", " flow "), ("      ", "   né"))),
    ],
    "string_to_number": [
        of(np.array([b"1.5", b" -2 ", b"nan"], object), order=0, dtype=np.dtype("float64"),
           reference=lambda *_, **__: [1.5, -2.0, np.nan]),
        of(np.array([b"7"], object), order=0, dtype=np.dtype("int32"), reference=lambda *_, **__: [7]),
    ],
}  # fmt: skip
