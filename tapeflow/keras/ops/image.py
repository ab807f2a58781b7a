"""`tf.keras.ops.image`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.ops.image import *
