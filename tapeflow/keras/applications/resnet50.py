"""`tf.keras.applications.resnet50`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.resnet50 import *
