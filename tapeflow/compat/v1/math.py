"""`tf.compat.v1.math`: functions whose arguments had other names; all others are those of `tf.math`."""

from .fallback import falling_back_to as _falling_back_to
from .renamed import (
    argmax as argmax,
    argmin as argmin,
    confusion_matrix as confusion_matrix,
    count_nonzero as count_nonzero,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
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
