"""`tf.keras.applications.densenet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.densenet import (
    DenseNet121 as DenseNet121,
    DenseNet169 as DenseNet169,
    DenseNet201 as DenseNet201,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
