"""`tf.keras.applications.vgg16`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.vgg16 import (
    VGG16 as VGG16,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
