"""`tf.keras.applications.efficientnet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.efficientnet import (
    EfficientNetB0 as EfficientNetB0,
    EfficientNetB1 as EfficientNetB1,
    EfficientNetB2 as EfficientNetB2,
    EfficientNetB3 as EfficientNetB3,
    EfficientNetB4 as EfficientNetB4,
    EfficientNetB5 as EfficientNetB5,
    EfficientNetB6 as EfficientNetB6,
    EfficientNetB7 as EfficientNetB7,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
