"""`tf.keras.applications.efficientnet_v2`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.applications.efficientnet_v2 import (
    EfficientNetV2B0 as EfficientNetV2B0,
    EfficientNetV2B1 as EfficientNetV2B1,
    EfficientNetV2B2 as EfficientNetV2B2,
    EfficientNetV2B3 as EfficientNetV2B3,
    EfficientNetV2L as EfficientNetV2L,
    EfficientNetV2M as EfficientNetV2M,
    EfficientNetV2S as EfficientNetV2S,
    decode_predictions as decode_predictions,
    preprocess_input as preprocess_input,
)
