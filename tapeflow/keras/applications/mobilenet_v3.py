"""`tf.keras.applications.mobilenet_v3`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.mobilenet_v3 import (
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
