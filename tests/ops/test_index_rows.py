"""Batching rules where indices, masks and keys differ from row to row, in one map and in nested ones.
(`test_batching.py` repeats integers, so that they stay valid.)"""

import itertools

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY, recorded as ops
from tapeflow.core.tensor import EagerTensor
from tapeflow.ops.arrays.indexing import boxed

from .test_registry import parts

OUTER, ROWS = 2, 3
rng = np.random.default_rng(0)


def floats(*shape):
    return lambda *rows: rng.normal(size=(*rows, *shape))


def integers(low, high, *shape, dtype=np.int32):
    return lambda *rows: rng.integers(low, high, (*rows, *shape)).astype(dtype)


def orders(size, dtype=np.int32):
    return lambda *rows: rng.permuted(np.broadcast_to(np.arange(size, dtype=dtype), (*rows, size)), axis=-1)


def masks(*shape, true):
    flat = np.arange(int(np.prod(shape))) < true
    return lambda *rows: rng.permuted(np.broadcast_to(flat, (*rows, flat.size)), axis=-1).reshape(*rows, *shape)


def ascending(*shape):
    return lambda *rows: np.sort(rng.normal(size=(*rows, *shape)), -1)


def keys(*rows):
    return rng.integers(0, 2**60, (*rows, 3)).astype(np.uint64)


def words(*shape):
    drawn = lambda rows: [b"tape"[: n + 1] for n in rng.integers(0, 4, int(np.prod((*rows, *shape))))]
    return lambda *rows: np.array([*drawn(rows), None], object)[:-1].reshape((*rows, *shape))


SEGMENTS = [
    ((floats(5, 2), integers(-2, 3, 5)), dict(num_segments=3)),
    ((floats(5), integers(-2, 3, 5, dtype=np.int64)), dict(num_segments=4)),
]
EXTREMES = [(args, params | {"empty": 7.0}) for args, params in SEGMENTS]

