"""Between dtypes."""

import numpy as np

from tapeflow.core.dtypes import ANY, is_inexact
from tapeflow.core.errors import UnimplementedError
from tapeflow.core.primitive import Spec, primitive


def _cast(xp, x, dtype):
    if x.dtype.kind == "O" or np.dtype(dtype).kind == "O":
        raise UnimplementedError(None, None, f"Cast of {x.dtype.name} to {np.dtype(dtype).name} is not supported; use tf.strings.to_number or tf.as_string.")
    if x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        x = x.real
    return x.astype(dtype)


def _kind(dtype):
    return "cut" if not is_inexact(np.dtype(dtype)) else "complex" if np.dtype(dtype).kind == "c" else None


cast = primitive(
    "cast(x, *, dtype)",
    kernel=_cast,
    shape=lambda x, dtype: Spec(shape=x.shape, dtype=np.dtype(dtype)),
    vjp=lambda ops, g, x_dtype: ops.cast(g, dtype=x_dtype),
    dtypes=ANY,
    holomorphic=False,
    result=_kind,
)
