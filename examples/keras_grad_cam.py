"""Grad-CAM (Selvaraju et al., 2017): where in a picture did a convolutional network see what it says it saw?

    python examples/keras_grad_cam.py [--epochs N] [--picture FILE]

Each picture holds two of three shapes, and the network only learns which. A tape from one answer to the last feature
maps then weighs the maps by their gradients, and the heat lies on the shape that was asked for, a different one for
each answer.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

NAMES, SIZE, REACH = ["square", "disc", "cross"], 32, 4  # a shape reaches four pixels from its centre


def pictures(rng, count):
    """Two different shapes in different places, under noise. Gives the pictures, which shapes are there, and where
    each is (or NaN)."""
    row, column = np.mgrid[:SIZE, :SIZE]
    images = 0.25 * rng.normal(size=(count, SIZE, SIZE))
    labels, places = np.zeros([count, 3], "float32"), np.full([count, 3, 2], np.nan)
    for i in range(count):
        while True:
            (y0, x0), (y1, x1) = rng.uniform(REACH + 1, SIZE - REACH - 2, (2, 2))
            if max(abs(y0 - y1), abs(x0 - x1)) > 2.5 * REACH:
                break
        for kind, y, x in zip(rng.permutation(3)[:2], (y0, y1), (x0, x1)):
            dy, dx = np.abs(row - y), np.abs(column - x)
            inside = [
                np.maximum(dy, dx) < REACH - 0.5,
                np.hypot(dy, dx) < REACH,
                (np.minimum(dy, dx) < 1.2) & (np.maximum(dy, dx) < REACH),
            ]
            images[i] += inside[kind]
            labels[i, kind], places[i, kind] = 1.0, (y, x)
    return images[..., None].astype("float32"), labels, places


def build():
    inputs = x = keras.Input([SIZE, SIZE, 1])
    for i, filters in enumerate((8, 16, 32)):
        x = keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(
            x if i == 0 else keras.layers.MaxPooling2D()(x)
        )
        x = keras.layers.BatchNormalization(momentum=0.9)(x)
        x = keras.layers.ReLU(name=f"maps_{i + 1}")(x)
    return keras.Model(inputs, keras.layers.Dense(3)(keras.layers.GlobalAveragePooling2D()(x)))


def grad_cam(model, layer, images, asked):
    """How much each place of `layer` speaks for the class `asked`, for each picture; (count, height, width), at least
    zero."""
    both = keras.Model(model.input, [model.get_layer(layer).output, model.output])

    @tf.function
    def heat(images, asked):
        with tf.GradientTape() as tape:
            maps, logits = both(images, training=False)
            tape.watch(maps)
            answer = tf.gather(logits, asked, axis=1, batch_dims=1)
        weights = tf.reduce_mean(tape.gradient(answer, maps), axis=[1, 2], keepdims=True)
        return tf.nn.relu(tf.reduce_sum(weights * maps, axis=-1))

    return heat(tf.constant(images), tf.constant(asked, tf.int32)).numpy()


def peaks(heat):
    """Where the heat is greatest, in pixels of the picture, as (row, column)."""
    scale = SIZE / heat.shape[1]
    flat = heat.reshape(len(heat), -1).argmax(axis=1)
    return (np.stack(np.divmod(flat, heat.shape[2]), axis=1) + 0.5) * scale - 0.5


def main(epochs=12, count=1500, seed=0, picture=None):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    images, labels, _ = pictures(rng, count)
    unseen, truth, places = pictures(rng, 200)
    model = build()
    model.compile(
        keras.optimizers.Adam(5e-3),
        keras.losses.BinaryCrossentropy(from_logits=True),
        metrics=[keras.metrics.BinaryAccuracy(threshold=0.0)],
    )
    history = model.fit(images, labels, epochs=epochs, batch_size=50, verbose=0).history
    _, right = model.evaluate(unseen, truth, verbose=0)
    print(
        f"loss {history['loss'][0]:.3f} → {history['loss'][-1]:.3f}; {right:.1%} of its answers about new pictures "
        "are right"
    )
    picture_of, asked = np.nonzero(truth)
    heat = grad_cam(model, "maps_3", unseen[picture_of], asked)
    away = np.abs(peaks(heat)[:, None] - places[picture_of]).max(axis=2)
    chosen = np.arange(len(asked))
    on_it = float(np.mean(away[chosen, asked] < REACH + 2))
    other = np.nanmin(np.where(np.arange(3) == asked[:, None], np.nan, away), axis=1)
    on_other = float(np.mean(other < REACH + 2))
    print(
        f"the hottest place is on the shape that was asked for in {on_it:.0%} of {len(asked)} cases, on the other "
        f"one in {on_other:.0%}"
    )
    if picture:
        draw(picture, unseen[picture_of], heat, asked)
    return {"loss": history["loss"], "right": right, "on it": on_it, "on the other": on_other}


def draw(path, images, heat, asked, columns=6):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.7), layout="constrained")
    for i, axes in enumerate(
        figure.subplots(2, columns).T.flat
    ):  # the two questions about a picture are one above the other
        axes.imshow(images[i, ..., 0], cmap="gray", extent=(0, SIZE, SIZE, 0))
        axes.imshow(heat[i], cmap="inferno", alpha=0.55, extent=(0, SIZE, SIZE, 0), interpolation="bilinear")
        axes.set_title(f"{NAMES[asked[i]]}?", fontsize=10)
        axes.set(xticks=[], yticks=[])
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--picture", metavar="FILE", help="draw pictures and their heat here")
    options = parser.parse_args()
    main(options.epochs, picture=options.picture)
