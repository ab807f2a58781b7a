"""`model.export` in the formats that tapeflow writes itself: Keras knows their names for other backends, or not at
all."""

import functools
from collections.abc import Callable
from typing import Any

from keras.src.utils import io_utils

import tapeflow as tf


def with_own_formats(export: Callable) -> Callable:
    """Keras' `Model.export`, with the formats that it has not for this backend."""

    @functools.wraps(export)
    def exported(
        self: Any, filepath: Any, format: str = "tf_saved_model", verbose: Any = None, input_signature: Any = None,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        if format not in _FORMATS:
            if format not in _KERAS_OWN:
                known = ", ".join(map(repr, (*_FORMATS, *_KERAS_OWN)))
                raise ValueError(
                    f"Unrecognized format={format}. Supported formats are: {known}; 'tf_saved_model' is what "
                    "tf.saved_model.load reads here, and 'tensorflow' what TensorFlow and its servers read."
                )
            return export(self, filepath, format, verbose, input_signature, **kwargs)
        if kwargs:
            raise ValueError(f"{', '.join(kwargs)}: model.export(format={format!r}) has no such options here.")
        _FORMATS[format](*_forward(self, input_signature), filepath)
        if verbose or verbose is None:
            io_utils.print_msg(f"Saved artifact at '{filepath}'.")
        return None

    return exported


def _forward(model: Any, signature: Any) -> tuple[Callable, list]:
    """The forward pass of a model, and what it takes."""
    from keras.src.export.export_utils import get_input_signature  # it imports models, and these import this module

    from .export import tensor_specs

    specs = tensor_specs(get_input_signature(model) if signature is None else signature)
    specs = list(specs) if isinstance(specs, (list, tuple)) else [specs]
    return (lambda *inputs: model(*inputs, training=False)), specs


def _as_tensorflow(function: Callable, specs: list, path: Any) -> None:
    """What `tf.saved_model.load` and `TFSMLayer` of a Keras on TensorFlow read: `serve` is the forward pass."""
    module = tf.Module(name="exported")
    module.serve = tf.function(function, input_signature=specs, autograph=False)
    tf.saved_model.save(module, path, signatures={"serve": module.serve, "serving_default": module.serve},
                        format="tensorflow")  # fmt: skip


_KERAS_OWN = "tf_saved_model", "openvino", "litert", "torch"

_FORMATS: dict[str, Callable] = {
    "onnx": lambda function, specs, path: tf.export.onnx(function, specs, path),
    "tensorflow": _as_tensorflow,
    "stablehlo": lambda function, specs, path: tf.export.stablehlo(function, specs, path),
}
