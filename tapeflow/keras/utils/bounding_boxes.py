"""`tf.keras.utils.bounding_boxes`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.utils.bounding_boxes import *
