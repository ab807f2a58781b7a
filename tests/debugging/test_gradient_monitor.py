"""The gradient monitor: it says what is wrong, and writes what it finds for TensorBoard."""

import logging
import math

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.inspect.gradient_numbers import norm
from tests.inspect.monitored import ENGINES, Net, left_clean, monitor, on, random  # noqa: F401  (a fixture)

# ---- what is wrong


def deep(activation, depth=14, width=12, scale=1.0):
    layers = [tf.Variable(scale * random(width, width, seed=k) / width**0.5, name=f"layer{k}") for k in range(depth)]
    x = tf.constant(random(8, width, seed=99))

    def step():
        with tf.GradientTape() as tape:
            h = x
            for w in layers:
                h = activation(h @ w)
            loss = tf.reduce_mean(h**2)
        for w, g in zip(layers, tape.gradient(loss, layers)):
            w.assign_sub(1e-3 * g)
        return loss

    return step


@pytest.mark.parametrize("engine", ENGINES)
def test_a_deep_sigmoid_network_vanishes(engine, caplog):
    step = on(engine, deep(tf.sigmoid, scale=0.5))
    with monitor(every=2) as watching:
        for _ in range(6):
            step()
    vanishing = [w for w in watching.warnings if "vanishes" in w]
    assert vanishing and vanishing[0].startswith("step 1, layer0: its gradient vanishes: a norm of ")
    assert len(vanishing) == len(set(vanishing)) < 14 and not any("layer13" in w for w in watching.warnings)
    assert watching.notes["layer0"] == "vanishing"
    assert [r.levelno for r in caplog.records if "layer0:" in r.message] == [logging.WARNING]
    # The log is not flooded: three in full, and how many more.
    assert len(caplog.records) == 4 and caplog.records[-1].message.startswith(
        f"Gradients: step 1, vanishing: {len(vanishing) - 3} more, "
    )


def test_a_healthy_network_is_not_complained_of():
    step = deep(tf.tanh, depth=3, scale=1.5)
    with monitor(every=2) as watching:
        for _ in range(10):
            step()
    assert not watching.warnings


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exploding_recurrence(engine):
    kernel, last = tf.Variable(1.6 * np.eye(4, dtype="f"), name="recurrent"), tf.Variable(random(4, 1), name="last")

    def step():
        with tf.GradientTape() as tape:
            state = tf.ones([2, 4])
            for _ in range(60):
                state = state @ kernel
            loss = tf.reduce_sum(state @ last) * 1e-4
        tape.gradient(loss, [kernel, last])
        return loss

    with monitor() as watching:
        on(engine, step)()
    assert any(w.startswith("step 1, recurrent: its gradient explodes") for w in watching.warnings)
    assert not any("vanish" in w for w in watching.warnings)


def test_a_gradient_that_explodes_after_a_while():
    v = tf.Variable(np.ones((2, 2), "f"), name="v")
    with monitor() as watching:
        for scale in [1.0, 1.1, 0.9, 1.0, 150.0]:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v) * scale
            tape.gradient(loss, v)
    assert watching.warnings == [
        "step 5, v: its gradient explodes: a norm of 300 after 2; clip it, or lower the learning rate."
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_dead_units(engine):
    """Three of four units of the first layer have a bias that no input overcomes."""
    hidden, last = tf.Variable(random(6, 8), name="hidden"), tf.Variable(np.ones((8, 1), "f"), name="last")
    bias = tf.Variable(np.array([0, -99] * 2 + [-99] * 4, "f"), name="bias")
    x = tf.constant(random(32, 6, seed=3))

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.nn.relu(x @ hidden + bias) @ last) ** 2)
        variables = [hidden, bias, last]
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(1e-3 * g)
        return loss

    with monitor() as watching:
        for k in range(4):
            on(engine, step)()
            if k == 2:
                watching.step()
                assert any("hidden" in w for w in watching.warnings)
    assert watching.history[0].dead == watching.history[1].dead == 0.75
    assert [w for w in watching.warnings if "hidden" in w] == [
        "step 3, hidden: 75% of its units got no gradient in the last 3 measurements."
    ]


def test_a_gradient_that_is_always_zero():
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")
    with monitor() as watching:
        for k in range(4):
            with tf.GradientTape() as tape:
                loss = v * 0.0 + w * (0.0 if k == 1 else 1.0)
            tape.gradient(loss, [v, w])
    [warning] = watching.warnings
    assert warning == "step 3, v: its gradient was exactly 0 in the last 3 measurements: it has no effect on the loss."


