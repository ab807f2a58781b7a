"""`tf.keras.losses`, to type checkers. Written by `scripts/keras_types.py`."""

from keras.losses import *
from keras._tf_keras.keras.losses import *
