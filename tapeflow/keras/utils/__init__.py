"""`tf.keras.utils`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.utils import *

from . import (  # type: ignore[no-redef]
    bounding_boxes as bounding_boxes,
    legacy as legacy,
)
