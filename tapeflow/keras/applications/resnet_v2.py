"""`tf.keras.applications.resnet_v2`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.resnet_v2 import *
