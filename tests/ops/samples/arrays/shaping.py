import numpy as np

from tests.ops.samples.sample import EMPTY, SCALAR, completed, complex_normal, each, held, normal, of, referred

_lengths = np.array([2, 0, 3], np.int32)


def _reverse_sequence(x, lengths, seq_axis, batch_axis):
    out = np.array(x)
    moved, given = np.moveaxis(out, (batch_axis, seq_axis), (0, 1)), np.moveaxis(x, (batch_axis, seq_axis), (0, 1))
    for i, n in enumerate(lengths):
        moved[i, :n] = given[i, :n][::-1]
    return out


def _moves(place):
    """Every element of the output is the input's at `place(index of the output, shape of the input, **params)`."""

    def holds(out, x, **params):
        for index in np.ndindex(out.shape):
            assert out[index] == x[place(index, x.shape, **params)]

    return holds


def _same_order(out, x, shape):
    assert out.shape == shape and list(out.flat) == list(x.flat)


def _repeated(out, x, shape):
    assert out.shape == shape
    _moves(lambda index, old, shape: tuple(0 if n == 1 else i for i, n in zip(index[len(index) - len(old) :], old)))(
        out, x, shape=shape
    )


def _permuted(out, x, perm):
    assert out.shape == tuple(x.shape[i] for i in perm)
    _moves(lambda index, _, perm: tuple(index[perm.index(i)] for i in range(len(perm))))(out, x, perm=perm)


def _mirrored(index, shape, axis):
    return tuple(n - 1 - i if k in axis else i for k, (i, n) in enumerate(zip(index, shape)))


def _rolled(index, shape, shift, axis):
    by = dict(zip(axis, shift))
    return tuple((i - by.get(k, 0)) % n for k, (i, n) in enumerate(zip(index, shape)))


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

SAMPLES = referred(
    SAMPLES,
    assigned=each(lambda x, variable: x),
    identity=each(lambda x: x),
    stop_gradient=each(lambda x: x),
    size_tensor=lambda sizes, dtype: list(sizes) if isinstance(sizes, tuple) else sizes,
)
SAMPLES = held(
    SAMPLES,
    reshape=_same_order,
    broadcast_to=_repeated,
    transpose=_permuted,
    flip=_moves(_mirrored),
    roll=_moves(_rolled),
)

SAMPLES = completed(SAMPLES, "reverse_sequence")
