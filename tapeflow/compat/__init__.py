"""`tf.compat`: text and bytes, dimensions, and the names of TensorFlow 1 that programs for version 2 still use
(`tf.compat.v1`)."""

import numbers as _numbers
import os as _os
import sys as _sys
from typing import Any

import numpy as _np

from tapeflow.names.missing import watch_over as _watch_over

from . import v1 as v1

__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "dimension_at_index",
    "dimension_value", "forward_compatible", "integral_types", "path_to_str", "real_types", "v1", "v2",
]  # fmt: skip

v2 = _sys.modules["tapeflow"]  # this is version 2

integral_types = (_numbers.Integral, _np.integer)
real_types = (_numbers.Real, _np.integer, _np.floating)
complex_types = (_numbers.Complex, _np.number)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes; bytes as they are.

    Raises:
        TypeError: If it is neither bytes nor str.

    >>> tf.compat.as_bytes("né")
    b'n\\xc3\\xa9'
    """
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text; text as it is.

    Raises:
        TypeError: If it is neither bytes nor str.

    >>> tf.compat.as_text(tf.constant("loss").numpy())
    'loss'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """The same as `as_text`.

    >>> tf.compat.as_str(b"tape")
    'tape'
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Anything as text: bytes decoded, the rest as `str` gives it.

    >>> tf.compat.as_str_any(b"tape"), tf.compat.as_str_any(3)
    ('tape', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text; anything else as it is.

    Returns:
        A str, or what was given.

    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("logs") / "run")
    'logs/run'
    """
    return as_str_any(_os.fspath(path)) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: Any) -> int | None:
    """A size as an int, or None when it is unknown.

    >>> tf.compat.dimension_value(tf.zeros([4, 2]).shape[0])
    4
    """
    return dimension.value if isinstance(dimension, v1.Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> "v1.Dimension":
    """One size of a shape as a `tf.compat.v1.Dimension`.

    >>> tf.compat.dimension_at_index(tf.TensorShape([4, None]), 0).value
    4
    """
    return v1.Dimension(None if shape.rank is None else shape[index])


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether features of TensorFlow that come with this date can be relied on; they can.

    >>> tf.compat.forward_compatible(2020, 1, 1)
    True
    """
    return True


_watch_over(_sys.modules[__name__], "tf.compat")
