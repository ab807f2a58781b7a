"""Products with a sparse matrix, given by the values at its entries and their row and column numbers."""

import numpy as np

from tapeflow.core.dtypes import INDEX, NUMERIC
from tapeflow.core.primitive import Spec, primitive


def _sparse_matmul(values, b, rows, columns, num_rows):
    from scipy.sparse import coo_array

    wide = np.float32 if values.dtype == np.float16 else values.dtype
    a = coo_array((values.astype(wide, copy=False), (rows, columns)), shape=(num_rows, b.shape[0]))
    return np.asarray(a @ b.astype(wide, copy=False)).astype(values.dtype, copy=False)


def _entries_vjp(ops, g, b, rows, columns):
    """The gradient of an entry is its row of `g` times its row of `b`."""
    return ops.reduce_sum(ops.take(g, rows, axis=0) * ops.take(b, columns, axis=0), axis=(1,), keepdims=False)


# The matrix with `values[k]` at (rows[k], columns[k]) times the dense matrix `b`. Entries at one place add up.
sparse_matmul = primitive(
    "sparse_matmul(values, b, rows, columns, *, num_rows)",
    kernel={"numpy": _sparse_matmul},
    shape=lambda values, b, rows, columns, num_rows: Spec(shape=(num_rows, b.shape[1]), dtype=b.dtype),
    vjp={
        "values": _entries_vjp,
        "b": lambda ops, g, values, rows, columns, b_shape: ops.sparse_matmul(values, g, columns, rows, num_rows=b_shape[0]),
    },
    dtypes={"values b": NUMERIC, "rows columns": INDEX},
)
