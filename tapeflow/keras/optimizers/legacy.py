"""`tf.keras.optimizers.legacy`, to type checkers. Written by `scripts/keras_types.py`."""

from keras._tf_keras.keras.optimizers.legacy import (
    Adagrad as Adagrad,
    Adam as Adam,
    Ftrl as Ftrl,
    Optimizer as Optimizer,
    RMSprop as RMSprop,
    SGD as SGD,
)
