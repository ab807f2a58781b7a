"""`tf.keras.legacy`, to type checkers. Written by `scripts/keras_types.py`."""

from . import (
    saving as saving,
)
