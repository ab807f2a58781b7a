"""Comparisons, boolean and bitwise operations, and the choice between two values."""

import numpy as np

from tapeflow.core.dtypes import ANY, BOOL, FLOATING, INTEGER, REAL
from tapeflow.core.primitive import CUT, Spec, primitive

from .families import broadcast_shape, broadcasting, comparison

less = comparison("less(a, b)", kernel="less", dtypes=REAL)
less_equal = comparison("less_equal(a, b)", kernel="less_equal", dtypes=REAL)
greater = comparison("greater(a, b)", kernel="greater", dtypes=REAL)
greater_equal = comparison("greater_equal(a, b)", kernel="greater_equal", dtypes=REAL)
equal = comparison("equal(a, b)", kernel=lambda xp, a, b: xp.asarray(a == b, bool), dtypes=ANY)
not_equal = comparison("not_equal(a, b)", kernel=lambda xp, a, b: xp.asarray(a != b, bool), dtypes=ANY)

logical_and = comparison("logical_and(a, b)", kernel="logical_and", dtypes=BOOL)
logical_or = comparison("logical_or(a, b)", kernel="logical_or", dtypes=BOOL)
logical_xor = comparison("logical_xor(a, b)", kernel="logical_xor", dtypes=BOOL)
logical_not = comparison("logical_not(x)", kernel="logical_not", dtypes=BOOL)

# Chooses element by element. The branch not taken gets exactly zero, whatever the gradient.
where = primitive(
    "where(condition, a, b)",
    kernel=lambda xp, condition, a, b: xp.where(condition, a, b),
    shape=lambda condition, a, b: Spec(shape=broadcast_shape(condition, a, b).shape, dtype=a.dtype),
    vjp={
        "a": lambda ops, g, condition: ops.where(condition, g, ops.zeros_like(g)),
        "b": lambda ops, g, condition: ops.where(condition, ops.zeros_like(g), g),
    },
    dtypes={"condition": BOOL, "a b": ANY},
    broadcasts=True,
)

zeros_like = primitive(
    "zeros_like(x)",
    kernel=lambda xp, x: xp.zeros(x.shape, x.dtype) if x.dtype.kind != "O" else np.full(x.shape, b"", object),
    shape=lambda x: x,
    vjp=CUT,
)
