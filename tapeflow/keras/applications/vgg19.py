"""`tf.keras.applications.vgg19`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.vgg19 import *
