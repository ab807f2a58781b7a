import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.errors import ValueNeeded
from tapeflow.vectorize.values import largest, one_size, values_of


def test_values_have_the_rows_of_all_maps_in_front():
    a, b = tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0, 30.0])
    seen = {}

    def inner(x, y):
        seen.update(a=values_of(x), b=values_of(y), sum=values_of(x + y), neither=values_of(tf.constant(5.0)))
        return x

    tf.vmap(lambda x: tf.vmap(lambda y: inner(x, y))(b))(a)
    assert {k: v.shape for k, v in seen.items()} == {"a": (2, 1), "b": (3,), "sum": (2, 3), "neither": ()}
    np.testing.assert_array_equal(seen["a"] + seen["b"], seen["sum"])


def test_sizes_that_depend_on_values():
    x = tf.constant([[1, 3, 0], [3, 2, 1]])
    assert largest(x) == 3
    assert tf.vmap(lambda r: r[: one_size(largest(r), "the size")])(x).shape == [2, 3]
    with pytest.raises(ValueNeeded, match="the size is from 1 to 2, different from row to row"):
        tf.vmap(lambda r: tf.zeros([one_size(largest(r[2:]) + 1, "the size")]))(x)
    assert largest(tf.zeros([0], tf.int32)) == -1 and one_size([], "nothing") == 0


@pytest.mark.parametrize(
    "f",
    [
        lambda r: tf.math.bincount(r), lambda r: tf.math.segment_sum(r, r), lambda r: tf.sequence_mask(r),
        lambda r: tf.boolean_mask(r, r > 1), lambda r: r[r > 1], lambda r: tf.where(r > 1),
        lambda r: tf.math.confusion_matrix(r, r), lambda r: tf.unique(r)[0], lambda r: tf.dynamic_partition(r, r, 4),
        lambda r: tf.dynamic_stitch([r], [r]), lambda r: tf.range(r[2]), lambda r: r[: r[2]],
        lambda r: tf.zeros([r[2]]), lambda r: tf.reshape(r, [r[2], -1]), lambda r: tf.repeat(r, r),
        lambda r: tf.pad(r, [[r[2], 0]]),
    ],
)  # fmt: skip
def test_shapes_of_public_functions_that_depend_on_values(f):
    x = tf.constant([[0, 1, 1], [0, 1, 3]])
    with pytest.raises(ValueNeeded):
        tf.vmap(f)(x)
    total = lambda r: tf.add_n([tf.reduce_sum(tf.cast(t, tf.int32)) for t in tf.nest.flatten(f(r))])
    assert tf.vectorized_map(total, x).numpy().tolist() == [total(r).numpy() for r in x]


def test_sizes_that_are_the_same_after_all():
    x = tf.constant([[0, 1, 1], [0, 1, 2]])
    assert tf.vmap(lambda r: tf.math.bincount(r, minlength=3))(x).numpy().tolist() == [[1, 2, 0], [1, 1, 1]]
    assert tf.vmap(lambda r: tf.boolean_mask(r, r > 0))(x).numpy().tolist() == [[1, 1], [1, 2]]
