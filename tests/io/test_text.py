"""CSV, base64, compressed strings. Results are TensorFlow's for the same input."""

import gzip
import zlib

import pytest

import tapeflow as tf


def csv(lines, defaults, **options):
    found = [column.numpy() for column in tf.io.decode_csv(lines, defaults, **options)]
    return [column.tolist() if hasattr(column, "tolist") else column for column in found]


def test_columns():
    assert csv(["1,2.5,a b", '4,,"x,""y"""'], [[0], [1.5], ["z"]]) == [[1, 4], [2.5, 1.5], [b"a b", b'x,"y"']]
    found = tf.io.decode_csv("3000000000,0.1", [tf.constant([1], tf.int64), tf.constant([1.0], tf.float64)])
    assert [c.dtype for c in found] == [tf.int64, tf.float64] and found[0].numpy() == 3000000000


@pytest.mark.parametrize(
    "line, defaults, options, expected",
    [
        ("1,NA", [[1], [2.0]], dict(na_value="NA"), [1, 2.0]),
        ("1,2,3", [[1], [2]], dict(select_cols=[0, 2]), [1, 3]),
        ("1;2", [1, 2.0], dict(field_delim=";"), [1, 2.0]),
        ('1,"a"', [[1], ["q"]], dict(use_quote_delim=False), [1, b'"a"']),
        (" 1, 2", [[1], [2.0]], {}, [1, 2.0]),
        (" a,b ", [["x"], ["y"]], {}, [b" a", b"b "]),
        ('"a\nb",2', [[""], [0]], {}, [b"a\nb", 2]),
        ('"1",+5', [[0], [0]], {}, [1, 5]),
        ("inf,1e3,-.5", [[0.0]] * 3, {}, [float("inf"), 1000.0, -0.5]),
        ("a,", [["x"], ["y"]], {}, [b"a", b"y"]),
    ],
)
def test_one_line(line, defaults, options, expected):
    assert csv(line, defaults, **options) == expected


@pytest.mark.parametrize(
    "line, defaults, message",
    [
        ("1,", [1, tf.constant([], tf.int64)], "Field 1 is required but missing in record 0!"),
        ("1", [[1], [2]], "Expect 2 fields but have 1 in record 0"),
        ("", [[1]], "Expect 1 fields but have 0"),
        ("1,x", [[1], [2]], "Field 1 in record 0 is not a valid int32: x"),
        ("0x10", [[1]], "not a valid int32"),
        ("1_0", [[1.0]], "not a valid float"),
        ("1_0", [[1]], "not a valid int32"),
        ("3000000000", [[1]], "not a valid int32"),
        ('1,a"b', [[1], ["q"]], "Unquoted fields cannot have quotes"),
        ("1,2\n", [[1], [2]], "Unquoted fields"),
        ('"1', [["x"]], "Quoted field has to end with quote"),
        ('"1"x,2', [["x"], ["y"]], "has to be escaped"),
        ("1", [tf.constant([True])], "is of bool"),
    ],
)
def test_bad_lines(line, defaults, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.decode_csv(line, defaults)


def test_columns_out_of_order():
    with pytest.raises(ValueError, match="strictly increasing"):
        tf.io.decode_csv("1,2,3", [[1], [2]], select_cols=[2, 0])


def test_base64():
    assert tf.io.encode_base64([b"hello?>", b""]).numpy().tolist() == [b"aGVsbG8_Pg", b""]
    assert tf.io.encode_base64(b"hello", pad=True).numpy() == b"aGVsbG8="
    assert tf.io.decode_base64([b"aGVsbG8_Pg", b"aGVsbG8="]).numpy().tolist() == [b"hello?>", b"hello"]
    for bad, message in [
        (b"a$b", "Invalid character"),
        (b"aGVsbG8/Pg", "Invalid character"),
        (b"aGVsb", "1 modulo 4"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.io.decode_base64(bad)


def test_compressed():
    assert tf.io.decode_compressed([zlib.compress(b"x"), zlib.compress(b"yy")], "ZLIB").numpy().tolist() == [
        b"x",
        b"yy",
    ]
    assert tf.io.decode_compressed(gzip.compress(b"x"), "GZIP").numpy() == b"x"
    assert tf.io.decode_compressed(b"x").numpy() == b"x"
    with pytest.raises(tf.errors.DataLossError, match="not ZLIB data"):
        tf.io.decode_compressed(b"x", "ZLIB")
    with pytest.raises(tf.errors.InvalidArgumentError, match="'ZIP'"):
        tf.io.decode_compressed(b"x", "ZIP")


def test_json():
    text = '{"features": {"feature": {"x": {"floatList": {"value": [1.5]}}}}}'
    found = tf.train.Example.FromString(tf.io.decode_json_example([text]).numpy()[0])
    assert list(found.features.feature["x"].float_list.value) == [1.5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="JSON"):
        tf.io.decode_json_example("{")
