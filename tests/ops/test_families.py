"""What families share: shapes, dtypes, and no gradients of comparisons and steps."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import CUT, REGISTRY, Spec
from tapeflow.ops import families

SPEC = lambda *shape, dtype="float32": Spec(shape=shape, dtype=np.dtype(dtype))


@pytest.fixture(autouse=True)
def forgotten():
    from tapeflow.core import primitive as declared

    before, names = dict(REGISTRY), set(vars(declared.bare))
    yield
    REGISTRY.clear()
    REGISTRY.update(before)
    for name in set(vars(declared.bare)) - names:
        delattr(declared.bare, name), delattr(declared.recorded, name)


def test_shapes():
    assert families.broadcast_shape(SPEC(2, 1), SPEC(3)).shape == (2, 3)
    for axis, keepdims in [((0,), True), ((0, 2), False), ((), False), ((1,), False)]:
        expected = np.zeros((2, 3, 4)).sum(axis, keepdims=keepdims).shape
        assert families.reduced((2, 3, 4), axis, keepdims) == expected


def test_elementwise():
    twice = families.elementwise("twice_each(x)", kernel=lambda x: x + x, vjp=lambda g: g + g)
    prim = twice.primitive
    assert prim.elementwise and prim.infer([SPEC(2, None)], {}).shape == (2, None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        twice(tf.constant(1))


def test_a_comparison_is_bool_and_has_no_gradient():
    far = families.comparison("far_apart(a, b)", kernel=lambda a, b: abs(a - b) > 1, dtypes=families.NUMERIC)
    spec = far.primitive.infer([SPEC(2, 1), SPEC(3)], {})
    assert (spec.shape, spec.dtype, far.primitive.vjp) == ((2, 3), bool, CUT)
    x = tf.constant([1.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(far(x, 2.0), tf.float32)
    assert y.numpy().tolist() == [0, 1] and tape.gradient(y, x) is None


def test_broadcasting_sums_gradients_back():
    both = families.broadcasting("sum_of_both(a, b)", kernel="add", vjp={"a": lambda g: g, "b": lambda g: g})
    a, b = tf.ones([3, 1]), tf.ones([2])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = both(a, b)
    by_a, by_b = tape.gradient(y, [a, b])
    assert by_a.numpy().tolist() == [[2]] * 3 and by_b.numpy().tolist() == [3, 3]
