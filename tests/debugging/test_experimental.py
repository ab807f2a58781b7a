"""Dumps for TensorFlow's debugger are refused, with what finds the same."""

import pytest

import tapeflow as tf


def test_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="enable_check_numerics"):
        tf.debugging.experimental.enable_dump_debug_info("folder")
    assert tf.debugging.experimental.disable_dump_debug_info() is None
