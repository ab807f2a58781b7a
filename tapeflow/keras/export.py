"""`tf.keras.export`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.export import (
    ExportArchive as ExportArchive,
)
