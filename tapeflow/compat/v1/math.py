"""`tf.compat.v1.math`: functions whose arguments had other names; all others are those of `tf.math`."""

from .fallback import falling_back_to as _falling_back_to
from .renamed import (
    argmax,
    argmin,
    confusion_matrix,
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)

__all__ = [
    "argmax",
    "argmin",
    "confusion_matrix",
    "count_nonzero",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
]

__getattr__ = _falling_back_to("math")
