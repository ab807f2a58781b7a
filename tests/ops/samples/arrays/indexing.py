import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, completed, complex_normal, normal, of, referred

_all = (None, None, None)
_i = lambda *values, dtype=np.int32: np.array(values, dtype)
_mask = np.array([True, False, True])
_grid = np.array([[True, False, True], [False, False, True]])


def _unslice(x, index, shape):
    places = np.arange(np.prod(shape)).reshape(shape)[tuple(slice(*i) if isinstance(i, tuple) else i for i in index)]
    out = np.zeros(int(np.prod(shape)), np.asarray(x).dtype)
    np.put(out, places, x)
    return out.reshape(shape)


def _rows(x, indices, axis):
    return (
        np.stack([np.moveaxis(x, axis, 0)[i] for i in np.ravel(indices)])
        if axis == 0 and np.ndim(indices) == 1
        else np.take(x, indices, axis)
    )


_gathers = [
    of(normal(4, 3), _i(2, 0, 2), axis=0, reference=_rows),
    of(normal(4, 3), _i([2, 1], [0, 2], dtype=np.int64), axis=1, reference=_rows),
    of(normal(2, 3, 4), _i([1, 1], [2, 0]), axis=1),
    of(normal(4), np.int32(3), axis=0),
    of(normal(4, 2), np.int64(1), axis=1),
    of(normal(4, 2), np.zeros(0, np.int32), axis=0),
    of(EMPTY, np.zeros((2, 0), np.int64), axis=0),
    of(complex_normal(3, 2), _i(1, 1), axis=0),
    of(np.array([b"a", b"b"], object), _i(1, 0), axis=0, order=0),
]


def _sliced(x, index):
    """One axis after the other, by the places that are taken."""
    if Ellipsis in index:
        at, used = index.index(Ellipsis), sum(i is not None for i in index) - 1
        index = (*index[:at], *[_all] * (x.ndim - used), *index[at + 1 :])
    axis = 0
    for i in index:
        if i is None:
            x = np.expand_dims(x, axis)
        else:
            places = range(x.shape[axis])
            x = np.take(x, places[slice(*i)] if isinstance(i, tuple) else places[i], axis)
            if not isinstance(i, tuple):
                continue
        axis += 1
    return x


