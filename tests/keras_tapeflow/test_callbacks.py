"""The gradient monitor as a callback: in every way that `fit` has of running a step."""

import logging
import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.listeners import board

keras = tf.keras

MODES = {
    "eager": {"run_eagerly": True},
    "plan": {"jit_compile": False},
    "xla": {"jit_compile": True},
    "auto": {"jit_compile": "auto"},
    "several": {"jit_compile": False, "steps_per_execution": 3},
}
RATE = 0.05


@pytest.fixture(autouse=True)
def left_clean():
    yield
    assert not board.listeners()


def data(size=48):
    x = np.random.default_rng(0).normal(size=(size, 6)).astype("float32")
    return x, x[:, :1] - 2 * x[:, 1:2]


def linear():
    keras.utils.set_random_seed(1)
    inputs = keras.Input((6,))
    return keras.Model(inputs, keras.layers.Dense(1, name="dense")(inputs))


def by_hand(x, y, kernel, batch):
    """(norm of gradient, norm of weight, ratio) of the kernel of a linear model, step by step, with plain gradient
    descent."""
    bias, found = np.zeros(1), []
    for k in range(0, len(x), batch):
        error = x[k : k + batch] @ kernel + bias - y[k : k + batch]
        gradient = 2 * x[k : k + batch].T @ error / batch
        norm = np.linalg.norm(kernel)
        found.append((np.linalg.norm(gradient), norm, RATE * np.linalg.norm(gradient) / norm))
        kernel, bias = kernel - RATE * gradient, bias - RATE * 2 * error.mean(0)
    return found


@pytest.mark.parametrize("mode", MODES)
def test_what_it_measures_in_every_mode(mode):
    model = linear()
    x, y = data()
    expected = by_hand(x.astype("f8"), y, model.get_weights()[0].astype("f8"), 4)
    model.compile(keras.optimizers.SGD(RATE), "mse", **MODES[mode])
    callback = tf.debugging.GradientMonitorCallback(every=5, terminal=False)
    model.fit(x, y, batch_size=4, shuffle=False, verbose=0, callbacks=[callback])
    found = [m for m in callback.monitor.history if m.name == "dense/kernel"]
    assert [m.step for m in found] == [1, 6, 11]
    for m in found:
        np.testing.assert_allclose([m.gradient, m.weight, m.update], expected[m.step - 1], rtol=1e-3)
    assert {m.name for m in callback.monitor.history} == {"dense/kernel", "dense/bias"}


@pytest.mark.parametrize("jit", [False, True])
def test_training_is_the_same_with_and_without(jit):
    losses = []
    for callbacks in ([], [tf.debugging.GradientMonitorCallback(every=2, terminal=False)]):
        model = linear()
        model.compile("adam", "mse", jit_compile=jit)
        losses.append(
            model.fit(*data(), batch_size=8, epochs=3, shuffle=False, verbose=0, callbacks=callbacks).history["loss"]
        )
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)


def test_a_model_that_was_trained_before_and_is_after():
    model = linear()
    model.compile("sgd", "mse", jit_compile=False)
    fit = lambda *callbacks: model.fit(*data(), batch_size=8, verbose=0, callbacks=list(callbacks))
    fit()
    count = model.train_function.plan.experimental_get_tracing_count()
    callback = tf.debugging.GradientMonitorCallback(every=3, terminal=False)
    for _ in range(2):
        fit(callback)
        fit()
    assert [m.step for m in callback.monitor.history if m.name == "dense/bias"] == [1, 4, 7, 10]
    assert model.train_function.plan.experimental_get_tracing_count() == count + 1


def test_auto_changes_the_engine_under_way(monkeypatch):
    pytest.importorskip("jax")
    monkeypatch.setattr("keras_tapeflow.src.steps._WORTH", 0)
    model = linear()
    x, y = data(90 * 4)
    expected = by_hand(x.astype("f8"), y, model.get_weights()[0].astype("f8"), 4)
    model.compile(keras.optimizers.SGD(RATE), "mse")
    callback = tf.debugging.GradientMonitorCallback(every=1, terminal=False)
    model.fit(x, y, batch_size=4, shuffle=False, verbose=0, callbacks=[callback])
    assert model.train_function.chosen is not None
    found = [m for m in callback.monitor.history if m.name == "dense/kernel"]
    assert [m.step for m in found] == list(range(1, 91))
    np.testing.assert_allclose([m.gradient for m in found][:30], [e[0] for e in expected][:30], rtol=1e-2)


