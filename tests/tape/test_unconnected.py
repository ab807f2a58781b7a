"""`unconnected_gradients="error"` says why, for each source."""

import numpy as np
import pytest

import tapeflow as tf


def reason(build, trainable=True, watch=True, **options):
    """The error text for one source; `build(tape, x)` gives the target."""
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(**options) as tape:
        if watch:
            tape.watch(x)
        y = build(tape, x)
    with pytest.raises(ValueError) as error:
        tape.gradient(y, x, unconnected_gradients="error")
    return str(error.value)


def test_not_watched():
    assert "not watched" in reason(lambda tape, x: x * 2.0, watch=False)


def test_not_used():
    assert "does not use it" in reason(lambda tape, x: tf.reduce_sum(_watched(tape) * 2.0))


def _watched(tape):
    other = tf.constant([3.0])
    tape.watch(other)
    return other


def test_integer_source_and_target():
    n = tf.constant([1, 2])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(n)
        y = tf.cast(n, tf.float32)
    with pytest.raises(ValueError, match="int32 tensor"):
        tape.gradient(y, n, unconnected_gradients="error")
    assert "the target is int64" in reason(lambda tape, x: tf.argmax(x))


def test_left_through_numpy():
    text = reason(lambda tape, x: tf.constant(x.numpy() * 2.0))
    assert ".numpy()" in text and "test_unconnected.py" in text


def test_left_through_python_numbers():
    assert "float()" in reason(lambda tape, x: tf.constant(float(x[0]) * 2.0))


def test_behind_stop_gradient():
    text = reason(lambda tape, x: tf.stop_gradient(x * 2.0) * 3.0)
    assert "stop_gradient" in text and "test_unconnected.py" in text


def test_behind_stop_recording():
    def build(tape, x):
        with tape.stop_recording():
            y = x * 2.0
        return y * 3.0

    assert "stop_recording" in reason(build)


def test_non_differentiable_operation_is_named():
    assert "floor" in reason(lambda tape, x: tf.floor(x) * 2.0)
    assert "cast" in reason(lambda tape, x: tf.cast(tf.cast(x, tf.int32), tf.float32))


def test_target_computed_after_the_tape():
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(ValueError, match="after it closed"):
        tape.gradient(y * 2.0, x, unconnected_gradients="error")


def test_overwritten_by_assign():
    v = tf.Variable([0.0, 0.0])

    def build(tape, x):
        v.assign(x * 2.0)
        return v * 3.0

    assert "assign" in reason(build)


def test_variables():
    frozen, unread, v = tf.Variable(1.0, trainable=False), tf.Variable(1.0), tf.Variable(1.0)
    before = unread.read_value()
    with tf.GradientTape(persistent=True) as tape:
        y = v * frozen * before
    with pytest.raises(ValueError) as error:
        tape.gradient(y, {"f": frozen, "u": unread, "v": v}, unconnected_gradients="error")
    text = str(error.value)
    assert "['f']: the variable is not trainable" in text
    assert "['u']: the variable was not read" in text
    assert "['v']" not in text
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * 2.0
    with pytest.raises(ValueError, match="watch_accessed_variables=False"):
        tape.gradient(y, v, unconnected_gradients="error")


def test_connected_sources_raise_nothing():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x, unconnected_gradients="error").numpy() == np.float32(6.0)