def test_units_that_only_rest_are_not_dead():
    """With one example in a batch, most units of a ReLU layer get no gradient at a time."""
    v = tf.Variable(np.ones(8, "f"), name="v")
    with monitor() as watching:
        for k in range(9):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v[k % 3 :: 3])
            tape.gradient(loss, v)
    assert not watching.warnings and watching.history[0].dead > 0.5 and watching.history[-1].dead == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_gradients_that_are_not_finite(engine):
    v = tf.Variable([0.0, 1.0], name="v")

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(v))
        tape.gradient(loss, v)
        return loss

    with monitor() as watching:
        on(engine, step)()
    [warning] = watching.warnings
    assert warning.startswith("step 1, v: its gradient has NaN or infinite entries") and not math.isfinite(
        watching.history[0].gradient
    )


def test_updates_that_are_too_fast():
    net = Net(rate=1.0)
    with monitor() as watching:
        net.step(tf.constant(net.x))
    [warning] = watching.warnings  # of the weight; the bias begins at zero
    assert warning.startswith("step 1, w: one update changes it by ")


@pytest.mark.parametrize("values", [[3, 4], [1e-30, 1e-30], [1e30, 1e30], [0, 0], [np.inf, 1], [np.nan, 1], []])
def test_norm(values):
    array = np.array(values, "float32")
    np.testing.assert_allclose(norm(array), np.linalg.norm(array.astype("float64")), rtol=1e-6)


# ---- where it goes


def scalars(path):
    pytest.importorskip("tensorboardX")
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tensor_util

    events = EventAccumulator(str(path), size_guidance={"tensors": 0}).Reload()
    tags = events.Tags()["tensors"]
    assert all(events.SummaryMetadata(tag).plugin_data.plugin_name == "scalars" for tag in tags)
    return {
        tag: {e.step: float(tensor_util.make_ndarray(e.tensor_proto)) for e in events.Tensors(tag)} for tag in tags
    }


@pytest.mark.parametrize("how", ["directory", "writer", "default"])
def test_tensorboard_reads_what_is_written(tmp_path, how):
    pytest.importorskip("tensorboardX")
    net = Net()
    step = tf.function(net.step)
    writer = tf.summary.create_file_writer(tmp_path) if how != "directory" else None
    if how == "default":
        with writer.as_default(), tf.name_scope("training"), monitor(every=3) as watching:
            for _ in range(5):
                step(tf.constant(net.x))
    else:
        with monitor(every=3, writer=writer or tmp_path) as watching:
            for _ in range(5):
                step(tf.constant(net.x))
    found = scalars(tmp_path)
    parts = {f"gradients/{v}/{what}" for v in "wb" for what in ("norm", "update_ratio", "dead_units")}
    assert found.keys() == parts | {"gradients/global_norm"}
    for name in "wb":
        rows = [m for m in watching.history if m.name == name]
        assert found[f"gradients/{name}/norm"] == pytest.approx({m.step: m.gradient for m in rows})
        assert found[f"gradients/{name}/update_ratio"] == pytest.approx({m.step: m.update for m in rows if m.weight})
    both = {step: math.hypot(*[m.gradient for m in watching.history if m.step == step]) for step in (1, 4)}
    assert found["gradients/global_norm"] == pytest.approx(both)


def test_a_log_directory_that_cannot_be_made_leaves_nothing_behind(tmp_path):
    pytest.importorskip("tensorboardX")
    (tmp_path / "file").write_text("")
    with pytest.raises((OSError, tf.errors.OpError)), monitor(writer=tmp_path / "file" / "logs"):
        pass


def test_no_tensorboardx_is_needed_without_a_writer(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX", None)
    net = Net()
    with monitor() as watching:
        net.step(tf.constant(net.x))
    assert watching.history


def test_summary():
    step = deep(tf.sigmoid, depth=60, scale=1.5)
    with monitor() as watching:
        step()
    text = watching.summary().splitlines()
    assert text[0].startswith("gradients at step 1, global norm ")
    assert text[1].split() == ["variable", "gradient", "weight", "update", "dead", "history"]
    assert text[2].split()[0] == "layer0" and text[2].endswith("vanishing")
    assert "… and 20 more" in text and text[-1] == watching.warnings[-1]
