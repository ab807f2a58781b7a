"""`tf.keras.applications.inception_v3`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.inception_v3 import (
    InceptionV3 as InceptionV3,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
