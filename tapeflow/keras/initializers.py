"""`tf.keras.initializers`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.initializers import *
