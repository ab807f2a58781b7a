"""Shapes and broadcasting, driven by hypothesis: values as NumPy's, gradients summed back to each input's shape."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import tapeflow as tf
from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.primitive import bare
from tapeflow.ops.broadcasting import sum_to

shapes = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4, min_side=0)
settings.register_profile("tapeflow", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("tapeflow")

BINARY = {
    "add": (tf.add, np.add),
    "subtract": (tf.subtract, np.subtract),
    "multiply": (tf.multiply, np.multiply),
    "divide": (tf.divide, np.divide),
    "maximum": (tf.maximum, np.maximum),
    "squared_difference": (tf.math.squared_difference, lambda a, b: (a - b) ** 2),
}


def filled(shape, start):
    return start + np.arange(int(np.prod(shape)), dtype=np.float64).reshape(shape)


@pytest.mark.parametrize("name", BINARY)
@given(shapes=shapes)
def test_values_and_gradient_shapes(name, shapes):
    ours, numpys = BINARY[name]
    a, b = filled(shapes.input_shapes[0], 1.0), filled(shapes.input_shapes[1], 2.5)
    x, y = tf.constant(a), tf.constant(b)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = ours(x, y)
    np.testing.assert_allclose(z.numpy(), numpys(a, b))
    gx, gy = tape.gradient(z, [x, y])
    assert (tuple(gx.shape), tuple(gy.shape)) == (a.shape, b.shape)


@given(shapes=shapes)
def test_the_gradient_of_a_product_is_the_other_factor_summed(shapes):
    a, b = filled(shapes.input_shapes[0], 1.0), filled(shapes.input_shapes[1], 2.5)
    x, y = tf.constant(a), tf.constant(b)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * y
    gx, gy = tape.gradient(z, [x, y])
    np.testing.assert_allclose(gx.numpy(), sum_to(bare, np.broadcast_to(b, shapes.result_shape), a.shape))
    np.testing.assert_allclose(gy.numpy(), sum_to(bare, np.broadcast_to(a, shapes.result_shape), b.shape))


@given(shapes=shapes)
def test_the_shape_rule_is_numpys(shapes):
    assert broadcast_shapes(*shapes.input_shapes) == shapes.result_shape


@given(shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3), data=st.data())
def test_sum_to_is_the_adjoint_of_broadcasting(shape, data):
    small = tuple(data.draw(st.sampled_from([d, 1])) if d else d for d in shape)[
        data.draw(st.integers(0, len(shape))) :
    ]
    g, x = filled(shape, 0.5), filled(small, 0.25)
    assert np.sum(g * np.broadcast_to(x, shape)) == pytest.approx(np.sum(sum_to(bare, g, small) * x))


@pytest.mark.parametrize("a,b", [((3,), (2,)), ((2, 3), (3, 2)), ((4, 1, 3), (5, 2))])
def test_shapes_that_do_not_fit_are_named(a, b):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        tf.ones(a) + tf.ones(b)
    assert str(a) in str(error.value) and str(b) in str(error.value) and "test_broadcasting.py" in str(error.value)


@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 1), (), (1, 1), (2, 3)])
def test_undone_against_unit_vectors(shape):
    g = np.arange(6.0).reshape(2, 3)
    unit = np.zeros(shape)
    expected = np.empty(shape)
    for place in np.ndindex(shape):
        unit[...] = 0
        unit[place] = 1
        expected[place] = np.sum(g * np.broadcast_to(unit, (2, 3)))
    np.testing.assert_array_equal(sum_to(bare, g, shape), expected)
