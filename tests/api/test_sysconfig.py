"""What programs ask about the build; libraries of operations."""

import pytest

import tapeflow as tf


def test_what_programs_ask_about_the_build():
    assert tf.__git_version__ == tf.version.GIT_VERSION and tf.__compiler_version__ == tf.version.COMPILER_VERSION
    assert not tf.sysconfig.get_build_info()["is_cuda_build"] and tf.sysconfig.get_link_flags() == []
    assert isinstance(tf.function(lambda x: x), tf.types.experimental.GenericFunction)
    assert tf.errors.NotFoundError(None, None, "m").experimental_payloads == {}
    with pytest.raises(AssertionError, match="Unknown CPU target"):
        tf.test.is_cpu_target_available("abacus")
    with pytest.raises(tf.errors.UnimplementedError, match="compiled for TensorFlow"):
        tf.load_op_library("ops.so")
    assert tf.matrix_square_root([[4.0]]).numpy().tolist() == [[2.0]]
