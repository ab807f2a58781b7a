"""`tf.keras.applications.resnet`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.resnet import (
    ResNet101 as ResNet101,
    ResNet152 as ResNet152,
    ResNet50 as ResNet50,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
