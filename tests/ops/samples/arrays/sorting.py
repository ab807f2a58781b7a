import numpy as np

from tests.ops.samples.sample import EMPTY, SPECIAL, completed, complex_normal, normal, of, referred

_python_sort = lambda x, descending: [sorted(row, reverse=descending) for row in x]
_python_order = lambda x, descending: [
    sorted(range(len(row)), key=lambda i: -row[i] if descending else row[i]) for row in x
]
_ties = np.array([[1.0, 3.0, 3.0, 1.0, 2.0], [0.0, -0.0, 0.0, 5.0, 5.0]])
_many = np.random.default_rng(5).integers(0, 40, (3, 300)).astype(float)
_columns = np.array([[2, 0], [1, 1]], np.int32)


def _top_k(x, k):
    order = np.array(_python_order(x, True))[:, :k].reshape(len(x), k)
    return np.take_along_axis(x, order, 1), order


def _add_along(x, indices, size):
    out = np.zeros((*x.shape[:-1], size), x.dtype)
    for place in np.ndindex(x.shape):
        out[(*place[:-1], indices[place])] += x[place]
    return out


_arg = lambda name: lambda x, axis, dtype: np.apply_along_axis(lambda v: getattr(np, f"nan{name}")(v), axis, x)


def _along(x, indices):
    out = np.empty(indices.shape, x.dtype)
    for place in np.ndindex(indices.shape):
        out[place] = x[(*place[:-1], indices[place])]
    return out


SAMPLES = {
    "sort": [
        of(normal(3, 5), descending=False, reference=_python_sort),
        of(normal(3, 5), descending=True, reference=_python_sort),
        of(normal(2, 2, 3), descending=True),
        of(_ties, descending=True, reference=_python_sort, order=0),
        of(SPECIAL, descending=False, order=0),
        of(EMPTY, descending=True),
        of(np.zeros((2, 0)), descending=False),
        of(np.array([-128, 127, 0], np.int8), descending=True, order=0),
    ],
    "argsort": [
        of(normal(3, 5), descending=False, reference=_python_order),
        of(_ties, descending=False, reference=_python_order),
        of(_ties, descending=True, reference=_python_order),
        of(EMPTY, descending=True),
        of(np.array([[3, 0, 255]], np.uint8), descending=True, reference=lambda x, descending: [[2, 0, 1]]),
    ],
    "take_along": [
        of(normal(2, 3), _columns),
        of(normal(3), np.array([0, 0], np.int64)),
        of(EMPTY, np.zeros((0, 2), np.int32)),
        of(complex_normal(2, 3), _columns),
    ],
    "add_along": [
        of(normal(2, 2), _columns, size=3, reference=_add_along),
        of(normal(4), np.array([1, 1, 0, 1], np.int64), size=2, reference=_add_along),
        of(np.zeros((0, 2)), np.zeros((0, 2), np.int32), size=3),
        of(np.zeros((2, 0)), np.zeros((2, 0), np.int32), size=0),
        of(complex_normal(2, 2), _columns, size=3),
    ],
    "top_k": [
        of(normal(3, 5), k=2, reference=_top_k),
        of(normal(4), k=4),
        of(normal(2, 2, 3), k=2),
        of(_ties, k=3, reference=_top_k, order=0),
        of(normal(2, 3), k=0),
        of(EMPTY, k=1),
        of(_many, k=7, reference=_top_k, order=0),
        of(normal(2, 200), k=3, reference=_top_k, order=1),
        of(normal(1, 100), k=0, reference=_top_k, order=0),
    ],
    "in_top_k": [
        of(
            np.array([[0.1, 0.7, 0.2], [0.5, 0.5, 0.1], [0.1, 0.2, 0.3]]),
            np.array([2, 1, 0], np.int32),
            k=1,
            reference=lambda p, t, k: [False, True, False],
        ),
        of(
            np.array([[np.nan, 1.0], [1.0, np.inf], [1.0, 2.0]]),
            np.array([1, 0, 5], np.int64),
            k=2,
            reference=lambda p, t, k: [False, False, False],
        ),
        of(np.zeros((0, 3)), np.zeros(0, np.int32), k=1),
    ],
    **{
        name: [
            of(normal(3, 4), axis=0, dtype=np.dtype(np.int64), reference=_arg(name)),
            of(normal(3, 4), axis=1, dtype=np.dtype(np.int32), reference=_arg(name)),
            of(
                np.array([np.nan, 1.0, 3.0, 3.0, -2.0, -2.0, np.nan]),
                axis=0,
                dtype=np.dtype(np.int64),
                reference=_arg(name),
            ),
            of(np.array([[np.nan, np.nan]]), axis=1, dtype=np.dtype(np.int64), reference=lambda x, **_: [0]),
            of(np.array([True, False, True]), axis=0, dtype=np.dtype(np.int64)),
            of(EMPTY, axis=1, dtype=np.dtype(np.int64)),
        ]
        for name in ("argmax", "argmin")
    },
    "unique": [
        of(np.array([3, 1, 3, 2, 1]), reference=lambda x: ([0, 1, 3], [0, 1, 0, 2, 1], [2, 2, 1])),
        of(np.array([np.nan, 1.0, np.nan]), reference=lambda x: ([0, 1, 2], [0, 1, 2], [1, 1, 1])),
        of(np.zeros(0), reference=lambda x: ([], [], [])),
        of(np.array([b"b", b"a", b"b"], object), reference=lambda x: ([0, 1], [0, 1, 0], [2, 1])),
    ],
    "bincount": [
        of(np.array([1, 3, 1, 9]), size=4, reference=lambda x, size: [0, 2, 0, 1]),
        of(np.zeros(0, np.int32), size=2, reference=lambda x, size: [0, 0]),
        of(np.array([[1], [0]], np.uint8), size=2),
    ],
    "histogram_bins": [
        of(
            np.array([-1.0, 0.0, 0.25, 0.3, 0.99, 1.0, 7.0, np.inf, -np.inf]),
            np.float64(0),
            np.float64(1),
            size=4,
            reference=lambda *_, size: [0, 0, 1, 1, 3, 3, 3, 3, 0],
        ),
        of(np.zeros((2, 0)), np.float64(0), np.float64(1), size=3),
        of(np.array([[3, 9]]), np.int64(0), np.int64(10), size=5, reference=lambda *_, size: [[1, 4]]),
    ],
    "searchsorted": [
        of(
            np.array([1.0, 2.0, 2.0, 3.0]),
            np.array([0.0, 2.0, 9.0]),
            side="left",
            reference=lambda *_, side: [0, 1, 4],
        ),
        of(
            np.array([[1, 2], [5, 6]]),
            np.array([[2, 0, 3], [5, 5, 7]]),
            side="right",
            reference=lambda *_, side: [[2, 0, 2], [1, 1, 2]],
        ),
        of(np.zeros((0, 2)), np.zeros((0, 3)), side="left"),
        of(np.zeros(0), np.zeros((2, 1)), side="right"),
        of(np.zeros((2, 0)), np.zeros((2, 1)), side="right", reference=lambda *_, side: [[0], [0]]),
    ],
    "invert_permutation": [of(np.array([2, 0, 1]), reference=np.argsort), of(np.zeros(0, np.int32))],
}

SAMPLES = referred(SAMPLES, take_along=_along)

SAMPLES = completed(SAMPLES, "add_along invert_permutation")
