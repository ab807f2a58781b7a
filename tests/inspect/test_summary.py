"""`tape.summary()`: counts, memory, and with provenance lines, layers and times."""

import numpy as np

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
    assert {e.watched for e in sources} == {"kernel", "bias"}
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
