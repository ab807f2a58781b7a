"""`tf.keras.applications.convnext`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.convnext import (
    ConvNeXtBase as ConvNeXtBase,
    ConvNeXtLarge as ConvNeXtLarge,
    ConvNeXtSmall as ConvNeXtSmall,
    ConvNeXtTiny as ConvNeXtTiny,
    ConvNeXtXLarge as ConvNeXtXLarge,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
