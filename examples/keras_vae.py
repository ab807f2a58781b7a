"""A variational autoencoder (Kingma and Welling, 2014) finds out that angles close up on themselves.

    python examples/keras_vae.py [--epochs N] [--picture FILE]

Its pictures show a bar at some angle, and nothing says so: 256 grey values go through a code of two numbers and back.
A Keras model with its own `train_step`, a tape in it, is trained by `fit`; the gradient reaches the encoder through
the sampling.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

SIZE, CODE = 16, 2


def bars(rng, count):
    """Pictures of bars through the centre, and their angles in [0, π)."""
    angle = rng.uniform(0, np.pi, (count, 1, 1))
    y, x = (np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2)[:, None]
    across, along = x * np.sin(angle) - y * np.cos(angle), x * np.cos(angle) + y * np.sin(angle)
    images = 1 / (1 + np.exp(3 * (np.abs(across) - 1.5))) / (1 + np.exp(3 * (np.abs(along) - 6)))
    return images.reshape(count, SIZE * SIZE).astype("float32"), angle[:, 0, 0]


class Sampling(keras.layers.Layer):
    """A sample of the code's distribution, differentiable in its mean and log-variance."""

    def call(self, inputs):
        mean, log_variance = inputs
        return mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))


class VAE(keras.Model):
    def __init__(self):
        super().__init__()
        inputs = keras.Input([SIZE * SIZE])
        x = keras.layers.Dense(64, activation="relu")(inputs)
        mean, log_variance = keras.layers.Dense(CODE)(x), keras.layers.Dense(CODE)(x)
        self.encoder = keras.Model(inputs, [mean, log_variance, Sampling()([mean, log_variance])], name="encoder")
        self.decoder = keras.Sequential(
            [keras.Input([CODE]), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(SIZE * SIZE)],
            name="decoder",
        )
        self.trackers = [keras.metrics.Mean(name=name) for name in ("loss", "reconstruction", "divergence")]

    @property
    def metrics(self):
        return self.trackers

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_variance, code = self.encoder(data, training=True)
            logits = self.decoder(code, training=True)
            entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=data, logits=logits)
            reconstruction = tf.reduce_mean(tf.reduce_sum(entropy, axis=1))
            divergence = -0.5 * tf.reduce_mean(
                tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), axis=1)
            )
            loss = reconstruction + divergence
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        for tracker, value in zip(self.trackers, (loss, reconstruction, divergence)):
            tracker.update_state(value)
        return {tracker.name: tracker.result() for tracker in self.trackers}


def explained(codes, angles):
    """How much of the bars' direction, (cos 2a, sin 2a), is a linear function of the code: 1 is all, 0 nothing."""
    target = np.stack([np.cos(2 * angles), np.sin(2 * angles)], axis=1)
    features = np.concatenate([codes, np.ones([len(codes), 1])], axis=1)
    left = target - features @ np.linalg.lstsq(features, target, rcond=None)[0]
    return 1 - left.var() / target.var()


def main(epochs=30, count=2048, seed=0, picture=None):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    images, _ = bars(rng, count)
    unseen, angles = bars(rng, 500)
    model = VAE()
    model.compile(optimizer=keras.optimizers.Adam(2e-3))
    before = explained(model.encoder.predict(unseen, verbose=0)[0], angles)
    history = model.fit(images, epochs=epochs, batch_size=64, verbose=0).history
    codes = model.encoder.predict(unseen, verbose=0)[0]
    after = explained(codes, angles)
    for epoch in sorted({0, epochs // 4, epochs // 2, epochs - 1}):
        print(f"epoch {epoch + 1:3}  " + ", ".join(f"{name} {values[epoch]:.1f}" for name, values in history.items()))
    print(f"of the direction of bars it has not seen, the code explains {after:.0%} (before training: {before:.0%})")
    if picture:
        draw(picture, model, codes, angles)
    return {"loss": history["loss"], "explained": after}


def draw(path, model, codes, angles):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.3), layout="constrained")
    left, right = figure.subplots(1, 2)
    points = left.scatter(*codes.T, c=np.degrees(angles), cmap="twilight", s=10)
    left.set(title="codes of bars it has not seen", xlabel="code 1", ylabel="code 2", aspect="equal")
    figure.colorbar(points, ax=left, label="angle of the bar (degrees)", shrink=0.8)
    reach, side = float(np.abs(codes).max()), 11
    grid = np.stack(np.meshgrid(np.linspace(-reach, reach, side), np.linspace(reach, -reach, side)), axis=-1)
    decoded = tf.sigmoid(model.decoder(grid.reshape(-1, 2).astype("float32"))).numpy().reshape(side, side, SIZE, SIZE)
    right.imshow(
        decoded.transpose(0, 2, 1, 3).reshape(side * SIZE, side * SIZE),
        cmap="gray",
        extent=(-reach, reach, -reach, reach),
    )
    right.set(title="what the decoder makes of a code", xlabel="code 1")
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--picture", metavar="FILE", help="draw the codes here")
    options = parser.parse_args()
    main(options.epochs, picture=options.picture)
