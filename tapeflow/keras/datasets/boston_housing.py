"""`tf.keras.datasets.boston_housing`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.datasets.boston_housing import (
    load_data as load_data,
)
