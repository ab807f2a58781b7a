"""`tf.compat.v1.linalg`: functions whose arguments had other names; all others are those of `tf.linalg`."""

from .fallback import falling_back_to as _falling_back_to
from .renamed import (
    norm as norm,
    transpose as transpose,
)

__all__ = ["norm", "transpose"]

__getattr__ = _falling_back_to("linalg")
