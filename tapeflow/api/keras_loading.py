"""`tf.keras`: the Keras that is installed, on tapeflow, in the flavour that TensorFlow shows. Imported on first
use."""

import importlib
import sys
from types import ModuleType

from keras_tapeflow import hook
from keras_tapeflow.grafting import NAME


def load() -> ModuleType:
    """Keras with tapeflow as its backend; ImportError says what to do where that cannot be."""
    loaded = sys.modules.get("keras")
    hook.choose()
    try:
        keras = importlib.import_module("keras")
    except ModuleNotFoundError as error:
        if error.name != "keras":
            raise
        raise ModuleNotFoundError(
            'tf.keras needs Keras, which is not installed: pip install "keras>=3.15,<3.17".'
        ) from error
    backend = keras.src.backend.backend()  # `keras.config.backend()` is what programs are told
    if backend != NAME:
        before = (
            "Keras was imported before tapeflow, with another backend"
            if loaded
            else "the environment says KERAS_BACKEND"
        )
        raise ImportError(
            f"tf.keras is Keras on tapeflow, but Keras runs on {backend!r}: {before}. Import tapeflow before keras, "
            f"or set KERAS_BACKEND={NAME} before the program starts."
        )
    flavour = importlib.import_module("keras._tf_keras.keras")
    for part in (
        "losses",
        "metrics",
    ):  # `tf.keras.losses.mean_squared_error`, which this flavour has only as `MSE` and `mse`
        for name, function in vars(getattr(keras, part)).items():
            vars(getattr(flavour, part)).setdefault(name, function)
    return flavour
