"""`tf.keras.optimizers`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.optimizers import *

from . import (  # type: ignore[no-redef]
    legacy as legacy,
    schedules as schedules,
)
