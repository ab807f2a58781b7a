"""What the specification's tables do not say about the tape."""

import copy
import logging
import pickle
import re

import numpy as np
import pytest

import tapeflow as tf


def test_a_failed_walk_spends_the_tape_and_says_so():
    x = tf.constant([3.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.lu(tf.reshape(tf.concat([x, x[::-1]], 0), [2, 2]))[0]
    with pytest.raises(LookupError, match="lu"):
        tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.gradient(y, x)


def test_refused_arguments_leave_the_tape_usable():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    for bad in (
        dict(target=None, sources=x),
        dict(target=y, sources=[x, None]),
        dict(target=y, sources=x, output_gradients=tf.ones([3])),
        dict(target=y, sources=x, unconnected_gradients="ZERO"),
    ):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
            tape.gradient(**bad)
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 4.0])


def test_errors_name_the_entry_that_is_wrong():
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(TypeError, match=r"\['b'\]\[1\] is None"):
        tape.gradient(y, {"a": x, "b": [x, None]})
    with pytest.raises(TypeError, match="float"):
        tape.gradient(3.0, x)
    with pytest.raises(ValueError, match="ndarray"), tf.GradientTape() as other:
        other.watch(np.ones(3))


def test_two_tapes_over_one_forward_pass():
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as a, tf.GradientTape() as b:
        y = v * w
        z = y * w
    assert float(a.gradient(y, v)) == 3.0
    assert float(b.gradient(z, w)) == 12.0


def test_gradients_of_integers_say_so_once(caplog):
    """A variable of ints is the first mistake of many; its gradient was None without a word."""
    count, x = tf.Variable(3, name="count"), tf.Variable(3.0)
    for _ in range(2):
        with tf.GradientTape(persistent=True) as tape:
            y, whole = count * count, tf.cast(x, tf.int32)
        assert tape.gradient(y, count) is None
        assert tape.gradient(whole, x) is None
    source, target = (r.getMessage() for r in caplog.records)
    assert re.match(r"At test_gradient_tape\.py:\d+: the gradient's source 'count:0' is of dtype int32;", source)
    assert source.endswith("Make a floating one: tf.Variable(1.0) in place of tf.Variable(1), or dtype=tf.float32.")
    assert "the gradient's target is of dtype int32" in target
    assert "before, not after" in target


def test_persistent_gradient_inside_warns_and_records(caplog):
    x = tf.constant(3.0)
    with caplog.at_level(logging.WARNING, logger="tapeflow"), tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        d = tape.gradient(x * x * x, x)
    assert "less efficient" in caplog.text
    assert float(tape.gradient(d, x)) == 18.0


def test_copies():
    tape = tf.GradientTape()
    with tape:
        pass
    with pytest.raises(TypeError):
        pickle.dumps(tape)
    with pytest.raises(TypeError):
        copy.deepcopy(tape)
    assert copy.copy(tape)._recording is tape._recording


def test_gradient_of_a_read_counts_only_that_read():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        first, second = v.read_value(), v.read_value()
        y = first * first * second
    assert [float(g) for g in tape.gradient(y, [first, second, v])] == [18.0, 9.0, 27.0]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_the_gradient_has_the_dtype_of_the_source(dtype):
    x = tf.constant([1.0, 2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(x) * 3.0 + 1.0 - x)
    g = tape.gradient(y, x)
    assert g.dtype is dtype
    np.testing.assert_allclose(tf.cast(g, tf.float64), 3 / np.cosh([1.0, 2.0]) ** 2 - 1, rtol=0.02, atol=0.02)


def test_mixed_precision_through_a_cast():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.tanh(tf.cast(x, tf.bfloat16)), tf.float32)
    g = tape.gradient(y, x)
    assert g.dtype is tf.float32
    np.testing.assert_allclose(g, 1 / np.cosh([1.0, 2.0]) ** 2, rtol=0.02)


def test_jacobians_match_gradients_row_by_row():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        parts = [x[0] * x[1], x[1] * x[2] * x[2]]
        y = tf.stack(parts)
    rows = [tape.gradient(p, x).numpy() for p in parts]
    np.testing.assert_allclose(tape.jacobian(y, x), rows)


def test_the_gradient_one_is_a_tensor_of_its_own():
    """It used to be one object for the whole program, so that watching it changed other gradients."""
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as first:
            first.watch(x)
            y = x + 1.0
        one = first.gradient(y, x)
        outer.watch(one)
        with tf.GradientTape() as second:
            second.watch(x)
            z = x * x
        d = second.gradient(z, x)
    assert outer.gradient(d, one) is None


def test_a_tape_opened_after_the_forward_pass_gives_no_part_of_a_second_derivative():
    """Reads of variables used to be told again to it, but not what was computed from them: it gave 12 instead of
    18."""
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as first:
        y = v * v * v
    with tf.GradientTape() as second:
        d = first.gradient(y, v)
    assert second.gradient(d, v) is None


def test_small_floats_are_summed_in_wide_ones():
    """Bare kernels used to add bfloat16 to bfloat16, which stops at 256."""
    b, x = tf.Variable(tf.zeros([2], tf.bfloat16)), tf.ones([1000, 2])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.cast(x, tf.bfloat16) + b
    np.testing.assert_array_equal(tf.cast(tape.gradient(y, b), tf.float32), [1000.0, 1000.0])
    w = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = tf.ones([1000, 2], tf.bfloat16) * tf.cast(w, tf.bfloat16)
    np.testing.assert_array_equal(tape.gradient(y, w), [1000.0, 1000.0])


def test_jacobians_of_what_is_not_connected_can_raise():
    """They used to give None, whatever was asked for."""
    x = tf.constant([1.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises(ValueError, match="not watched"):
        tape.jacobian(y, {"x": x}, unconnected_gradients="error")
    with pytest.raises(ValueError, match="no tangent"), tf.autodiff.ForwardAccumulator(x, x) as acc:
        acc.jvp(tf.constant(2.0), unconnected_gradients="error")
