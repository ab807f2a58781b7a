"""`tf.keras.datasets.mnist`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.datasets.mnist import (
    load_data as load_data,
)
