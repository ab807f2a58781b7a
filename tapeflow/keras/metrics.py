"""`tf.keras.metrics`, to type checkers. Written by `scripts/keras_types.py`."""

from keras.metrics import *
from keras._tf_keras.keras.metrics import *
