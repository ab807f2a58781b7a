"""`tf.keras.applications.mobilenet_v2`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.mobilenet_v2 import (
    MobileNetV2 as MobileNetV2,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
