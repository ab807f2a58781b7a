"""Reductions over axes. `axis` is always a tuple of non-negative ints here; the public functions normalise it."""

from tapeflow.core.dtypes import NUMERIC
from tapeflow.core.primitive import Spec, primitive

from .families import reduced

reduce_sum = primitive(
    "reduce_sum(x, *, axis, keepdims)",
    kernel=lambda xp, x, axis, keepdims: xp.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype),
    shape=lambda x, axis, keepdims: Spec(shape=reduced(x.shape, axis, keepdims), dtype=x.dtype),
    vjp=lambda ops, g, x_shape, axis: _spread(ops, g, x_shape, axis),
    dtypes=NUMERIC,
)


def _spread(ops, g, x_shape, axis):
    """The adjoint of a sum: every element gets the gradient of its sum."""
    return ops.broadcast_to(ops.reshape(g, shape=reduced(x_shape, axis, True)), shape=x_shape)
