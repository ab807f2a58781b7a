"""`tf.keras.datasets.imdb`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.datasets.imdb import (
    get_word_index as get_word_index,
    load_data as load_data,
)
