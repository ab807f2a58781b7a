"""`tf.keras.applications.densenet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.densenet import *
