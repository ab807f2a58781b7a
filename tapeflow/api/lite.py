"""`tf.lite`, which is not here: what programs use of it says so, and what comes nearest, when it is called."""

from typing import Any, NoReturn

__all__ = ["Interpreter", "Optimize", "TFLiteConverter"]

_INSTEAD = (
    "Converting to LiteRT (TensorFlow Lite) needs TensorFlow itself. Save the model with model.save('model.keras'), "
    "and convert it where TensorFlow is installed: "
    "tf.lite.TFLiteConverter.from_keras_model(tf.keras.models.load_model('model.keras')). To run it without its "
    "Python code here, tf.saved_model.save and tf.saved_model.load do."
)


def _refused(*_: Any, **__: Any) -> NoReturn:
    """Raises NotImplementedError, with what to do instead."""
    raise NotImplementedError(f"tapeflow has no tf.lite converter. {_INSTEAD}")


class Optimize:
    """The names of a converter's options, which settings refer to before it is asked to convert.

    >>> tf.lite.Optimize.DEFAULT
    'DEFAULT'
    """

    DEFAULT = "DEFAULT"
    OPTIMIZE_FOR_SIZE = "OPTIMIZE_FOR_SIZE"
    OPTIMIZE_FOR_LATENCY = "OPTIMIZE_FOR_LATENCY"
    EXPERIMENTAL_SPARSITY = "EXPERIMENTAL_SPARSITY"


class TFLiteConverter:
    """Raises NotImplementedError, with what to do instead.

    >>> tf.lite.TFLiteConverter.from_keras_model(None)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    NotImplementedError: tapeflow has no tf.lite converter. ...
    """

    __init__ = _refused
    from_keras_model = from_saved_model = from_concrete_functions = from_session = staticmethod(_refused)


class Interpreter:
    """Raises NotImplementedError: the package `ai-edge-litert` has an interpreter, which needs no TensorFlow.

    >>> tf.lite.Interpreter("model.tflite")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    NotImplementedError: tapeflow has no tf.lite.Interpreter: ...
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            "tapeflow has no tf.lite.Interpreter: `pip install ai-edge-litert`, and use "
            "ai_edge_litert.interpreter.Interpreter, which needs no TensorFlow."
        )
