import numpy as np

from tests.ops.samples.sample import completed, normal, of


def _levels(x):
    """From the fit by a formula: the fit at i is the smallest, over starts, of the largest mean up to an end."""
    rows = x.reshape(-1, x.shape[-1])
    out = []
    for row in rows:
        n = len(row)
        fit = [min(max(row[a : b + 1].mean() for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
        out.append(np.concatenate([[0], np.cumsum(~np.isclose(np.diff(fit), 0))]))
    return np.array(out, np.int32).reshape(x.shape)


SAMPLES = {
    "isotonic_levels": [
        of(normal(3, 6), reference=_levels),
        of(normal(2, 2, 5), reference=_levels),
        of(np.array([3.0, 1.0, 2.0, 2.5, 0.0]), reference=_levels),
        of(np.zeros((0, 3))),
    ]
}

SAMPLES = completed(SAMPLES, "isotonic_levels")
