"""`tf.keras.distillation`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.distillation import (
    DistillationLoss as DistillationLoss,
    Distiller as Distiller,
    FeatureDistillation as FeatureDistillation,
    LogitsDistillation as LogitsDistillation,
)
