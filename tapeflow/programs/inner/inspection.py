"""`tensorflow.python.util.tf_inspect`: Python's `inspect`, under which our functions look as TensorFlow's do."""

import inspect as _inspect
from typing import Any

from tapeflow.function.autograph.convert import is_ours


def getfullargspec(obj: Any) -> _inspect.FullArgSpec:
    """The parameters of a function; without annotations where the function is ours, since TensorFlow's has others."""
    obj = getattr(obj, "python_function", obj)  # of a tf.function
    found = _inspect.getfullargspec(obj)
    return found._replace(annotations={}) if is_ours(obj) else found


def __getattr__(name: str) -> Any:
    return getattr(_inspect, name)