CASES = [
    *[
        (name, args, {"axis": axis})
        for name in ("gather", "take")
        for args, axis in [
            ((floats(4, 2), integers(0, 4, 3)), 0),
            ((floats(4, 2), integers(0, 2, 3, 2)), 1),
            ((floats(2, 5, 3), integers(0, 5, dtype=np.int64)), 1),
            ((floats(6), integers(0, 6)), 0),
        ]
    ],
    ("flat_rows", (integers(0, 3, 2, 4),), dict(batch_dims=1, size=3)),
    ("flat_rows", (integers(0, 3, 2, 4),), dict(batch_dims=2, size=5)),
    ("ravel_index", (integers(0, 3, 4, 2),), dict(dims=(3, 4))),
    ("unravel_index", (integers(0, 12, 2, 4),), dict(dims=(3, 4))),
    ("true_places", (masks(5, true=2),), dict(batch_dims=0)),
    ("true_places", (masks(2, 5, true=10),), dict(batch_dims=1)),
    ("compress", (floats(5, 2), masks(5, true=3)), {}),
    ("compress", (floats(2, 3, 2), masks(2, 3, true=4)), {}),
    ("compress", (floats(3), masks(3, true=0)), {}),
    ("uncompress", (floats(3, 2), masks(5, true=3)), {}),
    ("uncompress", (floats(4), masks(2, 3, true=4)), {}),
    ("nonzero", (masks(2, 3, true=4),), {}),
    ("one_hot", (integers(-1, 4, 3),), dict(depth=3, axis=0)),
    *[("unsorted_segment_sum", *case) for case in SEGMENTS],
    ("unsorted_segment_sum", (floats(2, 3, 2), integers(-1, 3, 2, 3)), dict(num_segments=3)),
    ("unsorted_segment_sum", (floats(3), integers(0, 2)), dict(num_segments=2)),
    ("unsorted_segment_sum", (floats(700, 30), integers(-1, 40, 700)), dict(num_segments=40)),
    *[("unsorted_segment_max", *case) for case in EXTREMES],
    *[("unsorted_segment_min", *case) for case in EXTREMES],
    *[("unsorted_segment_prod", *case) for case in SEGMENTS],
    ("gather_or_zero", (floats(4, 2), integers(-2, 4, 3)), {}),
    ("gather_or_zero", (floats(4), integers(-2, 4, 3, 2)), {}),
    ("flat_segments", (integers(-2, 3, 2, 4),), dict(num_segments=3)),
    ("segment_order", (integers(-1, 3, 6),), {}),
    ("scatter_update", (floats(5, 2), orders(5), floats(5, 2)), {}),
    ("scatter_update", (floats(4), integers(0, 4, 2, 2), floats(2, 2)), {}),
    ("clear_rows", (floats(5, 2), integers(0, 5, 3)), {}),
    ("scatter_max", (floats(5, 2), integers(0, 5, 3), floats(3, 2)), {}),
    ("scatter_min", (floats(5), integers(0, 5, 2, 3), floats(2, 3)), {}),
    ("take_along", (floats(2, 5), integers(0, 5, 2, 3)), {}),
    ("add_along", (floats(2, 3), integers(0, 5, 2, 3)), dict(size=5)),
    ("in_top_k", (floats(4, 6), integers(-1, 7, 4)), dict(k=3)),
    ("bincount", (integers(0, 9, 2, 5),), dict(size=6)),
    ("bincount", (integers(0, 200, 50, dtype=np.uint8),), dict(size=300)),
    ("searchsorted", (ascending(5), floats(2, 3)), dict(side="left")),
    ("searchsorted", (ascending(2, 5), floats(2, 3)), dict(side="right")),
    ("invert_permutation", (orders(6),), {}),
    ("reverse_sequence", (floats(3, 4, 2), integers(0, 5, 3)), dict(seq_axis=1, batch_axis=0)),
    ("reverse_sequence", (floats(2, 4, 3), integers(0, 5, 3, dtype=np.int64)), dict(seq_axis=1, batch_axis=2)),
    ("reverse_sequence", (floats(2, 4, 3), integers(0, 3, 4)), dict(seq_axis=0, batch_axis=1)),
    ("random_categorical", (keys, floats(2, 5)), dict(num_samples=3, dtype=np.dtype("int64"))),
    ("random_categorical", (keys, floats(2, 5)), dict(num_samples=12, dtype=np.dtype("int32"))),
    ("random_permutation", (keys,), dict(size=5)),
    ("shuffled_index", (integers(0, 9, 2), integers(0, 9, 4)), dict(max_index=8)),
    ("sparse_matmul", (floats(4), floats(3, 2), integers(0, 5, 4), integers(0, 3, 4)), dict(num_rows=5)),
    ("string_join", (words(2, 3), words(), words(2, 3)), dict(separator=b"-")),
    ("string_join", (words(), words()), dict(separator="")),
    ("string_reduce_join", (words(2, 3),), dict(axis=(1, 0), keepdims=False, separator=b"+")),
    ("substr", (words(2, 3), integers(0, 2, 3), integers(0, 4, 3)), dict(unit="BYTE")),
    ("add_n", (floats(3), floats(3), floats(3), floats(3)), {}),
]


def ids():
    return [f"{name}-{k}" for k, (name, *_) in enumerate(CASES)]


def tensor(a):
    return EagerTensor(boxed(a))


def values(outs):
    return [np.asarray(o.array) for o in outs]


def agree(got, want):
    for g, w in zip(got, want, strict=True):
        assert (g.shape, g.dtype) == (w.shape, w.dtype)
        if g.dtype.kind == "O":
            assert g.tolist() == w.tolist()
        else:
            np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name,makers,params", CASES, ids=ids())
def test_rows_that_differ(name, makers, params):
    prim = REGISTRY[name]
    assert prim.batch is not None
    f = lambda *args: parts(prim, prim.entry(*args, **params))
    for mask in itertools.product([False, True], repeat=len(makers)):
        if not any(mask):
            continue
        given = [make(ROWS) if m else make() for make, m in zip(makers, mask)]
        out = tf.vmap(f, in_axes=tuple(0 if m else None for m in mask))(*map(EagerTensor, given))
        alone = [values(f(*[tensor(a[i] if m else a) for a, m in zip(given, mask)])) for i in range(ROWS)]
        agree(values(out), [np.stack(column) for column in zip(*alone)])


