"""`fit` of four small Keras models, milliseconds a step in the steady state: `KERAS_BACKEND=tapeflow python -m benchmarks.keras_fit [MODEL ...]`.

Run it once for each backend, one after the other, on a quiet machine; only ratios within one sitting mean anything.
"""

import os
import sys
import time

import numpy as np

if os.environ.setdefault("KERAS_BACKEND", "tapeflow") == "tapeflow":
    import tapeflow  # noqa: F401
import keras
from keras import layers


def mlp():
    model = keras.Sequential([layers.Dense(256, "relu"), layers.Dense(256, "relu"), layers.Dense(10)])
    return model, (784,), 10, 128


def cnn():
    blocks = [
        part for n in (32, 64, 128) for part in (layers.Conv2D(n, 3, padding="same", activation="relu"), layers.MaxPooling2D())
    ]
    return keras.Sequential([*blocks, layers.Flatten(), layers.Dense(10)]), (32, 32, 3), 10, 64


def lstm():
    return keras.Sequential([layers.LSTM(64), layers.Dense(10)]), (50, 16), 10, 64


def transformer():
    x = inputs = keras.Input((64, 64))
    for _ in range(2):
        attended = layers.MultiHeadAttention(4, 16)(x, x)
        x = layers.LayerNormalization()(x + attended)
        x = layers.LayerNormalization()(x + layers.Dense(64)(layers.Dense(256, "relu")(x)))
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x))), (64, 64), 10, 32


MODELS = {"mlp": mlp, "cnn": cnn, "lstm": lstm, "transformer": transformer}


def measured(name: str, epochs: int = 6, steps: int = 60) -> tuple[float, float]:
    """(The first epoch in seconds; the best of the later ones in milliseconds a step)."""
    model, shape, classes, batch = MODELS[name]()
    rng = np.random.default_rng(0)
    x = rng.normal(size=(batch * steps, *shape)).astype("float32")
    y = rng.integers(0, classes, batch * steps)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    times = []
    for _ in range(epochs):
        start = time.perf_counter()
        model.fit(x, y, batch_size=batch, epochs=1, verbose=0, shuffle=False)
        times.append(time.perf_counter() - start)
    return times[0], min(times[1:]) / steps * 1e3


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        first, step = measured(name)
        print(f"{keras.config.backend():<10} {name:<12} first epoch {first:6.1f} s   {step:8.2f} ms a step", flush=True)
