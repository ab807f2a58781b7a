"""`tf.keras.applications.resnet_v2`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.resnet_v2 import (
    ResNet101V2 as ResNet101V2,
    ResNet152V2 as ResNet152V2,
    ResNet50V2 as ResNet50V2,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
