"""Casts between dtypes."""

import numpy as np

from tapeflow.core.dtypes import ANY, is_inexact
from tapeflow.core.errors import UnimplementedError, invalid
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive


def _cast(x, dtype):
    kind = np.dtype(dtype).kind
    if x.dtype.kind == "O" or kind == "O":
        raise UnimplementedError(
            None,
            None,
            f"Cast of {_name(x.dtype)} to {_name(dtype)} is not supported: use tf.strings.to_number to read numbers, "
            "tf.as_string to write them.",
        )
    if x.dtype.kind == "c" and kind != "c":
        x = x.real
    return x.astype(dtype)


def _name(dtype):
    return "string" if np.dtype(dtype).kind == "O" else np.dtype(dtype).name


def _kind(dtype):
    return "cut" if not is_inexact(np.dtype(dtype)) else "complex" if np.dtype(dtype).kind == "c" else None


cast = primitive(
    "cast(x, *, dtype)",
    kernel={"numpy": _cast, "jax": "arrays.casting.cast"},
    shape=lambda x, dtype: Spec(shape=x.shape, dtype=np.dtype(dtype)),
    vjp=lambda ops, g, x_dtype: ops.cast(g, dtype=x_dtype),
    jvp=LINEAR,
    dtypes=ANY,
    elementwise=True,
    moves=False,
    holomorphic=False,
    result=_kind,
    unchanged=True,
    makes_new=True,
    cuts=(
        "integer cast",
        "the path is cut: the cast to an integer or bool is not differentiable",
        "Stay with a float dtype.",
    ),
)


def _bitcast_shape(shape, have, want):
    """The bytes of one element become a last axis of smaller elements, or the other way round."""
    if have == want:
        return shape
    if have > want:
        return (*shape, have // want)
    if not shape or shape[-1] not in (None, want // have):
        raise invalid(
            f"bitcast to a dtype {want // have} times as wide needs a last axis of size {want // have}, got shape "
            f"{shape}."
        )
    return shape[:-1]


def _bitcast_numpy(x, dtype):
    if x.dtype.kind == "O" or np.dtype(dtype).kind == "O":
        raise invalid(f"Cannot bitcast {_name(x.dtype)} to {_name(dtype)}: strings have no fixed number of bytes.")
    shape = _bitcast_shape(x.shape, x.dtype.itemsize, np.dtype(dtype).itemsize)
    return np.ascontiguousarray(x).reshape(-1).view(dtype).reshape(shape)


def _bitcast_rows(op, args, batched, params):
    """The axis of rows is not one that the bytes of an element may lie along."""
    [x], dtype = args, np.dtype(params["dtype"])
    _bitcast_shape(tuple(x.sizes[1:]), x.dtype.np.itemsize, dtype.itemsize)
    return op(x, dtype=dtype)


bitcast = primitive(
    "bitcast(x, *, dtype)",
    kernel={"numpy": _bitcast_numpy, "jax": "arrays.casting.bitcast"},
    shape=lambda x, dtype: Spec(
        shape=_bitcast_shape(x.shape, np.dtype(x.dtype).itemsize, np.dtype(dtype).itemsize), dtype=np.dtype(dtype)
    ),
    vjp=CUT,
    batch=_bitcast_rows,
    cuts=("bitcast", "the path is cut: the bits of a number have no slope", "Use tf.cast to change the dtype."),
)
