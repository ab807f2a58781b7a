"""The observer of provenance knows much of every operation, keeps no values, and forgets."""

import gc
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.inspect import provenance as module
from tapeflow.inspect.numerics import Checker
from tapeflow.inspect.provenance import Provenance, attendance


def test_it_keeps_no_values():
    with tf.debugging.explain_gradients(), tf.debugging.enable_check_numerics():
        v = tf.Variable(np.ones(1000, np.float32))
        with tf.GradientTape() as tape:
            y = tf.exp(v * 2.0)
            loss = tf.reduce_sum(y)
        values = [weakref.ref(y.array), weakref.ref(tape._recording)]
        tape.gradient(loss, v)
        del y, loss, tape
        gc.collect()
        assert [value() for value in values] == [None, None]


@pytest.mark.parametrize("kind", [Provenance, Checker])
def test_it_forgets(monkeypatch, kind):
    monkeypatch.setattr(module, "_MOST", 50)
    with tf.debugging.explain_gradients() if kind is Provenance else tf.debugging.enable_check_numerics():
        provenance = attendance(kind).listener
        x = tf.constant(1.0)
        for _ in range(100):
            with tf.GradientTape() as tape:
                y = tf.Variable(1.0) * x
            tape.gradient(y, x)
        gc.collect()
        known = [value for value in vars(provenance).values() if isinstance(value, dict)]
        assert len(known) >= 3 and max(map(len, known)) <= 55 and len(provenance.tapes) <= 2
        assert max(provenance.origins) > 300 and y.serial in provenance.origins, "the latest are known"


def test_tapes_in_the_same_memory_are_not_confused():
    v = tf.Variable(1.0)
    with tf.debugging.explain_gradients():
        for _ in range(3):
            x = tf.constant([1.0])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x * v
            assert tape.explain(y, x).connected
            del tape, x
        x = tf.constant([1.0])
        early = x * x
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = early * 2.0
        assert tape.explain(z, x)[0].kind == "used too early"


def test_the_summary_counts_what_calls_of_functions_keep():
    @tf.function
    def wave(a):
        return tf.sin(tf.exp(a) * 2.0)

    v, lines = tf.Variable(np.ones(1000, np.float32)), []
    with tf.GradientTape() as tape:
        wave(v)
    tape.summary(lines.append)
    assert lines[0].startswith("3 operations recorded, 12.0 kB kept")


def test_a_checker_does_not_hide_the_provenance():
    v, lines = tf.Variable(1.0), []
    with tf.debugging.enable_check_numerics():
        with tf.GradientTape() as tape:
            y = tf.exp(v)
        tape.gradient(y, v)
        tape.summary(lines.append)
        with tf.debugging.explain_gradients():
            with tf.GradientTape() as tape:
                y = tf.exp(v)
            tape.gradient(y, v)
            tape.summary(lines.append)
    assert (
        lines[0].startswith("The tape is spent")
        and lines[1].startswith("1 operation recorded")
        and "backward" in lines[1]
    )


def test_the_summary_opens_functions_and_names_custom_gradients():
    @tf.function
    def double(a):
        return a * 2.0

    @tf.custom_gradient
    def triple(a):
        return a * 3.0, lambda g: g * 3.0

    v, lines = tf.Variable(1.0), []
    with tf.GradientTape() as tape:
        triple(double(v))
    tape.summary(lines.append)
    assert "mul " in lines[0] and "return a * 2.0" in lines[0] and "custom gradient triple" in lines[0]
