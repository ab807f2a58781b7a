"""`tf.keras.datasets.reuters`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.datasets.reuters import *
