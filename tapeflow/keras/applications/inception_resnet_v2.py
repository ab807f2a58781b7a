"""`tf.keras.applications.inception_resnet_v2`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.inception_resnet_v2 import (
    InceptionResNetV2 as InceptionResNetV2,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
