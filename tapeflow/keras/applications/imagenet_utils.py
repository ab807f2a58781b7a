"""`tf.keras.applications.imagenet_utils`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.imagenet_utils import (
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
