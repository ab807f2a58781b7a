"""`tf.keras.applications.mobilenet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.mobilenet import (
    MobileNet as MobileNet,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
