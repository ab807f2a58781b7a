import numpy as np

from tests.ops.samples.sample import normal, of

_words = np.array([[b"Tape", b" flow "], [b"", "n\u00e9".encode()]], object)
_none = np.zeros((0, 2), object)
_simple = lambda **params: [of(_words, order=0, **params), of(_none, order=0, **params)]
_numbers = dict(precision=-1, scientific=False, shortest=False, width=-1, fill="")

SAMPLES = {
    "string_lower": [*_simple(encoding=""), *_simple(encoding="utf-8")],
    "string_upper": [*_simple(encoding=""), *_simple(encoding="utf-8")],
    "string_strip": _simple(),
    "string_length": [*_simple(unit="BYTE"), *_simple(unit="UTF8_CHAR")],
    "regex_replace": _simple(pattern=b"[a-z]+", rewrite=b"<\\0>", replace_global=True),
    "regex_full_match": _simple(pattern=b"[A-Z].*"),
    "string_to_hash_bucket": [
        *_simple(num_buckets=100, method="fast", key=()),
        *_simple(num_buckets=100, method="", key=()),
        *_simple(num_buckets=100, method="strong", key=(1, 2)),
    ],
    "unicode_transcode": _simple(
        source="utf-8", target="utf-16-be", errors="replace", replacement=65533, controls=False
    ),
    "string_join": [of(_words, _words, order=0, separator=b"-"), of(_none, _none, order=0, separator="")],
    "string_reduce_join": [
        of(_words, order=0, axis=(0,), keepdims=False, separator=b"+"),
        of(_words, order=0, axis=(1, 0), keepdims=True, separator=b""),
        of(_none, order=0, axis=(0,), keepdims=False, separator=b""),
    ],
    "substr": [
        of(_words, np.array([0, 0]), np.array([2, 1]), order=0, unit="BYTE"),
        of(_words, np.int32(0), np.int32(-1), order=0, unit="UTF8_CHAR"),
    ],
    "as_string": [
        of(normal(2, 3), order=0, **_numbers),
        of(np.array([1, -20]), order=0, **_numbers | {"width": 5, "fill": "0"}),
        of(np.array([True, False]), order=0, **_numbers),
        of(np.array([1 + 2j]), order=0, **_numbers | {"precision": 2}),
        of(_words, order=0, **_numbers | {"width": 6}),
    ],
    "string_to_number": [
        of(np.array([b"1.5", b" -2 ", b"nan"], object), order=0, dtype=np.dtype("float64")),
        of(np.array([b"7"], object), order=0, dtype=np.dtype("int32")),
    ],
}
