"""`tf.keras.preprocessing`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.preprocessing import (
    image_dataset_from_directory as image_dataset_from_directory,
    text_dataset_from_directory as text_dataset_from_directory,
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)

from . import (
    image as image,
    sequence as sequence,
    text as text,
)
