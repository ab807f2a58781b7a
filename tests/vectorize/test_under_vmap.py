"""Public functions inside vectorised functions: all rows at once must give what they give one by one, and so must
gradients."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import narrowest

from .vmap_cases import CASES, KINDS, ROWS


def arguments(kinds):
    """(the arguments with all rows, the axis of each, the arguments of every row)"""
    axes = tuple(None if kind.startswith("=") else 0 for kind in kinds.split())
    arrays = [KINDS[kind.removeprefix("=")] for kind in kinds.split()]
    whole = [tf.constant(a[0] if axis is None else a) for a, axis in zip(arrays, axes)]
    rows = [[tf.constant(a[0] if axis is None else a[k]) for a, axis in zip(arrays, axes)] for k in range(ROWS)]
    return whole, axes, rows


def leaves(out):
    return [tf.convert_to_tensor(leaf) for leaf in tf.nest.flatten(out)]


def agree(got, rows, dtype=np.float64):
    """Leaf by leaf: the rows of `got` are the leaves of `rows`, computed in `dtype` where they are not narrower
    themselves."""
    assert len(got) == len(rows[0])
    for g, *want in zip(got, *rows):
        want = np.stack([np.asarray(w) for w in want])
        assert np.asarray(g).dtype == want.dtype
        if want.dtype.kind == "O":
            assert np.asarray(g).tolist() == want.tolist()
        else:
            single = want.dtype.kind in "fc" and np.finfo(narrowest(want, np.empty(0, dtype))).eps > 1e-8
            np.testing.assert_allclose(g, want, rtol=1e-4 if single else 1e-7, atol=2e-5 if single else 1e-9)


@pytest.mark.parametrize("name", CASES)
def test_rows_together_give_what_they_give_one_by_one(name):
    kinds, function = CASES[name]
    whole, axes, rows = arguments(kinds)
    out = tf.vmap(function, in_axes=axes)(*whole)
    agree(leaves(out), [leaves(function(*row)) for row in rows])


def summed(function, *values):
    """The sum of all inexact results, squared so that every element has a gradient of its own."""
    parts = [leaf for leaf in leaves(function(*values)) if leaf.dtype.is_floating or leaf.dtype.is_complex]
    return (
        tf.add_n([tf.cast(tf.reduce_sum(tf.abs(p) ** 2 + tf.math.real(p)), tf.float64) for p in parts])
        if parts
        else None
    )


def gradients(function, values, **how):
    """Of the sum, for the floating values; None if no result is floating, or one has no gradient."""
    sources = [v for v in values if v.dtype.is_floating or v.dtype.is_complex]
    if not sources:
        return None
    with tf.GradientTape() as tape:
        tape.watch(sources)
        total = summed(function, *values)
    if total is None:
        return None
    try:
        found = tape.gradient(total, sources, unconnected_gradients="zero", **how)
    except LookupError:
        return None
    return [tf.convert_to_tensor(g) for g in found]


@pytest.mark.parametrize("name", CASES)
def test_gradients_agree_with_rows_one_by_one(name):
    kinds, function = CASES[name]
    whole, axes, rows = arguments(kinds)
    want = [gradients(function, row) for row in rows]
    if want[0] is None:
        return
    dtype = narrowest(*leaves(function(*rows[0])))
    inside = tf.vmap(lambda *values: gradients(function, values), in_axes=axes)(*whole)  # a tape in every row
    agree(inside, want, dtype)
    outside = gradients(tf.vmap(function, in_axes=axes), whole)  # one tape around all rows
    mapped = [axis == 0 for v, axis in zip(whole, axes) if v.dtype.is_floating or v.dtype.is_complex]
    agree([g if m else tf.stack([g] * ROWS) for g, m in zip(outside, mapped)], total_where_shared(want, mapped), dtype)


def total_where_shared(want, mapped):
    """An argument that is the same for every row has one gradient, the sum over the rows."""
    shared = [sum(np.asarray(row[k]) for row in want) for k in range(len(mapped))]
    if all(mapped):
        return want
    return [[row[k] if m else shared[k] for k, m in enumerate(mapped)] for row in want]


REFUSE_VECTORS = (
    "matmul linalg.det linalg.inv linalg.cholesky linalg.qr linalg.svd linalg.eigh linalg.expm "
    "linalg.lu linalg.solve linalg.trace"
)


@pytest.mark.parametrize("name", REFUSE_VECTORS.split())
def test_all_rows_together_do_not_pass_for_a_matrix(name):
    function = tf
    for part in name.split("."):
        function = getattr(function, part)
    several = 2 if name in ("matmul", "linalg.solve") else 1
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        tf.vmap(lambda x: function(*[x] * several))(tf.eye(3))


@pytest.mark.parametrize(
    "name",
    ["cond", "while_loop", "map_fn", "gather", "nn.conv2d SAME", "linalg.solve", "getitem", "image.resize bilinear"],
)
def test_maps_nest(name):
    """Rows of rows, and the same for every outer row."""
    extra = {
        "cond": ("x", lambda x: tf.cond(x[0, 0] > 0, lambda: tf.sqrt(x - tf.reduce_min(x)), lambda: x)),
        "while_loop": ("p", lambda p: tf.while_loop(lambda s: tf.reduce_sum(s) < 30, lambda s: (s * (p + 1),), (p,))),
    }
    kinds, function = extra.get(name) or CASES[name]
    whole, axes, rows = arguments(kinds)
    assert None not in axes
    want = [leaves(function(*row)) for row in rows]
    both = [tf.stack([x, tf.reverse(x, [0])]) for x in whole]
    out = leaves(tf.vmap(tf.vmap(function))(*both))
    agree([o[0] for o in out], want)
    agree([o[1] for o in out], want[::-1])
