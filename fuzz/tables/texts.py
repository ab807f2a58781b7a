"""tf.strings."""

from ..kinds import *

_unit = one_of("BYTE", "UTF8_CHAR")
_errors = one_of("replace", "ignore", "strict")
_utf8 = dict(
    input_encoding=one_of("UTF-8"), errors=_errors, replacement_char=one_of(65533, 32), replace_control_characters=flag
)

TABLE = {
    "strings.as_string": dict(
        input=tensor(fill=["normal", "special", "ties"], dtype=["float32", "float64", "int32", "bool", "int64"]),
        precision=number(0, 4),
        scientific=flag,
        shortest=never,
        width=number(1, 12),
        fill=one_of("0", " "),
    ),
    "strings.join": dict(
        inputs=lambda d: [
            d.array(d.shape if d.chance(0.7) else (), "words", "string") for _ in range(d.integer(1, 3))
        ],
        separator=text("", "-"),
    ),
    "strings.length": dict(unit=_unit),
    "strings.lower": dict(encoding=one_of("")),
    "strings.upper": dict(encoding=one_of("")),
    "strings.ngrams": dict(
        data=strings,
        ngram_width=one_of(1, 2, [1, 2]),
        separator=text(" ", "-"),
        pad_values=one_of(("L", "R"), "P"),
        padding_width=number(0, 2),
        preserve_short_sequences=flag,
        _shapes=[(3,), (2, 3), (0,), (1, 2)],
    ),
    "strings.reduce_join": dict(inputs=strings, axis=axes, separator=text("", ",")),
    "strings.regex_full_match": dict(pattern=text("a", ".*", "[a-z]+", "(a|abc)", "")),
    "strings.regex_replace": dict(
        pattern=text("a", "[0-9]", "b*", "(l+)", "^"), rewrite=text("", "<>", "\\\\0", "\\0"), replace_global=flag
    ),
    "strings.split": dict(sep=text(",", " ", "a", ""), maxsplit=number(-1, 2), _shapes=[(3,), (2, 2), (0,), ()]),
    "strings.substr": dict(pos=number(-2, 2), len=number(0, 3), unit=_unit),
    "strings.to_hash_bucket": dict(num_buckets=number(1, 99)),
    "strings.to_hash_bucket_fast": dict(num_buckets=number(1, 99)),
    "strings.to_hash_bucket_strong": dict(num_buckets=number(1, 99), key=one_of([1, 2])),
    "strings.to_number": dict(out_type=dtypes("float32", "float64", "int32", "int64")),
    **{f"strings.unicode_{op}": _utf8 for op in ("decode", "decode_with_offsets")},
    **{
        f"strings.unicode_{op}": dict(
            input_encoding=one_of("UTF-8"), errors=_errors, replacement_char=one_of(65533, 32)
        )
        for op in ("split", "split_with_offsets")
    },
    "strings.unicode_transcode": dict(
        input_encoding=one_of("UTF-8"),
        output_encoding=one_of("UTF-8", "UTF-16-BE", "UTF-32-BE"),
        errors=_errors,
        replacement_char=one_of(65533, 32),
        replace_control_characters=flag,
    ),
    "strings.unicode_encode": dict(
        input=lambda d: d.array((3,), "below 200", "int32"),
        output_encoding=one_of("UTF-8", "UTF-16-BE"),
        errors=_errors,
        replacement_char=one_of(65533),
    ),
    "strings.unsorted_segment_join": dict(
        inputs=lambda d: d.array((3,), "words", "string"),
        segment_ids=lambda d: d.array((3,), "below 3", "int32"),
        num_segments=number(3, 4),
        separator=text("", ":"),
    ),
}
