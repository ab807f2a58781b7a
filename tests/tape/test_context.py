"""A tape is entered, left, paused and emptied, in whatever order, and watches what it is told."""

import logging

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.frames import current


def test_exceptions_inside_leave_no_tape_active():
    from tapeflow.core.frames import current

    for _ in range(3):
        with pytest.raises(ZeroDivisionError), tf.GradientTape(), tf.GradientTape():
            _ = 1 / 0
    assert current().observers == ()


def test_nothing_half_recorded_stays_behind():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        before = len(tape._recording.records)
        with pytest.raises(tf.errors.InvalidArgumentError):
            _ = x + tf.ones([3])
        assert len(tape._recording.records) == before
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 4.0])


def test_integer_watch_warns(caplog):
    with caplog.at_level(logging.WARNING, logger="tapeflow"), tf.GradientTape() as tape:
        tape.watch(tf.constant(1))
    assert "must be floating" in caplog.text


def test_a_value_read_before_an_inner_tape_is_a_constant_to_it():
    v = tf.Variable(3.0)
    with tf.GradientTape():
        before = v.read_value()
        with tf.GradientTape() as inner:
            y = before * v
    assert float(inner.gradient(y, v)) == 3.0


def test_watching_a_variable_that_was_read_already():
    """An operation used to go on with the tensor of the earlier read, which the tape did not know."""
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        _ = v * 2.0
        tape.watch(v)
        y = v * v
    assert float(tape.gradient(y, v)) == 6.0


def test_no_tape_stays_behind_after_stop_recording():
    """After a reset, or an exit, inside stop_recording() the old record used to go on recording for ever."""
    from tapeflow.core.frames import current

    with tf.GradientTape() as tape, tape.stop_recording(), pytest.raises(ValueError, match="not recording"):
        tape.reset()
    with tf.GradientTape() as tape, tape.stop_recording():
        tape.__exit__()
    assert current().observers == ()


def test_a_tape_that_nobody_left_ends_with_its_last_reference():
    """Ctrl-C at the first instruction of `__exit__` left it recording for ever, and all that came after was
    recorded."""
    tape = tf.GradientTape()
    tape.__enter__()
    before = current().observers
    del tape
    assert len(before) == 1 and not current().observers


def test_what_is_computed_in_a_pause_is_a_constant():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tape.stop_recording():
            square = x * x
        y = square * x
    assert float(tape.gradient(y, x)) == 9.0


def test_a_tape_that_is_reset_knows_nothing_of_what_was_before():
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * v
        tape.reset()
        assert tape.watched_variables() == ()
        z = x + v
    assert tape.gradient([y, z], {"x": x, "v": v}) == {"x": None, "v": tf.constant(1.0)}


def test_entered_again_a_tape_goes_on_with_its_record():
    x = tf.constant(3.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * x
    assert float(tape.gradient(z, x)) == 27.0
    with pytest.raises(ValueError, match="already recording"), tape, tape:
        pass
    assert current().observers == ()


def test_tapes_need_not_be_left_in_order():
    x = tf.constant(3.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    second.__enter__()
    first.watch(x)
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    assert current().observers == ()
    assert first.gradient(z, x) is None
    assert float(second.gradient(z, x)) == 27.0
