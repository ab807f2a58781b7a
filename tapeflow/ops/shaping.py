"""Moving elements without computing: reshape, transpose, broadcast, join, split."""

import numpy as np

from tapeflow.core.broadcasting import sum_to
from tapeflow.core.dtypes import ANY
from tapeflow.core.primitive import Spec, primitive

from .families import same_shape

identity = primitive(
    "identity(x)", kernel=lambda xp, x: x, shape=same_shape, vjp=lambda g: g, dtypes=ANY, keeps_sparse=True
)

reshape = primitive(
    "reshape(x, *, shape)",
    kernel=lambda xp, x, shape: xp.reshape(x, shape),
    shape=lambda x, shape: Spec(shape=shape, dtype=x.dtype),
    vjp=lambda ops, g, x_shape: ops.reshape(g, shape=x_shape),
)

broadcast_to = primitive(
    "broadcast_to(x, *, shape)",
    kernel=lambda xp, x, shape: xp.broadcast_to(x, shape),
    shape=lambda x, shape: Spec(shape=shape, dtype=x.dtype),
    vjp=lambda ops, g, x_shape: sum_to(ops, g, x_shape),
)

transpose = primitive(
    "transpose(x, *, perm)",
    kernel=lambda xp, x, perm: xp.transpose(x, perm),
    shape=lambda x, perm: Spec(shape=tuple(x.shape[p] for p in perm), dtype=x.dtype),
    vjp=lambda ops, g, perm: ops.transpose(g, perm=tuple(int(i) for i in np.argsort(perm))),
)