SAMPLES = {
    "getitem": [
        of(normal(4, 3), index=((1, 3, 1),)),
        of(normal(4, 3), index=(2,)),
        of(normal(4, 3), index=(_all, -1)),
        of(normal(5), index=((None, None, -2),)),
        of(normal(2, 3), index=(Ellipsis, None)),
        of(normal(2, 3, 4), index=(1, Ellipsis, (0, 3, 2))),
        of(normal(2, 3), index=(0, 1)),
        of(SCALAR, index=(None,)),
        of(EMPTY, index=(_all, 0)),
        of(complex_normal(3), index=((0, 2, 1),)),
    ],
    "unslice": [
        of(normal(2, 3), index=((1, 3, 1),), shape=(4, 3), reference=_unslice),
        of(normal(3), index=(2,), shape=(4, 3), reference=_unslice),
        of(normal(3), index=((None, None, -2),), shape=(5,), reference=_unslice),
        of(SCALAR, index=(0, 1), shape=(2, 3), reference=_unslice),
        of(np.zeros(0), index=((0, 0, 1),), shape=(2,), reference=_unslice),
        of(complex_normal(2), index=((0, 2, 1),), shape=(3,)),
    ],
    "gather": _gathers,
    "take": _gathers,
    "flat_rows": [
        of(_i([0, 2], [1, 0]), batch_dims=1, size=3, reference=lambda x, **_: x + np.array([[0], [3]])),
        of(
            _i([0, 2], [1, 0], dtype=np.int64),
            batch_dims=2,
            size=3,
            reference=lambda x, **_: x + np.array([[0, 3], [6, 9]]),
        ),
        of(np.zeros((2, 0), np.int32), batch_dims=1, size=0),
        of(np.zeros((0, 2), np.int32), batch_dims=1, size=5),
    ],
    "ravel_index": [
        of(_i([0, 2], [1, 0]), dims=(2, 3), reference=lambda x, dims: np.ravel_multi_index(x.T, dims)),
        of(
            _i([[1, 2, 3]], [[0, 0, 1]], dtype=np.int64),
            dims=(2, 3, 4),
            reference=lambda x, dims: np.ravel_multi_index(np.moveaxis(x, -1, 0), dims),
        ),
        of(_i(3), dims=(4,), reference=lambda x, dims: x[0]),
        of(np.zeros((0, 2), np.int32), dims=(2, 0)),
        of(np.zeros((2, 0), np.int32), dims=(), reference=lambda x, dims: [0, 0]),
    ],
    "unravel_index": [
        of(_i(5, 2), dims=(2, 3), reference=lambda x, dims: [[1, 0], [2, 2]]),
        of(np.int64(3), dims=(2, 2)),
        of(np.zeros(0, np.int32), dims=(2, 3)),
        of(np.zeros(2, np.int32), dims=(), reference=lambda x, dims: np.zeros((0, 2))),
    ],
    "true_places": [
        of(_mask, batch_dims=0, reference=lambda x, batch_dims: [0, 2]),
        of(_grid.T, batch_dims=0, reference=lambda x, batch_dims: [0, 4, 5]),
        of(np.array([[0, 2, 0], [1, 0, 0]]), batch_dims=1, reference=lambda x, batch_dims: [[1], [0]]),
        of(np.ones((2, 2, 1, 2)), batch_dims=2, reference=lambda x, batch_dims: np.full((2, 2, 2), [0, 1])),
        of(np.zeros((0, 3), bool), batch_dims=1),
        of(np.zeros((2, 0), bool), batch_dims=1),
    ],
    "compress": [
        of(normal(3, 2), _mask, reference=lambda x, m: np.compress(m, x, 0)),
        of(normal(2, 3), _grid, reference=lambda x, m: np.extract(m, x)),
        of(normal(2, 3, 2), _grid),
        of(normal(3), np.zeros(3, bool)),
        of(EMPTY, np.zeros(0, bool)),
        of(complex_normal(3), _mask),
    ],
    "uncompress": [
        of(normal(2, 4), _mask),
        of(normal(3), _grid, reference=lambda x, m: [[x[0], 0, x[1]], [0, 0, x[2]]]),
        of(normal(3, 2), _grid),
        of(np.zeros(0), np.zeros(3, bool)),
        of(complex_normal(2), _mask),
    ],
    "nonzero": [
        of(_grid, reference=lambda x: [[0, 0], [0, 2], [1, 2]]),
        of(np.array([0.0, 2.0, np.nan]), reference=lambda x: [[1], [2]]),
        of(EMPTY, reference=lambda x: np.zeros((0, 2))),
        of(np.array([0, 1j])),
        of(np.float64(2.0), reference=lambda x: np.zeros((1, 0))),
    ],
    "one_hot": [
        of(_i(1, 0, 5, -1), depth=3, axis=1, reference=lambda x, **_: [[0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]),
        of(_i(1, 0), depth=2, axis=0, reference=lambda x, **_: [[0, 1], [1, 0]]),
        of(np.int64(1), depth=2, axis=0, reference=lambda x, **_: [0, 1]),
        of(_i([0, 1]), depth=2, axis=1, reference=lambda x, **_: [[[1, 0], [0, 1]]]),
        of(np.zeros((0, 2), np.int32), depth=3, axis=2),
        of(np.array([1], np.uint8), depth=300, axis=1),
    ],
}

SAMPLES = referred(SAMPLES, getitem=_sliced)

SAMPLES = completed(SAMPLES, "unslice ravel_index")
