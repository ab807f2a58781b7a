import numpy as np

from tests.ops.samples.sample import completed, complex_normal, held, normal, of

IDS = np.array([2, 0, 2, -1, 0], np.int32)  # segment 1 is empty, row 3 belongs to none
MANY = np.arange(600, dtype=np.int64) * 7 % 41 - 1


def _grouped(combine, start):
    """Row by row in plain Python."""

    def reference(x, ids, num_segments, empty=None):
        out = np.full((num_segments, *x.shape[ids.ndim :]), start, x.dtype)
        seen = set()
        for index in np.ndindex(ids.shape):
            if ids[index] >= 0:
                out[ids[index]] = combine(out[ids[index]], x[index])
                seen.add(int(ids[index]))
        if empty is not None:
            out[[i for i in range(num_segments) if i not in seen]] = empty
        return out

    return reference


_sum, _max, _min, _prod = (
    _grouped(np.add, 0),
    _grouped(np.maximum, -np.inf),
    _grouped(np.minimum, np.inf),
    _grouped(np.multiply, 1),
)
_ZEROS = np.array([2.0, 0.0, 3.0, 5.0, 0.0])
_TIES = np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 5.0], [9.0, 9.0], [3.0, 0.0]])


def _extreme(reference):
    return [
        of(normal(5, 2), IDS, num_segments=3, empty=-7.0, reference=reference),
        of(normal(5), IDS, num_segments=4, empty=0, reference=reference),
        of(_TIES, IDS, num_segments=3, empty=0.0, reference=reference, order=0),
        of(
            np.array([-np.inf, 1.0, np.nan]),
            np.array([0, 1, 2]),
            num_segments=3,
            empty=0.0,
            reference=reference,
            order=0,
        ),
        of(np.zeros((0, 2)), np.zeros(0, np.int32), num_segments=2, empty=1.0, reference=reference),
        of(np.array([1, -5, 3, 4, 5], np.int32), IDS, num_segments=3, empty=9, order=0),
    ]


def _is_stable_order(out, ids):
    """In every row: the order of Python's stable sort, the way back, where a segment begins and where it ends."""
    assert ids.shape == out[0].shape
    for place in np.ndindex(ids.shape[:-1]):
        row = ids[place].tolist()
        order, back, first, last = (part[place].tolist() for part in out)
        assert order == sorted(range(len(row)), key=row.__getitem__)
        assert [order[i] for i in back] == list(range(len(row)))
        together = [row[i] for i in order]
        assert first == [i == together.index(v) for i, v in enumerate(together)]
        assert last == [v not in together[i + 1 :] for i, v in enumerate(together)]


SAMPLES = {
    "unsorted_segment_sum": [
        of(normal(5, 2), IDS, num_segments=3, reference=_sum),
        of(normal(5), IDS.astype(np.int64), num_segments=4, reference=_sum),
        of(normal(2, 3, 4), np.array([[0, 1, 0], [2, 2, -1]]), num_segments=3, reference=_sum),
        of(normal(600, 30), MANY, num_segments=50, reference=_sum, order=1),  # enough elements for the sparse product
        of(complex_normal(5, 2), IDS, num_segments=3, reference=_sum),
        of(np.zeros((0, 3)), np.zeros(0, np.int32), num_segments=2, reference=_sum),
        of(normal(3), np.int32(1), num_segments=2, reference=_sum),
        of(np.array([100, 100, 1, 1, 1], np.int8), np.array([0, 0, 1, 1, 1]), num_segments=2),
    ],
    "flat_segments": [
        of(
            np.array([[0, 2], [1, -7]], np.int32),
            num_segments=3,
            reference=lambda ids, num_segments: [[0, 2], [4, -1]],
        ),
        of(np.array([0, 1, -1]), num_segments=2, reference=lambda ids, num_segments: [0, 3, -1]),
        of(
            np.array([[[0], [1]], [[1], [0]]]),
            num_segments=2,
            reference=lambda ids, num_segments: [[[0], [1]], [[3], [2]]],
        ),
        of(np.zeros((0, 2), np.int32), num_segments=2),
        of(np.zeros((2, 0), np.int32), num_segments=0),
    ],
    "gather_or_zero": [
        of(normal(3, 2), IDS, reference=lambda x, ids: np.where((ids >= 0)[:, None], x[ids], 0)),
        of(normal(3), np.array([[0, -1], [2, 2]])),
        of(complex_normal(3), np.array([0, 0, -5])),
        of(normal(3, 2), np.zeros((0,), np.int32)),
    ],
    "unsorted_segment_max": _extreme(_max),
    "unsorted_segment_min": _extreme(_min),
    "unsorted_segment_prod": [
        of(normal(5, 2), IDS, num_segments=3, reference=_prod),
        of(_ZEROS, IDS, num_segments=3, reference=_prod),
        of(_ZEROS, np.array([1, 1, 1, 1, 1]), num_segments=2, reference=_prod),
        of(normal(4, 2, 2), np.array([0, 0, 0, 1]), num_segments=2, reference=_prod),
        of(complex_normal(5), IDS, num_segments=3, reference=_prod),
        of(np.zeros((0, 2)), np.zeros(0, np.int64), num_segments=2, reference=_prod),
    ],
    "segment_order": [
        of(IDS),
        of(np.array([[2, 0, 2], [1, -1, 1]])),
        of(np.zeros((2, 0), np.int32)),
        of(np.zeros(0, np.int64)),
        of(np.array([1], np.int32)),
    ],
}

SAMPLES = held(SAMPLES, segment_order=_is_stable_order)

SAMPLES = completed(SAMPLES, "unsorted_segment_sum unsorted_segment_max")
