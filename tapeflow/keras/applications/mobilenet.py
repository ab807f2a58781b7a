"""`tf.keras.applications.mobilenet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.mobilenet import *
