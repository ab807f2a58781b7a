import numpy as np

from tests.ops.samples.sample import of, referred

_NONE = np.zeros(0, np.int64)

SAMPLES = {
    "row_ids": [of(np.array([0, 2, 2, 5])), of(np.array([0, 1], np.int32)), of(np.array([0]))],
    "ranges": [
        of(np.array([3, 0, 7]), np.array([2, 0, 3])),
        of(np.array([1], np.int32), np.array([4], np.int32)),
        of(_NONE, _NONE),
    ],
}


def _ranges(starts, lengths):
    return np.array([k for a, n in zip(starts, lengths) for k in range(a, a + n)], starts.dtype)


def _row_ids(splits):
    rows = zip(range(len(splits) - 1), splits[:-1], splits[1:])
    return np.array([k for k, start, end in rows for _ in range(end - start)], splits.dtype)


SAMPLES = referred(SAMPLES, row_ids=_row_ids, ranges=_ranges)
