"""The Keras models of `benchmarks.keras_fit`, and a process that trains one of them an epoch at a time:
`keras_models.py BACKEND MODEL`.

It prints a line when it is ready and, for each line that it reads, milliseconds a step. Nothing of this package is
imported: it runs in the backends' own environments.
"""

import os
import sys
import time

STEPS = 60


def mlp(keras, layers):
    return keras.Sequential([layers.Dense(256, "relu"), layers.Dense(256, "relu"), layers.Dense(10)]), (784,), 128


def cnn(keras, layers):
    blocks = [
        part
        for n in (32, 64, 128)
        for part in (layers.Conv2D(n, 3, padding="same", activation="relu"), layers.MaxPooling2D())
    ]
    return keras.Sequential([*blocks, layers.Flatten(), layers.Dense(10)]), (32, 32, 3), 64


def lstm(keras, layers):
    return keras.Sequential([layers.LSTM(64), layers.Dense(10)]), (50, 16), 64


def transformer(keras, layers):
    x = inputs = keras.Input((64, 64))
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 16)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(64)(layers.Dense(256, "relu")(x)))
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x))), (64, 64), 32


MODELS = {"mlp": mlp, "cnn": cnn, "lstm": lstm, "transformer": transformer}


def main(backend: str, name: str) -> None:
    os.environ["KERAS_BACKEND"] = backend
    if backend == "tapeflow":
        import tapeflow  # noqa: F401
    import keras
    import numpy as np

    model, shape, batch = MODELS[name](keras, keras.layers)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(batch * STEPS, *shape)).astype("float32")
    y = rng.integers(0, 10, batch * STEPS)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))

    def epoch() -> float:
        start = time.perf_counter()
        model.fit(x, y, batch_size=batch, epochs=1, verbose=0, shuffle=False)
        return (time.perf_counter() - start) / STEPS * 1e3

    first = epoch() * STEPS / 1e3
    epoch(), epoch()
    engine = getattr(model.train_function, "chosen", None)  # of tapeflow's two
    print(f"{first:.1f}", {"plan": "NumPy plan", "program": "XLA"}.get(engine, ""), sep="\t", flush=True)
    for _ in sys.stdin:
        print(epoch(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
