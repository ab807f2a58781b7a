"""`tf.keras.legacy`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.legacy import *

from . import (  # type: ignore[no-redef]
    saving as saving,
)
