"""Mixed precision with a LossScaleOptimizer in a custom loop, and a train_step override used by fit."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, mixed_precision

mixed_precision.set_global_policy("mixed_float16")
print("Compute dtype:", mixed_precision.global_policy().compute_dtype)
tf.keras.utils.set_random_seed(1)
inputs = tf.keras.Input(shape=(10,))
h = layers.Dense(16, activation="relu")(inputs)
outputs = layers.Activation("softmax", dtype="float32")(layers.Dense(3)(h))
model = tf.keras.Model(inputs, outputs)
assert h.dtype == "float16" and outputs.dtype == "float32"
assert model.layers[1].kernel.dtype == "float32"

optimizer = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.RMSprop(0.01))
loss_object = tf.keras.losses.SparseCategoricalCrossentropy()
x = np.random.default_rng(0).normal(size=(96, 10)).astype("float32")
y = np.argmax(x[:, :3], axis=1)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_object(y, model(x))
        scaled_loss = optimizer.scale_loss(loss)
    gradients = tape.gradient(scaled_loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


losses = [train_step(x, y).numpy() for _ in range(25)]
print("loss", losses[0], "->", losses[-1])
assert losses[-1] < losses[0]
mixed_precision.set_global_policy("float32")


class CustomModel(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(y=y, y_pred=y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


inputs = tf.keras.Input(shape=(10,))
custom = CustomModel(inputs, layers.Dense(1)(inputs))
custom.compile(optimizer="adam", loss="mse", metrics=["mae"])
history = custom.fit(x, x[:, :1], epochs=3, batch_size=32, verbose=0)
assert history.history["loss"][-1] < history.history["loss"][0]
print("ok")
