import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, complex_normal, normal, of

_lengths = np.array([2, 0, 3], np.int32)


def _reverse_sequence(x, lengths, seq_axis, batch_axis):
    out = np.array(x)
    moved, given = np.moveaxis(out, (batch_axis, seq_axis), (0, 1)), np.moveaxis(x, (batch_axis, seq_axis), (0, 1))
    for i, n in enumerate(lengths):
        moved[i, :n] = given[i, :n][::-1]
    return out


SAMPLES = {
    "assigned": [
        of(normal(3, 4), normal(3, 4, seed="v"), order=0),
        of(SCALAR, SCALAR, order=0),
    ],  # the slope is the variable's
    "identity": [of(normal(3, 4)), of(SCALAR), of(EMPTY), of(complex_normal(3))],
    "stop_gradient": [of(normal(3, 4)), of(SCALAR), of(np.array([b"a"], object), order=0)],
    "reshape": [
        of(normal(3, 4), shape=(2, 6)),
        of(SCALAR, shape=(1, 1)),
        of(normal(1), shape=()),
        of(EMPTY, shape=(3, 0, 2)),
        of(complex_normal(4), shape=(2, 2)),
    ],
    "broadcast_to": [
        of(normal(3), shape=(2, 3)),
        of(normal(3, 1), shape=(2, 3, 4)),
        of(SCALAR, shape=(2, 2)),
        of(SCALAR, shape=()),
        of(EMPTY, shape=(2, 0, 3)),
        of(complex_normal(2, 1), shape=(2, 3)),
        of(normal(1, 2), shape=(0, 2)),
    ],
    "transpose": [
        of(normal(2, 3, 4), perm=(2, 0, 1)),
        of(SCALAR, perm=()),
        of(EMPTY, perm=(1, 0)),
        of(complex_normal(2, 3), perm=(1, 0)),
    ],
    "flip": [
        of(normal(2, 3), axis=(1,)),
        of(normal(2, 3, 2), axis=(0, 2)),
        of(EMPTY, axis=(0,)),
        of(complex_normal(3), axis=(0,)),
    ],
    "roll": [
        of(normal(5), shift=(2,), axis=(0,)),
        of(normal(2, 3), shift=(-1, 7), axis=(0, 1)),
        of(EMPTY, shift=(1,), axis=(1,)),
        of(complex_normal(3), shift=(1,), axis=(0,)),
    ],
    "reverse_sequence": [
        of(normal(3, 4), _lengths, seq_axis=1, batch_axis=0, reference=_reverse_sequence),
        of(normal(4, 2, 3), _lengths, seq_axis=0, batch_axis=2, reference=_reverse_sequence),
        of(normal(0, 4), np.zeros(0, np.int32), seq_axis=1, batch_axis=0),
    ],
    "size_tensor": [of(sizes=(2, 3), dtype=np.dtype("int32"), order=0), of(sizes=4, dtype=np.dtype("int64"), order=0)],
}
