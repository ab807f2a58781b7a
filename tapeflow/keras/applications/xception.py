"""`tf.keras.applications.xception`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.xception import (
    Xception as Xception,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
