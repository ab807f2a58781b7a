"""Products with a sparse matrix: the rows of `b` that its entries read, added up by the rows that they are in."""

import jax.numpy as jnp

from tapeflow.engines.xla.arrays.indexing import WRITE, rows_at, taken
from tapeflow.engines.xla.math.reduction import wide


def sparse_matmul(values, b, rows, columns, num_rows):
    """Entries outside of the matrix add nothing."""
    terms = wide(values)[:, None] * taken(wide(b), columns)
    return rows_at(jnp.zeros((num_rows, b.shape[1]), terms.dtype), rows).add(terms, **WRITE).astype(values.dtype)
