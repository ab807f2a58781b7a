"""`tf.keras.optimizers.schedules`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.optimizers.schedules import *
