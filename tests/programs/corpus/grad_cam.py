"""Grad-CAM and a saliency map on a small functional model."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Activation, Conv2D, Dense, GlobalAveragePooling2D, Input, MaxPooling2D
from tensorflow.keras.models import Model

K.clear_session()
tf.keras.utils.set_random_seed(2)
inputs = Input(shape=(16, 16, 3), name="image")
x = Conv2D(8, 3, padding="same", kernel_initializer="he_normal")(inputs)
x = Activation("relu")(x)
x = MaxPooling2D()(x)
x = Conv2D(12, 3, padding="same", activation="relu", name="last_conv")(x)
outputs = Dense(4, activation="softmax")(GlobalAveragePooling2D()(x))
model = Model(inputs=inputs, outputs=outputs)
model.summary(print_fn=lambda line, **_: None)


def make_gradcam_heatmap(img_array, model, last_conv_layer_name, pred_index=None):
    grad_model = Model([model.inputs[0]], [model.get_layer(last_conv_layer_name).output, model.output])
    with tf.GradientTape() as tape:
        last_conv_layer_output, preds = grad_model(img_array)
        if pred_index is None:
            pred_index = tf.argmax(preds[0])
        class_channel = preds[:, pred_index]
    grads = tape.gradient(class_channel, last_conv_layer_output)
    pooled_grads = tf.reduce_mean(grads, axis=(0, 1, 2))
    heatmap = last_conv_layer_output[0] @ pooled_grads[..., tf.newaxis]
    heatmap = tf.squeeze(heatmap)
    heatmap = tf.maximum(heatmap, 0) / (tf.math.reduce_max(heatmap) + K.epsilon())
    return heatmap.numpy()


image = np.random.default_rng(0).random((1, 16, 16, 3)).astype("float32")
heatmap = make_gradcam_heatmap(image, model, "last_conv")
assert heatmap.shape == (8, 8) and heatmap.min() >= 0

pixels = tf.Variable(image)
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(pixels)
    top = tf.reduce_max(model(pixels), axis=-1)
saliency = tf.reduce_max(tf.abs(tape.gradient(top, pixels)), axis=-1)[0]
saliency = (saliency - tf.reduce_min(saliency)) / (tf.reduce_max(saliency) - tf.reduce_min(saliency))
shown = tf.image.resize(heatmap[..., None], [16, 16])
assert saliency.shape == shown.shape[:2] == (16, 16)

x = tf.convert_to_tensor(image)
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.keras.losses.sparse_categorical_crossentropy(tf.constant([1]), model(x))
adversarial = tf.clip_by_value(x + 0.01 * tf.sign(tape.gradient(loss, x)), 0, 1)
assert tf.reduce_max(tf.abs(adversarial - x)) <= 0.0101
print("ok")
