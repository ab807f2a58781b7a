"""An image optimised by gradient descent for the Gram matrices of another, with total variation."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(7)
features = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(6, 3, padding="same", activation="tanh", input_shape=(None, None, 3)),
        tf.keras.layers.AveragePooling2D(2),
        tf.keras.layers.Conv2D(8, 3, padding="same", activation="tanh"),
    ]
)
features.trainable = False
extractor = tf.keras.Model(features.inputs, [layer.output for layer in features.layers])


def gram_matrix(input_tensor):
    result = tf.linalg.einsum("bijc,bijd->bcd", input_tensor, input_tensor)
    input_shape = tf.shape(input_tensor)
    num_locations = tf.cast(input_shape[1] * input_shape[2], tf.float32)
    return result / num_locations


def clip_0_1(image):
    return tf.clip_by_value(image, clip_value_min=0.0, clip_value_max=1.0)


content_image = tf.image.convert_image_dtype(rng.integers(0, 255, (1, 16, 16, 3)).astype("uint8"), tf.float32)
style_image = tf.constant(np.tile(np.linspace(0, 1, 16)[None, None, :, None], (1, 16, 1, 3)), dtype=tf.float32)
style_targets = [gram_matrix(f) for f in extractor(style_image)]
content_target = extractor(content_image)[-1]
image = tf.Variable(content_image)
opt = tf.keras.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)


@tf.function()
def train_step(image):
    with tf.GradientTape() as tape:
        outputs = extractor(image)
        style_loss = tf.add_n([tf.reduce_mean((gram_matrix(o) - t) ** 2) for o, t in zip(outputs, style_targets)])
        content_loss = tf.reduce_mean((outputs[-1] - content_target) ** 2)
        loss = 100.0 * style_loss + 0.1 * content_loss
        loss += 1e-4 * tf.reduce_sum(tf.image.total_variation(image))
    grad = tape.gradient(loss, image)
    opt.apply_gradients([(grad, image)])
    image.assign(clip_0_1(image))
    return loss


losses = [float(train_step(image)) for _ in range(30)]
print(f"{losses[0]:.4f} -> {losses[-1]:.4f}")
assert losses[-1] < losses[0]
assert 0 <= tf.reduce_min(image) and tf.reduce_max(image) <= 1
print("ok")
