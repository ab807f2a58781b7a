"""A generator and a discriminator with two tapes in one `with`, as in DCGAN."""

import os
import time

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.random.set_seed(3)
BATCH_SIZE, NOISE_DIM = 16, 8


def make_generator_model():
    model = tf.keras.Sequential()
    model.add(layers.Dense(2 * 2 * 16, use_bias=False, input_shape=(NOISE_DIM,)))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Reshape((2, 2, 16)))
    model.add(layers.Conv2DTranspose(8, (5, 5), strides=(2, 2), padding="same", use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Conv2DTranspose(1, (5, 5), strides=(2, 2), padding="same", use_bias=False, activation="tanh"))
    assert model.output_shape == (None, 8, 8, 1)
    return model


def make_discriminator_model():
    model = tf.keras.Sequential()
    model.add(layers.Conv2D(8, (5, 5), strides=(2, 2), padding="same", input_shape=[8, 8, 1]))
    model.add(layers.LeakyReLU())
    model.add(layers.Dropout(0.3))
    model.add(layers.Flatten())
    model.add(layers.Dense(1))
    return model


generator = make_generator_model()
discriminator = make_discriminator_model()
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
generator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5)
discriminator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5)


def discriminator_loss(real_output, fake_output):
    real_loss = cross_entropy(tf.ones_like(real_output), real_output)
    fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
    return real_loss + fake_loss


@tf.function
def train_step(images):
    noise = tf.random.normal([BATCH_SIZE, NOISE_DIM])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated_images = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated_images, training=True)
        gen_loss = cross_entropy(tf.ones_like(fake_output), fake_output)
        disc_loss = discriminator_loss(real_output, fake_output)
    gradients_of_generator = gen_tape.gradient(gen_loss, generator.trainable_variables)
    gradients_of_discriminator = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gradients_of_generator, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(gradients_of_discriminator, discriminator.trainable_variables))
    return gen_loss, disc_loss


images = np.ones((64, 8, 8, 1), "float32") * np.linspace(-1, 1, 8, dtype="float32")[:, None, None]
dataset = tf.data.Dataset.from_tensor_slices(images).shuffle(64).batch(BATCH_SIZE, drop_remainder=True)
start = time.time()
losses = []
for epoch in range(5):
    for image_batch in dataset:
        gen_loss, disc_loss = train_step(image_batch)
        losses.append((gen_loss.numpy(), disc_loss.numpy()))
tf.print("generator", losses[-1][0], "discriminator", losses[-1][1])
assert np.isfinite(losses).all()
assert losses[-1][1] < losses[0][1]
print("ok", os.path.basename(__file__), round(time.time() - start) >= 0)
