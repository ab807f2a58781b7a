"""Samples for `tapeflow/ops/collectives.py`: of one replica. What several compute is in
`tests/distribute/test_collectives.py`."""

import numpy as np

from .sample import EMPTY, SCALAR, normal, of, referred

SAMPLES = {
    "all_reduce": [
        of(normal(3, 4), count=1, mean=False),
        of(SCALAR, count=1, mean=True),
        of(EMPTY, count=1, mean=False),
    ],
    "all_gather": [of(normal(3, 4), axis=1, count=1), of(EMPTY, axis=0, count=1)],
    "reduce_scatter": [of(normal(3, 4), axis=0, size=3, count=1)],
}
SAMPLES["from_workers"] = [
    of(normal(3, 4), count=1, number=0),
    of(SCALAR, count=1, number=0),
    of(EMPTY, count=1, number=0),
]
SAMPLES["the_same_in_workers"] = [
    of(normal(3, 4), count=1, number=0, name="v"),
    of(SCALAR, count=1, number=0, name="v"),
    of(EMPTY, count=1, number=0, name="v"),
]
SAMPLES = referred(
    SAMPLES,
    the_same_in_workers=lambda x, **_: np.array(x),
    from_workers=lambda x, **_: np.stack([x]),
    all_reduce=lambda x, **_: np.sum([x], axis=0),
    all_gather=lambda x, axis, count: np.concatenate([x] * count, axis),
    reduce_scatter=lambda x, axis, size, count: np.take(x, range(size), axis),
)
