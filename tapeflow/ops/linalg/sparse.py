"""Products with a sparse matrix, given by the values at its entries and their row and column numbers."""

import numpy as np

from tapeflow.core.dtypes import INDEX, NUMERIC
from tapeflow.core.fitting import check_exact_rank, check_same
from tapeflow.core.primitive import LINEAR, Spec, primitive, recorded as ops
from tapeflow.ops.batching import all_batched, apart, end_to_end, rows_from, rows_to


def _sparse_matmul(values, b, rows, columns, num_rows):
    from scipy.sparse import coo_array

    wide = np.float32 if values.dtype == np.float16 else values.dtype
    a = coo_array((values.astype(wide, copy=False), (rows, columns)), shape=(num_rows, b.shape[0]))
    if not values.all():
        a = a.tocsr()  # SciPy leaves out zeros that are stored so, and with them the NaN of 0 times infinity
    return np.asarray(a @ b.astype(wide, copy=False)).astype(values.dtype, copy=False)


def _entries_vjp(ops, g, b, rows, columns):
    """The gradient of an entry is its row of `g` times its row of `b`."""
    return ops.reduce_sum(ops.take(g, rows, axis=0) * ops.take(b, columns, axis=0), axis=(1,), keepdims=False)


def _product_rows(op, args, batched, params):
    """One matrix multiplies the columns of all rows; matrices that differ are the blocks of a larger one: below each
    other where they share `b`, along the diagonal where they do not."""
    values, b, rows, columns = args
    num_rows = params["num_rows"]
    if not (batched[0] or batched[2] or batched[3]):
        size, _, width = b.sizes
        wide = ops.reshape(rows_to(b, 1), shape=(b.sizes[1], size * width))
        return rows_from(ops.reshape(op(values, wide, rows, columns, **params), shape=(num_rows, size, width)), 1)
    values, rows, columns = all_batched([values, rows, columns], [batched[0], *batched[2:]])
    size = values.sizes[0]
    rows = ops.flat_rows(rows, batch_dims=1, size=num_rows)
    if batched[1]:
        columns, b = ops.flat_rows(columns, batch_dims=1, size=b.sizes[1]), end_to_end(b)
    columns = ops.cast(columns, dtype=rows.dtype.np)
    out = op(end_to_end(values), b, end_to_end(rows), end_to_end(columns), num_rows=size * num_rows)
    return apart(out, size, num_rows)


def _product_shape(values, b, rows, columns, num_rows):
    check_exact_rank(values, 1, "values")
    check_exact_rank(b, 2, "The dense matrix")
    check_same("Values, their rows and their columns", values.shape, rows.shape, columns.shape)
    return Spec(shape=(num_rows, b.shape[1]), dtype=b.dtype)


# The matrix with `values[k]` at (rows[k], columns[k]) times the dense matrix `b`. Entries at one place add up.
sparse_matmul = primitive(
    "sparse_matmul(values, b, rows, columns, *, num_rows)",
    kernel={"numpy": _sparse_matmul, "jax": "linalg.sparse.sparse_matmul"},
    shape=_product_shape,
    vjp={
        "values": _entries_vjp,
        "b": lambda ops, g, values, rows, columns, b_shape: ops.sparse_matmul(
            values, g, columns, rows, num_rows=b_shape[0]
        ),
    },
    jvp=LINEAR,
    batch=_product_rows,
    dtypes={"values b": NUMERIC, "rows columns": INDEX},
)
