"""`tf.keras.dtype_policies`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.dtype_policies import *
