"""Writing into rows of a tensor. `ids` are rows of `x`, in range; sums are `unsorted_segment_sum`, see segments.py."""

import math

import numpy as np

from tapeflow.core.dtypes import ANY, INDEX, REAL
from tapeflow.core.primitive import primitive

from .families import same_shape


def _scatter_update_numpy(x, ids, updates):
    out = np.array(x)
    out[ids] = updates
    return out


# `updates` in place of the rows `ids`. Where an id repeats the last one wins (TensorFlow leaves it open which).
scatter_update = primitive(
    "scatter_update(x, ids, updates)",
    kernel={"numpy": _scatter_update_numpy},
    shape=same_shape,
    vjp={
        "x": lambda ops, g, ids: ops.clear_rows(g, ids),
        "updates": lambda ops, g, ids: ops.take(g, ids, axis=0),
    },
    dtypes={"x updates": ANY, "ids": INDEX},
)

# Zeros in place of the rows `ids`.
clear_rows = primitive(
    "clear_rows(x, ids)",
    kernel={"numpy": lambda x, ids: _scatter_update_numpy(x, ids, 0)},
    shape=same_shape,
    vjp={"x": lambda ops, g, ids: ops.clear_rows(g, ids)},
    dtypes={"x": ANY, "ids": INDEX},
)


def _extreme_of_rows(ufunc):
    def kernel(x, ids, updates):
        """Rows are written out to elements: `ufunc.at` takes single indices ten times faster."""
        out = np.array(x)
        width = math.prod(x.shape[1:])
        elements = (ids.reshape(-1, 1) * width + np.arange(width)).reshape(-1)
        ufunc.at(out.reshape(-1), elements, updates.reshape(-1))
        return out

    return {"numpy": kernel}


def _extreme_vjp(ops, g, y, x, x_shape, x_dtype, ids, updates):
    """Whatever equals the result shares in its gradient equally."""
    in_x = ops.cast(ops.equal(x, y), dtype=x_dtype)
    in_updates = ops.cast(ops.equal(updates, ops.take(y, ids, axis=0)), dtype=x_dtype)
    share = g / (in_x + ops.unsorted_segment_sum(in_updates, ids, num_segments=x_shape[0]))
    return share * in_x, ops.take(share, ids, axis=0) * in_updates


scatter_max = primitive(
    "scatter_max(x, ids, updates)",
    kernel=_extreme_of_rows(np.maximum),
    shape=same_shape,
    vjp={("x", "updates"): _extreme_vjp},
    dtypes={"x updates": REAL, "ids": INDEX},
)
scatter_min = primitive(
    "scatter_min(x, ids, updates)",
    kernel=_extreme_of_rows(np.minimum),
    shape=same_shape,
    vjp={("x", "updates"): _extreme_vjp},
    dtypes={"x updates": REAL, "ids": INDEX},
)
