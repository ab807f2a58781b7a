"""`tf.keras` as type checkers see it: Keras' own modules and classes."""

from typing import TYPE_CHECKING, Any, assert_type

import numpy as np

import tapeflow as tf
from tapeflow import keras
from tapeflow.keras import layers
from tapeflow.keras.layers import Dense

if TYPE_CHECKING:  # a program that imports Keras by its own name imports tapeflow first
    import keras as real


def build(units: int) -> "real.Sequential":
    model = keras.Sequential([layers.Dense(units, activation="relu"), tf.keras.layers.Dense(1), Dense(1)])
    assert_type(model, "real.Sequential")
    assert_type(layers.Dense(units), "real.layers.Dense")
    assert_type(tf.keras.optimizers.Adam(1e-3), "real.optimizers.Adam")
    return model


def losses() -> list[float]:
    y = np.ones((2, 1), np.float32)
    found: Any = [tf.keras.losses.MeanSquaredError()(y, y), tf.losses.MeanAbsoluteError()(y, y)]
    return [float(loss) for loss in found]


if __name__ == "__main__":
    print(build(3).name, losses())
