"""`tf.keras.utils.legacy`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.utils.legacy import (
    deserialize_keras_object as deserialize_keras_object,
    serialize_keras_object as serialize_keras_object,
)
