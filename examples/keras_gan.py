"""A convolutional GAN draws discs it has only heard about: two Keras models, two tapes over one forward pass.

    python examples/keras_gan.py [--steps N] [--picture FILE]

The pictures are 16×16, each with one disc of its own place and size. How disc-like a generated picture is, is measured
by something the generator never sees: the picture's moments say which disc it should be, and the difference to that
disc is counted.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

SIZE, NOISE, BATCH = 16, 16, 64


def render(x, y, radius):
    """Discs with a soft edge, as (count, SIZE, SIZE, 1) in [0, 1]."""
    row, column = np.mgrid[:SIZE, :SIZE]
    distance = np.hypot(column - x[:, None, None], row - y[:, None, None])
    return (1 / (1 + np.exp(2 * (distance - radius[:, None, None]))))[..., None].astype("float32")


def discs(rng, count):
    x, y = rng.uniform(4.5, 10.5, (2, count))
    return render(x, y, rng.uniform(2.0, 4.0, count))


def unlike_a_disc(images):
    """The share of each picture's brightness that differs from the disc with the same centre and area."""
    mass = images.sum(axis=(1, 2, 3)) + 1e-6
    row, column = np.mgrid[:SIZE, :SIZE]
    x, y = ((images[..., 0] * axis).sum(axis=(1, 2)) / mass for axis in (column, row))
    nearest = render(x, y, np.sqrt(mass / np.pi))
    return float(np.mean(np.abs(images - nearest).sum(axis=(1, 2, 3)) / mass)), np.stack([x, y], axis=1)


def build_generator():
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input([NOISE]),
            layers.Dense(4 * 4 * 32, use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(0.2),
            layers.Reshape([4, 4, 32]),
            layers.Conv2DTranspose(32, 4, strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(0.2),
            layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="sigmoid"),
        ]
    )


def build_discriminator():
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input([SIZE, SIZE, 1]),
            layers.Conv2D(24, 4, strides=2, padding="same"),
            layers.LeakyReLU(0.2),
            layers.Conv2D(48, 4, strides=2, padding="same"),
            layers.LeakyReLU(0.2),
            layers.Dropout(0.2),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


def main(steps=800, seed=0, picture=None):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    generator, discriminator = build_generator(), build_discriminator()
    generator_optimizer = keras.optimizers.Adam(2e-3, beta_1=0.5)
    discriminator_optimizer = keras.optimizers.Adam(1e-3, beta_1=0.5)
    cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def train_step(real):
        noise = tf.random.normal([BATCH, NOISE])
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            fake = generator(noise, training=True)
            on_real, on_fake = discriminator(real, training=True), discriminator(fake, training=True)
            gen_loss = cross_entropy(tf.ones_like(on_fake), on_fake)
            disc_loss = cross_entropy(tf.fill(on_real.shape, 0.9), on_real) + cross_entropy(
                tf.zeros_like(on_fake), on_fake
            )
        gen_gradients = gen_tape.gradient(gen_loss, generator.trainable_variables)
        disc_gradients = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
        generator_optimizer.apply_gradients(zip(gen_gradients, generator.trainable_variables))
        discriminator_optimizer.apply_gradients(zip(disc_gradients, discriminator.trainable_variables))

    seeds, history, shown = tf.random.normal([256, NOISE]), [], []
    for step in range(steps + 1):
        if step % max(1, steps // 8) == 0:
            images = generator(seeds, training=step == 0).numpy()  # before the first step there are no moving averages
            error, centres = unlike_a_disc(images)
            history.append({"step": step, "error": error, "spread": float(centres.std(axis=0).mean())})
            shown.append(images[:8])
            print(
                f"step {step:5}  {error:5.1%} of a picture is not a disc, centres spread by "
                f"{history[-1]['spread']:.2f} pixels"
            )
        train_step(tf.constant(discs(rng, BATCH)))
    real = discs(rng, 256)
    print(
        f"real pictures:  {unlike_a_disc(real)[0]:.1%}, spread {unlike_a_disc(real)[1].std(axis=0).mean():.2f} pixels"
    )
    if picture:
        draw(picture, history, shown, real)
    return history


def draw(path, history, shown, real):
    from matplotlib.figure import Figure

    rows = [*[(f"step {h['step']}", images) for h, images in zip(history, shown)][::2], ("real", real[:8])]
    figure = Figure(figsize=(6.5, 5), layout="constrained")
    for axes, (name, images) in zip(figure.subplots(len(rows), 1), rows):
        axes.imshow(
            np.concatenate([np.pad(i[..., 0], 1, constant_values=1.0) for i in images], axis=1),
            cmap="magma",
            vmin=0,
            vmax=1,
        )
        axes.set(xticks=[], yticks=[])
        axes.set_ylabel(name, rotation=0, ha="right", va="center")
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--picture", metavar="FILE", help="draw generated discs here")
    options = parser.parse_args()
    main(options.steps, picture=options.picture)
