"""`tf.keras.mixed_precision`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.mixed_precision import *
