"""Operations compiled for TensorFlow are refused, with the way to write one."""

import pytest

import tapeflow as tf


@pytest.mark.parametrize("load", [tf.load_op_library, tf.load_library])
def test_refused(load):
    with pytest.raises(tf.errors.UnimplementedError, match=r"zero_out.so has .* tf.custom_gradient"):
        load("zero_out.so")
