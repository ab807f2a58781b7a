"""What concerns how TensorFlow runs operations changes nothing here."""

import pytest

import tapeflow as tf


def test_contexts_change_nothing():
    with tf.experimental.async_scope(), tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        assert float(tf.function(lambda x: x * 2)(tf.constant(3.0))) == 6
    with pytest.raises(KeyError), tf.experimental.async_scope():
        raise KeyError  # an error comes out at once
    tf.experimental.async_clear_error()


def test_file_systems_are_refused():
    with pytest.raises(tf.errors.UnimplementedError, match=r"s3.so is compiled for TensorFlow"):
        tf.experimental.register_filesystem_plugin("s3.so")


def test_narrow_types_are_those_of_dtypes():
    for name in ("float8_e4m3fn", "float8_e5m2", "int4", "uint4"):
        assert getattr(tf.experimental, name) is getattr(tf.dtypes.experimental, name)
