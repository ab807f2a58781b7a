"""A physics-informed network: u'' = -sin(x) on [0, pi], u = 0 at both ends, by nested tapes in float64."""

import math

import numpy as np
import tensorflow as tf

tf.keras.backend.set_floatx("float64")
tf.random.set_seed(1234)


class PINN(tf.keras.Model):
    def __init__(self, layers, **kwargs):
        super().__init__(**kwargs)
        self.hidden = [tf.keras.layers.Dense(n, activation="tanh", kernel_initializer="glorot_normal") for n in layers]
        self.out = tf.keras.layers.Dense(1)

    def call(self, x):
        for layer in self.hidden:
            x = layer(x)
        return self.out(x)


model = PINN([20, 20])
x_f = tf.reshape(tf.linspace(tf.constant(0.0, tf.float64), math.pi, 40), (-1, 1))
x_b = tf.constant([[0.0], [math.pi]], dtype=tf.float64)
model(x_f)
optimizer = tf.keras.optimizers.Adam(
    tf.keras.optimizers.schedules.ExponentialDecay(0.02, decay_steps=200, decay_rate=0.7)
)


def residual(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            u = model(x)
        u_x = inner.gradient(u, x)
    return outer.gradient(u_x, x) + tf.sin(x)


@tf.function
def train_step():
    with tf.GradientTape(persistent=True) as tape:
        loss_f = tf.reduce_mean(tf.square(residual(x_f)))
        loss_b = tf.reduce_mean(tf.square(model(x_b)))
        loss = loss_f + 10.0 * loss_b
    grads = tape.gradient(loss, model.trainable_variables)
    del tape
    grads, _ = tf.clip_by_global_norm(grads, 5.0)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for it in range(500):
    loss = train_step()
    if it % 200 == 0:
        print("It: %d, Loss: %.3e" % (it, loss))

error = np.abs(model(x_f).numpy() - np.sin(x_f.numpy())).max()
print("max error", error)
assert error < 0.1
print("ok")
