"""A Wasserstein GAN with gradient penalty (Gulrajani et al., 2017) as a Keras model: its `train_step` has a tape
inside a tape.

    python examples/keras_wgan_gp.py [--epochs N] [--picture FILE]

Convolutional networks learn to make curves: waves of some pitch, phase and height. The penalty holds the critic's
slope near one between real and made curves, so the critic is trained through its own gradient; `fit` compiles all of
it.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

LENGTH, NOISE, BATCH, BATCHES = 32, 8, 64, 32


def curves(rng, count):
    height, pitch, phase = (
        rng.uniform(0.4, 1.0, (count, 1)),
        rng.uniform(0.8, 2.0, (count, 1)),
        rng.uniform(0, 1, (count, 1)),
    )
    return (height * np.sin(2 * np.pi * (pitch * np.linspace(0, 1, LENGTH) + phase))).astype("float32")[..., None]


def build_generator():
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input([NOISE]),
            layers.Dense(8 * 32, activation="relu"),
            layers.Reshape([8, 32]),
            layers.Conv1DTranspose(32, 4, strides=2, padding="same", activation="relu"),
            layers.Conv1DTranspose(16, 4, strides=2, padding="same", activation="relu"),
            layers.Conv1D(1, 5, padding="same"),
        ]
    )


def build_critic():
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input([LENGTH, 1]),
            layers.Conv1D(16, 5, strides=2, padding="same", activation="leaky_relu"),
            layers.Conv1D(32, 5, strides=2, padding="same", activation="leaky_relu"),
            layers.Flatten(),
            layers.Dense(32, activation="leaky_relu"),
            layers.Dense(1),
        ]
    )


class WGAN(keras.Model):
    def __init__(self, critic_steps=3, penalty=10.0):
        super().__init__()
        self.generator, self.critic = build_generator(), build_critic()
        self.critic_steps, self.penalty = critic_steps, penalty

    def compile(self, generator_optimizer, critic_optimizer):
        super().compile()
        self.generator_optimizer, self.critic_optimizer = generator_optimizer, critic_optimizer

    def slopes_between(self, real, made):
        """The length of the critic's gradient at random places between real and made curves."""
        part = tf.random.uniform([tf.shape(real)[0], 1, 1])
        between = part * real + (1 - part) * made
        with tf.GradientTape() as tape:
            tape.watch(between)
            score = self.critic(between, training=True)
        gradient = tape.gradient(score, between)
        return tf.sqrt(tf.reduce_sum(tf.square(gradient), axis=[1, 2]) + 1e-12)

    def train_step(self, real):
        noise = lambda: tf.random.normal([tf.shape(real)[0], NOISE])
        for _ in range(self.critic_steps):
            made = self.generator(noise(), training=True)
            with tf.GradientTape() as tape:
                gap = tf.reduce_mean(self.critic(real, training=True)) - tf.reduce_mean(
                    self.critic(made, training=True)
                )
                slopes = self.slopes_between(real, made)
                loss = self.penalty * tf.reduce_mean(tf.square(slopes - 1.0)) - gap
            gradients = tape.gradient(loss, self.critic.trainable_variables)
            self.critic_optimizer.apply_gradients(zip(gradients, self.critic.trainable_variables))
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.critic(self.generator(noise(), training=True), training=True))
        gradients = tape.gradient(loss, self.generator.trainable_variables)
        self.generator_optimizer.apply_gradients(zip(gradients, self.generator.trainable_variables))
        return {"gap": gap, "slope": tf.reduce_mean(slopes)}


def energy_distance(a, b):
    """Zero exactly when two clouds of curves have the same distribution (Székely)."""
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    mean = lambda p, q: np.linalg.norm(p[:, None] - q[None], axis=2).mean()
    return float(2 * mean(a, b) - mean(a, a) - mean(b, b))


def main(epochs=20, penalty=10.0, seed=0, picture=None):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    real, seeds = curves(rng, 500), rng.normal(size=(500, NOISE)).astype("float32")
    model = WGAN(penalty=penalty)
    adam = lambda rate, steps: keras.optimizers.Adam(
        keras.optimizers.schedules.PolynomialDecay(rate, steps, 1e-5), beta_1=0.0, beta_2=0.9
    )
    model.compile(adam(1e-3, epochs * BATCHES), adam(2e-3, epochs * BATCHES * model.critic_steps))
    distances = [energy_distance(model.generator.predict(seeds, verbose=0), real)]

    def report(epoch, logs):
        distances.append(energy_distance(model.generator.predict(seeds, verbose=0), real))
        if (epoch + 1) % max(1, epochs // 6) == 0:
            print(f"epoch {epoch + 1:3}  energy distance {distances[-1]:.3f}, critic's slope {logs['slope']:.2f}")

    print(f"before     energy distance {distances[0]:.3f}")
    told = keras.callbacks.LambdaCallback(on_epoch_end=report)
    history = model.fit(
        curves(rng, BATCHES * BATCH), epochs=epochs, batch_size=BATCH, verbose=0, callbacks=[told]
    ).history
    print(f"two samples of real curves have an energy distance of {energy_distance(curves(rng, 500), real):.3f}")
    if picture:
        draw(picture, distances, history["slope"], real, model.generator.predict(seeds, verbose=0))
    return {"distances": distances, "slopes": history["slope"]}


def draw(path, distances, slopes, real, made):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    left.semilogy(distances, color="#c44e52", label="energy distance")
    left.semilogy(range(1, len(slopes) + 1), slopes, color="#8172b3", label="critic's slope")
    left.set(xlabel="epoch")
    left.legend(frameon=False)
    left.grid(alpha=0.25)
    for axes, which, name in ((middle, real, "real curves"), (right, made, "made curves")):
        axes.plot(which[:12, :, 0].T, linewidth=1.2)
        axes.set(title=name, ylim=(-1.3, 1.3), xticks=[])
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--picture", metavar="FILE", help="draw curves here")
    options = parser.parse_args()
    main(options.epochs, picture=options.picture)
