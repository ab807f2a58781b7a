"""`tf.keras.applications.vgg16`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.vgg16 import *
