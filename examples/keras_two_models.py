"""Two models, one tape: an encoder of pictures and an encoder of sounds learn from pairs to say the same thing.

    python examples/keras_two_models.py [--steps N] [--picture FILE]

A dot at some height and breadth of a picture goes with a chord whose two pitches are that height and breadth. The
models share a contrastive loss (as CLIP; Radford et al., 2021) and nothing else: one tape gives the gradients of both,
as nested as the lists it is asked for.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

SIZE, LENGTH, CODE, BATCH = 16, 64, 16, 64


def pairs(rng, count=BATCH, noise=0.1):
    """Pictures, the sounds that belong to them, and the places that both come from."""
    places = rng.uniform(size=(count, 2))
    y, x = np.mgrid[:SIZE, :SIZE] / (SIZE - 1)
    images = np.exp(-60 * ((y - places[:, :1, None]) ** 2 + (x - places[:, 1:, None]) ** 2))
    low, high = 2 + 6 * places[:, :1], 12 + 12 * places[:, 1:]
    time, phase = np.linspace(0, 1, LENGTH), rng.uniform(0, 2 * np.pi, (2, count, 1))
    sounds = np.sin(2 * np.pi * low * time + phase[0]) + np.sin(2 * np.pi * high * time + phase[1])
    noisy = lambda a: (a + noise * rng.normal(size=a.shape)).astype("float32")[..., None]
    return noisy(images), noisy(sounds), places


def build_eye():
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input([SIZE, SIZE, 1]),
            layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(CODE),
            layers.UnitNormalization(),
        ],
        name="eye",
    )


def build_ear():
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input([LENGTH, 1]),
            layers.Conv1D(32, 16, strides=2, activation="relu"),
            layers.Conv1D(32, 3, activation="relu"),
            layers.GlobalAveragePooling1D(),
            layers.Dense(64, activation="relu"),
            layers.Dense(CODE),
            layers.UnitNormalization(),
        ],
        name="ear",
    )


def found(likeness):
    """The share of pictures whose own sound is the most alike of all."""
    return float(np.mean(likeness.argmax(axis=1) == np.arange(len(likeness))))


def main(steps=600, seed=0, picture=None):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    eye, ear = build_eye(), build_ear()
    warmth = tf.Variable(2.0)  # logarithm of the inverse temperature, learned with the rest
    schedule = lambda: keras.optimizers.schedules.CosineDecay(3e-3, steps)
    eye_optimizer, ear_optimizer = keras.optimizers.Adam(schedule()), keras.optimizers.Adam(schedule())
    cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def train_step(images, sounds):
        with tf.GradientTape() as tape:
            likeness = tf.exp(warmth) * tf.matmul(
                eye(images, training=True), ear(sounds, training=True), transpose_b=True
            )
            own = tf.range(BATCH)
            loss = 0.5 * (cross_entropy(own, likeness) + cross_entropy(own, tf.transpose(likeness)))
        sources = [eye.trainable_variables, ear.trainable_variables, warmth]
        eye_gradients, ear_gradients, warmth_gradient = tape.gradient(loss, sources)
        eye_optimizer.apply_gradients(zip(eye_gradients, eye.trainable_variables))
        ear_optimizer.apply_gradients(zip(ear_gradients, ear.trainable_variables))
        warmth.assign_sub(0.1 * warmth_gradient)
        return loss

    images, sounds, places = pairs(np.random.default_rng(1234), 100)
    order = np.argsort(places[:, 0])  # by height, for the picture
    compare = lambda: eye.predict(images[order], verbose=0) @ ear.predict(sounds[order], verbose=0).T
    before, history = compare(), []
    for step in range(1, steps + 1):
        history.append(float(train_step(*map(tf.constant, pairs(rng)[:2]))))
        if step % max(1, steps // 6) == 0:
            print(
                f"step {step:4}  loss {np.mean(history[-20:]):.3f}, {found(compare()):4.0%} of new pictures find "
                "their sound among 100"
            )
    after = compare()
    print(f"before training it was {found(before):.0%}; by chance it would be 1%")
    if picture:
        draw(picture, before, after)
    return {"loss": history, "before": found(before), "after": found(after)}


def draw(path, before, after):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.2), layout="constrained")
    for axes, likeness, name in zip(figure.subplots(1, 2), (before, after), ("before", "after")):
        image = axes.imshow(likeness, cmap="viridis", vmin=-1, vmax=1)
        axes.set(title=f"{name} training", xlabel="sounds, by the height they stand for", ylabel="pictures, by height")
    figure.colorbar(image, ax=figure.axes, label="cosine of the two codes")
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--picture", metavar="FILE", help="draw who is like whom here")
    options = parser.parse_args()
    main(options.steps, picture=options.picture)
