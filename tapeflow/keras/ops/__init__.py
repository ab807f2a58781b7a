"""`tf.keras.ops`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.ops import *

from . import (  # type: ignore[no-redef]
    image as image,
    linalg as linalg,
    nn as nn,
    numpy as numpy,
)
