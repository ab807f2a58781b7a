"""`tf.keras.ops.linalg`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.ops.linalg import *
