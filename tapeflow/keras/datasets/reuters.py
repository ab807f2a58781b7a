"""`tf.keras.datasets.reuters`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.datasets.reuters import (
    get_label_names as get_label_names,
    get_word_index as get_word_index,
    load_data as load_data,
)
