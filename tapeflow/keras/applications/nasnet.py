"""`tf.keras.applications.nasnet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.nasnet import *
