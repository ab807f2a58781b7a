"""`tf.keras.preprocessing.sequence`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.preprocessing.sequence import (
    TimeseriesGenerator as TimeseriesGenerator,
    make_sampling_table as make_sampling_table,
    pad_sequences as pad_sequences,
    skipgrams as skipgrams,
)
