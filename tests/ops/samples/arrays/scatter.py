import numpy as np

from tests.ops.samples.sample import completed, complex_normal, normal, of

_ids = np.array([2, 0], np.int32)
_twice = np.array([1, 1, 3], np.int64)


def _one_by_one(combine):
    def reference(x, ids, updates=None):
        out = np.array(x)
        rows = np.zeros((*ids.shape, *x.shape[1:])) if updates is None else updates
        for i, row in zip(np.ravel(ids), np.reshape(rows, (ids.size, *x.shape[1:]))):
            out[i] = combine(out[i], row)
        return out

    return reference


_last = _one_by_one(lambda old, new: new)

SAMPLES = {
    "scatter_update": [
        of(normal(4, 3), _ids, normal(2, 3), reference=_last),
        of(
            normal(4), _twice, normal(3), reference=_last, skip=("updates",)
        ),  # of equal ids one update wins, all get the gradient
        of(normal(4, 2), np.zeros(0, np.int32), np.zeros((0, 2))),
        of(normal(4), np.array([[0, 3], [1, 2]], np.int32), normal(2, 2), reference=_last),
        of(complex_normal(3), _ids, complex_normal(2)),
        of(np.array([b"a", b"b", b"c"], object), _ids, np.array([b"x", b"y"], object), order=0),
    ],
    "clear_rows": [
        of(normal(4, 3), _ids, reference=_last),
        of(normal(4), _twice, reference=_last),
        of(np.zeros((0, 2)), np.zeros(0, np.int64)),
    ],
    **{
        name: [
            of(normal(4, 3), _ids, normal(2, 3), reference=_one_by_one(ufunc)),
            of(normal(4), _twice, normal(3), reference=_one_by_one(ufunc)),
            of(normal(4, 2), np.zeros(0, np.int32), np.zeros((0, 2))),
            of(np.zeros(3), np.array([1, 1], np.int32), np.zeros(2), order=0),
        ]
        for name, ufunc in (("scatter_max", np.maximum), ("scatter_min", np.minimum))
    },
}

SAMPLES = completed(SAMPLES, "scatter_update clear_rows scatter_max scatter_min")
