"""`tape.summary()`: counts, memory, and with provenance lines, layers and times."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.inspect import summary
from tapeflow.inspect.summary import entries_of, size_text, time_text


def test_memory_is_what_the_rules_keep():
    x = tf.Variable(np.ones((100, 100), np.float32))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.exp(x) * 2.0)
    entries = {e.operation: e for e in entries_of(tape)}
    assert entries["exp"].kept == 40_000 and entries["mul"].kept < 100 and entries["reduce_sum"].kept == 0
    assert "3 operations recorded, 40.0 kB kept" in summary.text(tape)
    tape.gradient(y, x)
    assert "The tape is spent" in summary.text(tape)


def test_an_array_counts_once():
    x = tf.Variable(np.ones(1000, np.float32))
    with tf.GradientTape() as tape:
        a = tf.exp(x)
        a * a, a * 3.0, tf.reshape(a, [10, 100]) * a[:10, None]
    assert sum(e.kept for e in entries_of(tape)) < 2 * 4000 + 500


def test_lines_layers_and_times_with_provenance(capsys):
    with tf.debugging.explain_gradients():
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(4, "relu", name="first"), tf.keras.layers.Dense(1, name="second")]
        )
        x = tf.ones([8, 3])
        model(x)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x)))
        tape.gradient(loss, model.trainable_variables)
    tape.summary()
    text = capsys.readouterr().out
    assert "test_summary.py" in text and "tf.square(model(x))" in text and "/first" in text and "backward" in text
    entries = entries_of(tape)
    sources = [e for e in entries if e.is_source]
    assert {e.watched for e in sources} == {v.path for v in model.trainable_variables}
    assert all(e.result and e.line for e in entries if not e.is_source)
    steps = tape._recording.listeners[0].steps
    assert all(e.tensor in steps for e in entries if not e.is_source)
    last = entries[-1]
    assert steps[last.tensor].norm == 1.0 and sum(steps[last.tensor].histogram[0]) == 1


def test_several_outputs_and_functions_are_entries():
    with tf.debugging.explain_gradients():
        x = tf.Variable([[1.0, 2.0], [3.0, 5.0]])
        with tf.GradientTape() as tape:
            q, r = tf.linalg.qr(x)
            y = tf.function(lambda t: tf.reduce_sum(t * t))(q) + tf.reduce_sum(r)
        tape.gradient(y, x)
    operations = [e.operation for e in entries_of(tape)]
    assert "qr" in operations and "add" in operations and len(operations) >= 5
    assert summary.text(tape).startswith(f"{sum(not e.is_source for e in entries_of(tape))} operations recorded")


def test_sizes_and_times():
    assert [size_text(n) for n in (0, 999, 1500, 250_000, 3e9)] == ["0 B", "999 B", "1.5 kB", "250 kB", "3.0 GB"]
    assert [time_text(s) for s in (2e-6, 3.25e-3, 2)] == ["2 µs", "3.2 ms", "2.00 s"]


def test_tape_that_was_never_entered():
    assert "never entered" in summary.text(tf.GradientTape())


def model_step(x, w):
    with tf.name_scope("model"):
        with tf.name_scope("first"):
            h = tf.sin(x * w)
        return tf.reduce_sum(tf.stop_gradient(h) * w)


@pytest.mark.parametrize("traced", [False, True])
def test_lines_and_scopes_survive_a_function(traced):
    w = tf.Variable([1.0, 2.0], name="w")
    step = tf.function(model_step) if traced else model_step
    with tf.debugging.explain_gradients():
        for _ in range(2):
            with tf.GradientTape() as tape:
                y = step(tf.constant([1.0, 1.0]), w)
            tape.gradient(y, w)
    found = [(e.operation, e.scope, e.source[:5]) for e in entries_of(tape) if not e.is_source]
    assert found[:2] == [("mul", "model/first", "h = t"), ("sin", "model/first", "h = t")]
    assert found[-1] == ("reduce_sum", "model", "retur")
    assert tape.explain(y, w)[0].connected


def test_a_tape_inside_a_function_knows_lines_and_scopes():
    w, found = tf.Variable([1.0, 2.0], name="w"), []

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            y = model_step(x, w)
        g = tape.gradient(y, w)
        found.append(summary.text(tape))
        found.append(tape.explain(y, w)[0])
        return g

    with tf.debugging.explain_gradients():
        g = step(tf.constant([1.0, 1.0]))
    np.testing.assert_allclose(g, np.sin([1.0, 2.0]), rtol=1e-6)
    assert "model/first" in found[0] and "h = tf.sin(x * w)" in found[0] and "kept" in found[0]
    assert " µs" not in found[0], "a trace takes another time than a run"
    assert found[1].connected


def test_a_cut_inside_a_function_has_its_line():
    w = tf.Variable(1.0)
    step = tf.function(lambda x: tf.stop_gradient(x) * 3.0)
    with tf.debugging.explain_gradients(), tf.GradientTape() as tape:
        y = step(w * 2.0)
    report = tape.explain(y, w)[0]
    assert report.kind == "stop_gradient" and report.where.startswith("test_summary.py:")
