"""A convolutional variational autoencoder with the reparameterisation trick."""

import numpy as np
import tensorflow as tf


class CVAE(tf.keras.Model):
    def __init__(self, latent_dim):
        super(CVAE, self).__init__()
        self.latent_dim = latent_dim
        self.encoder = tf.keras.Sequential(
            [
                tf.keras.layers.InputLayer(input_shape=(8, 8, 1)),
                tf.keras.layers.Conv2D(filters=8, kernel_size=3, strides=(2, 2), activation="relu"),
                tf.keras.layers.Flatten(),
                tf.keras.layers.Dense(latent_dim + latent_dim),
            ]
        )
        self.decoder = tf.keras.Sequential(
            [
                tf.keras.layers.InputLayer(input_shape=(latent_dim,)),
                tf.keras.layers.Dense(units=4 * 4 * 8, activation=tf.nn.relu),
                tf.keras.layers.Reshape(target_shape=(4, 4, 8)),
                tf.keras.layers.Conv2DTranspose(filters=1, kernel_size=3, strides=2, padding="same"),
            ]
        )

    @tf.function
    def sample(self, eps=None):
        if eps is None:
            eps = tf.random.normal(shape=(10, self.latent_dim))
        return self.decode(eps, apply_sigmoid=True)

    def encode(self, x):
        mean, logvar = tf.split(self.encoder(x), num_or_size_splits=2, axis=1)
        return mean, logvar

    def reparameterize(self, mean, logvar):
        eps = tf.random.normal(shape=tf.shape(mean))
        return eps * tf.exp(logvar * 0.5) + mean

    def decode(self, z, apply_sigmoid=False):
        logits = self.decoder(z)
        return tf.sigmoid(logits) if apply_sigmoid else logits


def log_normal_pdf(sample, mean, logvar, raxis=1):
    log2pi = tf.math.log(2.0 * np.pi)
    return tf.reduce_sum(-0.5 * ((sample - mean) ** 2.0 * tf.exp(-logvar) + logvar + log2pi), axis=raxis)


def compute_loss(model, x):
    mean, logvar = model.encode(x)
    z = model.reparameterize(mean, logvar)
    x_logit = model.decode(z)
    cross_ent = tf.nn.sigmoid_cross_entropy_with_logits(logits=x_logit, labels=x)
    logpx_z = -tf.reduce_sum(cross_ent, axis=[1, 2, 3])
    logpz = log_normal_pdf(z, 0.0, 0.0)
    logqz_x = log_normal_pdf(z, mean, logvar)
    return -tf.reduce_mean(logpx_z + logpz - logqz_x)


tf.random.set_seed(5)
optimizer = tf.keras.optimizers.Adam(learning_rate=3e-3)
model = CVAE(2)


@tf.function
def train_step(model, x, optimizer):
    with tf.GradientTape() as tape:
        loss = compute_loss(model, x)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


data = (np.indices((8, 8)).sum(0)[None] > np.arange(3, 12).repeat(8)[:, None, None]).astype("float32")[..., None]
dataset = tf.data.Dataset.from_tensor_slices(data).shuffle(72).batch(24)
first = compute_loss(model, data)
for epoch in range(12):
    for batch in dataset:
        train_step(model, batch, optimizer)
loss = tf.keras.metrics.Mean()
for batch in dataset:
    loss(compute_loss(model, batch))
print("ELBO:", -loss.result().numpy())
assert loss.result() < first
assert model.sample().shape == (10, 8, 8, 1)
print("ok")
