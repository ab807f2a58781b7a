"""`tf.keras.datasets.cifar100`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.datasets.cifar100 import (
    load_data as load_data,
)