@pytest.mark.parametrize("name,makers,params", CASES, ids=ids())
def test_rows_that_differ_in_nested_maps(name, makers, params):
    """Each argument has the axis of the outer map, of the inner one, of both or of none."""
    prim = REGISTRY[name]
    f = lambda *args: parts(prim, prim.entry(*args, **params))
    for axes in itertools.product([(), (OUTER,), (ROWS,), (OUTER, ROWS)], repeat=min(len(makers), 2)):
        axes = [axes[k % len(axes)] for k in range(len(makers))]
        in_outer, in_inner = [OUTER in a for a in axes], [ROWS in a for a in axes]
        if not (any(in_outer) and any(in_inner)):
            continue
        given = [np.asarray(make(*a)) for make, a in zip(makers, axes)]
        choose = lambda which: tuple(0 if w else None for w in which)
        out = tf.vmap(tf.vmap(f, in_axes=choose(in_inner)), in_axes=choose(in_outer))(*map(EagerTensor, given))
        cell = lambda i, j, *each: tensor(each[0][(i,) * each[1] + (j,) * each[2]])
        columns = list(zip(given, in_outer, in_inner))
        want = [[values(f(*[cell(i, j, *column) for column in columns])) for j in range(ROWS)] for i in range(OUTER)]
        agree(values(out), [np.array([[found[k] for found in line] for line in want]) for k in range(len(want[0][0]))])


def test_no_rows_at_all():
    """The rule alone decides the shape of each row."""
    for name, makers, params in CASES:
        prim = REGISTRY[name]
        one = values(parts(prim, prim.entry(*[EagerTensor(make()) for make in makers], **params)))
        mapped = tf.vmap(lambda *a, prim=prim, params=params: parts(prim, prim.entry(*a, **params)))
        none = mapped(*[EagerTensor(make(0)) for make in makers])
        decided_by_values = name in ("true_places", "compress", "nonzero")
        for got, want in zip(values(none), one):
            assert got.dtype == want.dtype, name
            assert got.shape == (0, *want.shape) or decided_by_values and got.shape[0] == 0, name


# ---- what is wrong in one row is wrong


def row_with(bad):
    return EagerTensor(np.array([[0, 1], [0, bad]], np.int32))


X = EagerTensor(np.arange(12.0).reshape(2, 3, 2))
FIRST = ((0, 2, 1),)


@pytest.mark.parametrize(
    "f,bad",
    [
        (lambda x, i: ops.gather(x, i, axis=0), 3),
        (lambda x, i: ops.gather(x, i, axis=0), -1),
        (lambda x, i: ops.take(x, i, axis=1), 2),
        (lambda x, i: ops.unsorted_segment_sum(ops.getitem(x, index=FIRST), i, num_segments=2), 2),
        (lambda x, i: ops.unsorted_segment_max(ops.getitem(x, index=FIRST), i, num_segments=2, empty=0.0), 2),
        (lambda x, i: ops.gather_or_zero(x, i), 3),
        (lambda x, i: ops.scatter_update(x, i, ops.getitem(x, index=FIRST)), 3),
        (lambda x, i: ops.invert_permutation(i), 0),
        (lambda x, i: ops.invert_permutation(i), 2),
        (lambda x, i: ops.bincount(i, size=2), -1),
        (lambda x, i: ops.reverse_sequence(ops.getitem(x, index=FIRST), i, seq_axis=1, batch_axis=0), 3),
        (lambda x, i: ops.ravel_index(i, dims=(3, 2)), 2),
    ],
)
def test_an_error_in_one_row_is_raised(f, bad):
    """A neighbour of the row must not be read or written instead."""
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vmap(f)(X, row_with(bad))


def test_masks_with_different_counts_say_so():
    mask = EagerTensor(np.array([[True, False], [True, True]]))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Some rows have 1 elements that are true and others up to 2"
    ):
        tf.vmap(tf.boolean_mask)(EagerTensor(np.ones((2, 2))), mask)


def test_shapes_are_compared_row_by_row():
    """Six elements for six ids, but not of one shape."""
    x, ids = EagerTensor(np.ones((4, 2, 3))), EagerTensor(np.zeros((4, 3, 2), np.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(2, 3\) does not start with the shape \(3, 2\)"):
        tf.vmap(lambda x, i: ops.unsorted_segment_sum(x, i, num_segments=2))(x, ids)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"a vector, got shape \(3, 2\)"):
        tf.vmap(tf.math.invert_permutation)(ids)


def test_a_row_of_scalars_is_not_bytes_of_one():
    x = EagerTensor(np.zeros((4, 4), np.uint8))
    assert tf.vmap(lambda r: tf.bitcast(r, tf.int32))(x).shape == (4,)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.vmap(tf.vmap(lambda r: tf.bitcast(r, tf.int32)))(x)
