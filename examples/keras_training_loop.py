"""A training loop written out: a Keras model, a loss, an optimizer and metrics, held together by a tape.

    python examples/keras_training_loop.py [--epochs N] [--picture FILE]

The model tells sine, square, sawtooth and triangle waves apart, of any pitch and phase, under noise. What `fit` does
is spelled out: the step is compiled, batch normalisation and dropout know whether they are in training, metrics are
gathered over an epoch and then reset.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

NAMES, LENGTH, BATCH = ["sine", "square", "sawtooth", "triangle"], 64, 64


def waves(rng, count, noise=0.5):
    labels = rng.integers(4, size=count)
    turns = rng.uniform(1.5, 4.0, (count, 1)) * np.linspace(0, 1, LENGTH) + rng.uniform(size=(count, 1))
    part = turns % 1.0
    shapes = np.stack([np.sin(2 * np.pi * turns), np.sign(0.5 - part), 2 * part - 1, 4 * np.abs(part - 0.5) - 1])
    clean = shapes[labels, np.arange(count)]
    return (clean + noise * rng.normal(size=clean.shape)).astype("float32")[..., None], labels.astype("int32")


def build():
    inputs = keras.Input([LENGTH, 1])
    x = inputs
    for filters in (16, 32, 32):
        x = keras.layers.Conv1D(filters, 5, strides=2, padding="same", use_bias=False)(x)
        x = keras.layers.BatchNormalization(momentum=0.9)(x)
        x = keras.layers.ReLU()(x)
    x = keras.layers.GlobalAveragePooling1D()(x)
    x = keras.layers.Dropout(0.2)(x)
    return keras.Model(inputs, keras.layers.Dense(4)(x))


def main(epochs=12, count=2048, seed=0, picture=None):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    train, test = waves(rng, count), waves(rng, 1024)
    model = build()
    loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(1e-2, epochs * (count // BATCH)))
    metrics = {
        "loss": keras.metrics.Mean(),
        "accuracy": keras.metrics.SparseCategoricalAccuracy(),
        "test accuracy": keras.metrics.SparseCategoricalAccuracy(),
    }

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_fn(y, logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        metrics["loss"].update_state(loss)
        metrics["accuracy"].update_state(y, logits)

    @tf.function
    def test_step(x, y):
        metrics["test accuracy"].update_state(y, model(x, training=False))

    history = []
    for epoch in range(1, epochs + 1):
        order = rng.permutation(count)
        for start in range(0, count, BATCH):
            chosen = order[start : start + BATCH]
            train_step(tf.constant(train[0][chosen]), tf.constant(train[1][chosen]))
        test_step(*map(tf.constant, test))
        history.append({name: float(metric.result()) for name, metric in metrics.items()})
        for metric in metrics.values():
            metric.reset_state()
        print(f"epoch {epoch:3}  " + ", ".join(f"{name} {value:.3f}" for name, value in history[-1].items()))
    if picture:
        draw(picture, history, test, model.predict(test[0], verbose=0).argmax(axis=1))
    return history


def draw(path, history, test, found):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=[1, 1.3])[0]
    axes = left.subplots()
    for name, colour in [("loss", "#c44e52"), ("accuracy", "#4c72b0"), ("test accuracy", "#55a868")]:
        axes.plot(range(1, len(history) + 1), [h[name] for h in history], color=colour, label=name)
    axes.set(xlabel="epoch", ylim=(0, None))
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    for i, axes in enumerate(right.subplots(3, 4).flat):
        axes.plot(test[0][i, :, 0], color="#4c72b0" if found[i] == test[1][i] else "#c44e52", linewidth=1)
        axes.set_title(NAMES[found[i]], fontsize=9)
        axes.set(xticks=[], yticks=[])
    right.suptitle("what the model calls waves it has not seen (red: wrong)", fontsize=10)
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--picture", metavar="FILE", help="draw the curves and a few waves here")
    options = parser.parse_args()
    main(options.epochs, picture=options.picture)
