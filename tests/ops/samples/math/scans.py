import numpy as np

from tests.ops.samples.sample import EMPTY, between, completed, complex_normal, normal, of

ZEROS = np.array([[2.0, 0.0, 4.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [0.5, 0.0, 1.5]])
INF = np.inf


def _scan(step, start):
    """A loop in plain Python."""

    def reference(x, axis, exclusive, reverse):
        rows = np.moveaxis(x, axis, 0)
        rows = rows[::-1] if reverse else rows
        out, total = np.empty_like(rows), np.full(rows.shape[1:], start, x.dtype)
        for k, row in enumerate(rows):
            after = step(total, row)
            out[k] = total if exclusive else after
            total = after
        return np.moveaxis(out[::-1] if reverse else out, 0, axis)

    return reference


def _all_ways(x, reference, order=2, exclusives=(False, True)):
    return [
        of(x, axis=axis, exclusive=exclusive, reverse=reverse, reference=reference, order=order)
        for axis in range(x.ndim) for exclusive in exclusives for reverse in (False, True)
    ]  # fmt: skip


_sum, _prod, _lse = _scan(np.add, 0), _scan(np.multiply, 1), _scan(np.logaddexp, -INF)


def _linear(a, b, axis, reverse):
    a, b = (np.moveaxis(v, axis, 0)[:: -1 if reverse else 1] for v in (a, b))
    out, total = np.empty_like(b), np.zeros_like(b[0] if len(b) else b.sum(0))
    for k in range(len(b)):
        total = out[k] = b[k] + a[k] * total
    return np.moveaxis(out[:: -1 if reverse else 1], 0, axis)


SAMPLES = {
    "cumsum": [
        *_all_ways(normal(2, 3), _sum),
        of(complex_normal(3), axis=0, exclusive=True, reverse=False),
        of(EMPTY, axis=0, exclusive=True, reverse=False),
        of(np.array([100, 100, -3], np.int8), axis=0, exclusive=False, reverse=True),
    ],
    "cumprod": [
        *_all_ways(normal(2, 3), _prod),
        *_all_ways(ZEROS, _prod),
        of(complex_normal(3), axis=0, exclusive=False, reverse=False),
        of(EMPTY, axis=0, exclusive=True, reverse=True),
        of(between(0.99, 1.01, 300), axis=0, exclusive=False, reverse=False, reference=_prod, order=1),
    ],
    "cumulative_logsumexp": [
        *_all_ways(normal(2, 3), _lse, exclusives=(False,)),
        *_all_ways(normal(2, 3), _lse, exclusives=(True,), order=0),  # begins with -inf, which has no differences
        *_all_ways(np.array([800.0, -800.0, 801.0]), _lse, order=0),
        *_all_ways(np.array([-INF, 0.5, -INF, 1.0]), _lse, order=0),
        of(EMPTY, axis=0, exclusive=False, reverse=False),
    ],
    "linear_scan": [
        *[
            of(normal(4, 3, seed="a"), normal(4, 3), axis=axis, reverse=r, reference=_linear)
            for axis in (0, 1)
            for r in (False, True)
        ],
        of(between(-1, 1, 307), normal(307), axis=0, reverse=False, reference=_linear, order=1),
        of(between(-1, 1, 300, 2), normal(300, 2), axis=0, reverse=True, reference=_linear, order=1),
        of(complex_normal(3, seed="a"), complex_normal(3), axis=0, reverse=False),
        of(EMPTY, EMPTY, axis=0, reverse=False),
    ],
    "shift": [
        of(normal(3, 4), axis=1, by=1, reference=lambda x, axis, by: np.pad(x, ((0, 0), (1, 0)))[:, :-1]),
        of(normal(3, 4), axis=0, by=-2, reference=lambda x, axis, by: np.pad(x, ((0, 2), (0, 0)))[2:]),
        of(normal(1), axis=0, by=1),
        of(EMPTY, axis=0, by=-1),
        of(np.array([1, 2], np.int32), axis=0, by=1),
    ],
}

SAMPLES = completed(SAMPLES, "cumsum cumprod cumulative_logsumexp linear_scan")
