"""Arguments on bytes and files, as Python has them."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.strings.host import array_of, one_string, string_tensor, strings_of


def test_one_string():
    assert one_string(b"a", "name") == one_string("a", "name") == one_string(tf.constant("a"), "name") == b"a"
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"name must be scalar, got shape \[2\]"):
        one_string(["a", "b"], "name")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"name must be strings .*, got int32 values"):
        one_string(3, "name")


def test_arrays():
    assert strings_of([["a"], ["é"]], "words").tolist() == [[b"a"], [b"\xc3\xa9"]]
    assert array_of(tf.Variable([1, 2])).tolist() == [1, 2] and type(array_of(3)) is np.ndarray


def test_zeros_at_the_end_of_bytes_stay():
    """NumPy's text of fixed width would cut them off."""
    tensor = string_tensor([b"a\x00", b"", b"bcd\x00\x00", b"e"], (2, 2))
    assert tensor.numpy().tolist() == [[b"a\x00", b""], [b"bcd\x00\x00", b"e"]] and tensor.dtype == tf.string
