"""`tf.keras.preprocessing`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.preprocessing import *

from . import (  # type: ignore[no-redef]
    image as image,
    sequence as sequence,
    text as text,
)
