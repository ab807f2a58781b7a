"""`tf.keras.applications.nasnet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.nasnet import (
    NASNetLarge as NASNetLarge,
    NASNetMobile as NASNetMobile,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
