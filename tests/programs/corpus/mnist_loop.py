"""A classifier trained by a custom loop on tf.data, with metrics: the tutorial that most programs start from."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import Model
from tensorflow.keras.layers import Conv2D, Dense, Flatten

print("TensorFlow version:", tf.__version__)
assert tf.__version__.startswith("2.")
tf.random.set_seed(0)
rng = np.random.default_rng(0)

# Synthetic digits: each class lights up its own two rows.
y_train = rng.integers(0, 5, 320)
x_train = rng.normal(0, 0.3, (320, 10, 10)).astype("float32")
for image, label in zip(x_train, y_train):
    image[2 * label : 2 * label + 2] += 1.0
x_train = x_train[..., tf.newaxis]

train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(1000, seed=1).batch(32)
test_ds = tf.data.Dataset.from_tensor_slices((x_train[:96], y_train[:96])).batch(32)


class MyModel(Model):
    def __init__(self):
        super().__init__()
        self.conv1 = Conv2D(8, 3, activation="relu")
        self.flatten = Flatten()
        self.d1 = Dense(32, activation="relu")
        self.d2 = Dense(5)

    def call(self, x):
        return self.d2(self.d1(self.flatten(self.conv1(x))))


model = MyModel()
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = tf.keras.optimizers.Adam(0.003)
train_loss = tf.keras.metrics.Mean(name="train_loss")
train_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="train_accuracy")
test_accuracy = tf.keras.metrics.SparseCategoricalAccuracy(name="test_accuracy")


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        predictions = model(images, training=True)
        loss = loss_object(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss(loss)
    train_accuracy(labels, predictions)


@tf.function
def test_step(images, labels):
    test_accuracy(labels, model(images, training=False))


for epoch in range(3):
    train_loss.reset_state()
    train_accuracy.reset_state()
    test_accuracy.reset_state()
    for images, labels in train_ds:
        train_step(images, labels)
    for test_images, test_labels in test_ds:
        test_step(test_images, test_labels)
    print(f"Epoch {epoch + 1}, loss: {train_loss.result():.4f}, accuracy: {train_accuracy.result() * 100:.1f}")

assert float(test_accuracy.result()) > 0.9
print("ok")
