"""`tf.keras.applications.resnet50`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.resnet50 import (
    ResNet50 as ResNet50,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
