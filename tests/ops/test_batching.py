"""Every batching rule against the rows one by one, for every set of arguments that may carry the axis."""

import itertools

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.frames import entered
from tapeflow.core.primitive import REGISTRY, recorded as ops
from tapeflow.ops import batching
from tapeflow.ops.batching import rule_of
from tapeflow.vectorize.mapped import Vectorizer

from .samples import all_samples
from .test_registry import parts, tf_tensor

SAMPLES = all_samples()
CASES = [
    (name, k)
    for name, samples in sorted(SAMPLES.items())
    for k in range(len(samples))
    if REGISTRY[name].batch is not None
]

# What has no rule computes its rows one by one. The list can only become shorter.
WITHOUT_A_RULE = {
    "from_workers",  # what other processes give for a whole value
    "non_max_suppression_v3",  # one box after the other
    "ranges",  # as many results as the lengths add up to
    "row_ids",  # as many results as there are values in all rows
    "random_window",  # tries until a window fits
    "sample_classes",  # draws until there are enough different ones
    "size_tensor",  # takes no tensors
    "sobol_points",  # neither does this
    "string_parts",  # as many results as there are parts of all texts
    "string_segment_join",  # texts, for which nothing is gained
    "unique",  # as many results as there are different values
}


def test_what_has_no_rule_is_listed():
    assert {name for name, prim in REGISTRY.items() if rule_of(prim) is None} == WITHOUT_A_RULE


def rows_like(a, size):
    """Rows that differ where that cannot break anything: finite floats by a factor."""
    a = np.asarray(a)
    if a.dtype.kind in "fc" and np.isfinite(a).all():
        return np.stack([a * (1 + 0.01 * k) for k in range(size)]).astype(a.dtype)
    return np.stack([a] * size)


def checked_masks(count):
    """Which arguments carry the axis: every choice for a few, each alone and all together for many."""
    if count <= 3:
        return [m for m in itertools.product([False, True], repeat=count) if any(m)]
    return [tuple(i == k for i in range(count)) for k in range(count)] + [(True,) * count]


@pytest.mark.parametrize("name,k", CASES)
def test_rule_agrees_with_rows_one_by_one(name, k):
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    size = 3

    def one_by_one(given, mask):
        rows = [[tf_tensor(a[i] if m else a) for a, m in zip(given, mask)] for i in range(size)]
        return [parts(prim, prim.entry(*row, **sample.params)) for row in rows]

    for mask in checked_masks(len(sample.args)):
        given = [rows_like(a, size) if m else np.asarray(a) for a, m in zip(sample.args, mask)]
        try:
            want = one_by_one(given, mask)
        except Exception:  # the sample's values do not allow to be changed
            given = [np.stack([np.asarray(a)] * size) if m else np.asarray(a) for a, m in zip(sample.args, mask)]
            want = one_by_one(given, mask)
        vectorizer = Vectorizer(size, loops=False)
        with entered(vectorizer.frame()):
            out = prim.entry(
                *[vectorizer.mapped(tf_tensor(a)) if m else tf_tensor(a) for a, m in zip(given, mask)], **sample.params
            )
        for got, expected in zip(parts(prim, out), zip(*want), strict=True):
            expected = np.stack([np.asarray(e.array) for e in expected])
            held = vectorizer.rows(got).array
            assert held.dtype == expected.dtype, name
            if expected.dtype.kind == "O":
                assert held.tolist() == expected.tolist()
            else:
                np.testing.assert_allclose(held, expected, rtol=1e-5, atol=1e-8, err_msg=f"{name} with {mask}")


# ---- the helpers of rules, by themselves

ROWS = np.arange(24.0).reshape(2, 3, 4)


def given(op):
    """What a rule calls its primitive with."""
    calls = []
    return lambda *args, **params: calls.append((args, params)) or args[0], calls


def test_rows_and_their_repetition():
    assert batching.rows_of([tf.constant(ROWS[0]), tf.constant(ROWS)], [False, True]) == 2
    repeated = batching.spread(tf.constant([1.0, 2.0]), 3)
    assert repeated.numpy().tolist() == [[1, 2]] * 3
    one, other = batching.all_batched([tf.constant(ROWS), tf.constant(5.0)], [True, False])
    assert one.shape == (2, 3, 4) and other.numpy().tolist() == [5, 5]


def test_axes_move_up():
    assert [batching.shifted(a) for a in (None, 0, 2, -1, (0, -2), ((1,), 0))] == [None, 1, 3, -1, (1, -2), ((2,), 1)]
    op, calls = given("op")
    batching.shift("axis")(op, [tf.constant(ROWS)], [True], {"axis": (0, -1), "keepdims": True})
    assert calls[0][1] == {"axis": (1, -1), "keepdims": True}


def test_shapes_begin_with_the_rows():
    op, calls = given("op")
    batching.lengthened("shape")(op, [tf.constant(ROWS)], [True], {"shape": (4, 3)})
    assert calls[0][1] == {"shape": (2, 4, 3)}


def test_arguments_that_broadcast_stay_in_line():
    """(rows, 4) against (3, 4): the rows must not meet the 3."""
    op, calls = given("op")
    batching.aligned(op, [tf.constant(ROWS[:, 0]), tf.constant(ROWS[0])], [True, False], {})
    assert [tuple(a.shape) for a in calls[0][0]] == [(2, 1, 4), (3, 4)]


def test_rows_laid_end_to_end_and_apart():
    flat = batching.end_to_end(tf.constant(ROWS))
    np.testing.assert_array_equal(flat, ROWS.reshape(6, 4))
    np.testing.assert_array_equal(batching.apart(flat, 2, 3), ROWS)
    for axis in (0, 1, 2):
        moved = batching.rows_to(tf.constant(ROWS), axis)
        np.testing.assert_array_equal(moved, np.moveaxis(ROWS, 0, axis))
        np.testing.assert_array_equal(batching.rows_from(moved, axis), ROWS)


def test_all_rows_together_do_not_pass_for_a_matrix():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"inv takes matrices.* in each row .* it was given \(3,\)"
    ):
        batching.matrices(ops.inv, [tf.ones([2, 3])], [True], {})