class Gan(keras.Model):
    def __init__(self):
        super().__init__()
        self.generator = keras.Sequential([keras.Input((3,)), keras.layers.Dense(6, name="last")], name="generator")
        self.critic = keras.Sequential([keras.Input((6,)), keras.layers.Dense(1, name="score")], name="critic")

    def compile(self, **options):
        super().compile(**options)
        self.of_generator, self.of_critic = keras.optimizers.SGD(0.01), keras.optimizers.SGD(0.01)

    def train_step(self, batch):
        noise = tf.random.normal([tf.shape(batch)[0], 3])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.critic(self.generator(noise))) - tf.reduce_mean(self.critic(batch))
        variables = self.critic.trainable_weights
        self.of_critic.apply_gradients(zip(tape.gradient(loss, variables), variables))
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.critic(self.generator(noise)))
        variables = self.generator.trainable_weights
        self.of_generator.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


@pytest.mark.parametrize("mode", ["eager", "plan", "xla"])
def test_two_tapes_in_a_train_step(mode, tmp_path):
    pytest.importorskip("tensorboardX")
    model = Gan()
    model.compile(**MODES[mode])
    callback = tf.debugging.GradientMonitorCallback(every=4, log_dir=tmp_path, terminal=False)
    model.fit(data()[0], batch_size=8, verbose=0, callbacks=[callback])
    steps = {}
    for m in callback.monitor.history:
        steps.setdefault(m.name, []).append(m.step)
        assert (
            m.name == "critic/score/bias" or m.gradient > 0 and (m.update > 0 or m.weight == 0)
        )  # which this loss does not depend on
    assert steps == {
        f"{name}/{part}": [1, 5] for name in ("critic/score", "generator/last") for part in ("kernel", "bias")
    }
    assert not callback.monitor.warnings
    [file] = tmp_path.iterdir()
    text = file.read_bytes()
    assert b"gradients/generator/last/kernel/norm" in text and b"gradients/global_norm_2" in text


def test_curves_for_tensorboard(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    pytest.importorskip("tensorboardX")
    model = linear()
    model.compile("sgd", "mse")
    callback = tf.debugging.GradientMonitorCallback(every=5, log_dir=tmp_path / "logs", terminal=False)
    model.fit(*data(), batch_size=4, verbose=0, callbacks=[callback])
    events = accumulator.EventAccumulator(str(tmp_path / "logs")).Reload()
    assert [e.step for e in events.Tensors("gradients/dense/kernel/norm")] == [1, 6, 11]


def test_dead_units_are_reported(caplog):
    keras.utils.set_random_seed(0)
    inputs = keras.Input((6,))
    hidden = keras.layers.Dense(
        8, activation="relu", name="hidden", bias_initializer=keras.initializers.Constant(-50.0)
    )(inputs)
    model = keras.Model(inputs, keras.layers.Dense(1, name="last")(hidden))
    model.compile("sgd", "mse", jit_compile=False)
    callback = tf.debugging.GradientMonitorCallback(every=2, terminal=False)
    with caplog.at_level(logging.WARNING, "tapeflow"):
        model.fit(*data(), batch_size=8, verbose=0, callbacks=[callback])
    assert (
        "step 5, hidden/kernel: 100% of its units got no gradient in the last 3 measurements."
        in callback.monitor.warnings
    )
    assert any("hidden/kernel" in r.message for r in caplog.records)


def test_a_fit_that_fails_ends_the_monitor():
    model = linear()
    model.compile("sgd", "mse")

    class Failing(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if batch == 3:
                raise KeyboardInterrupt

    callback = tf.debugging.GradientMonitorCallback(every=1, terminal=False)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*data(), batch_size=8, verbose=0, callbacks=[callback, Failing()])
    assert not board.listeners()
    assert [m.step for m in callback.monitor.history if m.name == "dense/bias"] == [1, 2, 3]
    model.fit(*data(), batch_size=8, verbose=0, callbacks=[callback])
    assert len(callback.monitor.history) == 2 * (3 + 6)


def test_mixed_precision():
    keras.utils.set_random_seed(0)
    inputs = keras.Input((6,))
    layer = keras.layers.Dense(1, name="dense", dtype="mixed_bfloat16")
    model = keras.Model(inputs, layer(inputs))
    model.compile("sgd", "mse", jit_compile=False)
    callback = tf.debugging.GradientMonitorCallback(every=2, terminal=False)
    model.fit(*data(), batch_size=8, verbose=0, callbacks=[callback])
    assert len(callback.monitor.history) == 6 and not callback.monitor.warnings


def test_keras_is_imported_only_for_the_callback():
    program = (
        "import sys, tapeflow as tf; tf.debugging.GradientMonitor; a = 'keras' in sys.modules; "
        "tf.debugging.GradientMonitorCallback; print(a, 'keras' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "True"]
