"""Text, bytes, paths and sizes."""

import pathlib

import pytest

import tapeflow as tf

compat = tf.compat


def test_text_and_bytes():
    assert compat.as_bytes("é") == b"\xc3\xa9" == compat.as_bytes(bytearray(b"\xc3\xa9"))
    assert compat.as_text(b"\xe9", "latin1") == compat.as_str("é") == "é"
    assert [compat.as_str_any(v) for v in (b"a", "b", 3)] == ["a", "b", "3"]
    for convert in (compat.as_bytes, compat.as_text):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
            convert(3)


def test_paths():
    assert compat.path_to_str(pathlib.PurePosixPath("a/b")) == "a/b" and compat.path_to_str(3) == 3


def test_sizes():
    shape = tf.TensorShape([2, None])
    assert compat.dimension_value(compat.v1.Dimension(3)) == compat.dimension_value(3) == 3
    assert [compat.dimension_at_index(shape, i).value for i in (0, 1)] == [2, None]
    assert compat.dimension_at_index(tf.TensorShape(None), 5).value is None


def test_kinds_of_numbers():
    assert isinstance(tf.constant(1).numpy(), compat.integral_types)
    assert not isinstance(1.0, compat.integral_types) and isinstance(1.0, compat.real_types)
    assert not isinstance(1j, compat.real_types) and isinstance(1j, compat.complex_types)
    assert compat.v2 is tf
