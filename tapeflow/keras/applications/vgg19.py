"""`tf.keras.applications.vgg19`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.vgg19 import (
    VGG19 as VGG19,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
