"""The older names for compilation."""

import pytest

import tapeflow as tf


def test_compiled_results_come_as_a_list():
    pytest.importorskip("jax", reason="the extra `xla` is not installed")
    compile = tf.xla.experimental.compile
    (one,) = compile(lambda x, y: x * y, [tf.constant(2.0), tf.constant(3.0)])
    assert float(one) == 6
    first, second = compile(lambda x: (x + 1, x - 1), [tf.constant(2.0)])
    assert (float(first), float(second)) == (3, 1)


def test_a_scope_changes_nothing_eagerly():
    with tf.xla.experimental.jit_scope(compile_ops=False):
        assert float(tf.constant(2.0) * 3) == 6
