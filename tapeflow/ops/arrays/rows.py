"""Rows of different lengths, laid end to end: where they are. Row k is from `splits[k]` up to `splits[k + 1]`."""

import numpy as np

from tapeflow.core.dtypes import INDEX
from tapeflow.core.fitting import check_exact_rank, check_same
from tapeflow.core.primitive import CUT, Spec, primitive


def _row_ids_numpy(splits):
    return np.repeat(np.arange(len(splits) - 1, dtype=splits.dtype), np.diff(splits))


def _row_ids_shape(splits):
    check_exact_rank(splits, 1, "Row splits")
    return Spec(shape=(None,), dtype=splits.dtype)


# The row that each value belongs to.
row_ids = primitive(
    "row_ids(splits)",
    kernel={"numpy": _row_ids_numpy},
    shape=_row_ids_shape,
    vjp=CUT,
    dtypes=INDEX,
)


def _ranges_numpy(starts, lengths):
    ends = np.cumsum(lengths, dtype=lengths.dtype)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - ends + lengths, lengths) + np.arange(total, dtype=starts.dtype)


def _ranges_shape(starts, lengths):
    check_exact_rank(starts, 1, "Starts")
    check_same("starts and lengths", tuple(starts.shape), tuple(lengths.shape))
    return Spec(shape=(None,), dtype=starts.dtype)


# From each start so many numbers in steps of 1, one range after the other.
ranges = primitive(
    "ranges(starts, lengths)",
    kernel={"numpy": _ranges_numpy},
    shape=_ranges_shape,
    vjp=CUT,
    dtypes=INDEX,
)
