"""Whichever engine runs the steps, results are the same but for rounding, and no clock is seen in them."""

import numpy as np
import pytest

import tapeflow as tf
from keras_tapeflow.src import steps

keras = tf.keras


def losses(shuffle=False, epochs=3, **how):
    keras.utils.set_random_seed(11)
    model = keras.Sequential(
        [
            keras.layers.Input((8,)),
            keras.layers.Dense(16, "relu"),
            keras.layers.Dropout(0.3),
            keras.layers.GaussianNoise(0.1),
            keras.layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse", **how)
    x = np.linspace(-1, 1, 64 * 8).reshape(64, 8).astype("float32")
    return model.fit(x, x[:, :1], batch_size=16, epochs=epochs, shuffle=shuffle, verbose=0).history["loss"]


ENGINES = {"plan": dict(jit_compile=False), "XLA": dict(jit_compile=True), "eager": dict(run_eagerly=True)}


@pytest.mark.parametrize("how", ENGINES.values(), ids=ENGINES)
def test_an_engine_gives_kerass_losses_on_tensorflow_every_time(how):
    """The engines used to draw other dropout masks."""
    first = losses(**how)
    np.testing.assert_allclose(first, [0.4952668845653534, 0.35658687353134155, 0.291503369808197], rtol=1e-5)
    assert losses(**how) == first


def test_trials_and_their_outcome_leave_no_trace(monkeypatch, caplog):
    """`fit` used to end with one of two losses, by how long its steps took."""
    pytest.importorskip("jax")
    want = losses(epochs=10, jit_compile=False)
    for worth in (0.0, float("inf")):  # XLA is tried at once, or never
        monkeypatch.setattr(steps, "_TRIED_AFTER", 2)
        monkeypatch.setattr(steps, "_WORTH", worth)
        monkeypatch.setattr(steps, "_LENGTH", 3)
        monkeypatch.setattr(steps, "_choices", {})
        with caplog.at_level("INFO", "tapeflow"):
            np.testing.assert_allclose(losses(epochs=10), want, rtol=1e-4)
        assert "Keras steps run by" in caplog.text


@pytest.mark.parametrize("engine", ["plan", "program"])
def test_a_choice_is_kept_for_the_same_graph(monkeypatch, engine):
    if engine == "program":
        pytest.importorskip("jax")
    kept = {}
    monkeypatch.setattr(steps, "_choices", kept)
    monkeypatch.setattr(steps, "_TRIED_AFTER", 1)
    monkeypatch.setattr(steps, "_LENGTH", 2)
    monkeypatch.setattr(steps, "_WORTH", float("inf"))
    losses()
    assert len(kept) == 1
    kept.update(dict.fromkeys(kept, engine))
    made = []
    of = steps.Step._one
    monkeypatch.setattr(steps.Step, "_one", lambda self, batch: (of(self, batch), made.append(self.chosen))[0])
    assert losses() and made[2:] == [engine] * len(made[2:])


def test_with_determinism_no_clock_decides(monkeypatch):
    monkeypatch.setitem(steps._state, "deterministic", True)
    monkeypatch.setattr(steps, "_WORTH", 0.0)
    monkeypatch.setattr(steps, "_choices", {})
    assert losses() == losses(jit_compile=False) and not steps._choices


def test_threads_draw_different_pairs_from_one_generator():
    import sys
    import threading

    generator = keras.random.SeedGenerator(3)
    found = [[] for _ in range(8)]
    work = lambda k: found[k].extend([tuple(generator.next().numpy().tolist()) for _ in range(100)])
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    finally:
        sys.setswitchinterval(before)
    assert len({pair for part in found for pair in part}) == 800
