"""`tf.keras.datasets.california_housing`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.datasets.california_housing import (
    load_data as load_data,
)
