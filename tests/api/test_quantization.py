import numpy as np
import pytest

import tapeflow as tf

X = np.array([-7.0, -6.0, -1.3, -0.01, 0.0, 0.02, 0.5, 1.0, 1.26, 5.99, 7.0], np.float32)


def gradients(f, *xs):
    xs = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = f(*xs)
    return y.numpy(), [g.numpy() for g in tape.gradient(y, xs)]


def test_the_range_is_moved_so_that_zero_is_a_level():
    y = tf.quantization.fake_quant_with_min_max_args(X).numpy()
    np.testing.assert_allclose(y[[0, 1, 4, -1]], [-6.0235295, -5.9764705, 0.0, 5.9764705], rtol=1e-6)
    assert (
        len(
            np.unique(
                tf.quantization.fake_quant_with_min_max_args(np.linspace(-7, 7, 999, dtype=np.float32), num_bits=3)
            )
        )
        == 8
    )


def test_learned_bounds_get_the_gradient_of_what_lies_outside():
    y, (gx, low, high) = gradients(
        lambda x, a, b: tf.quantization.fake_quant_with_min_max_vars(x, a, b, num_bits=3), X, -1.05, 2.3
    )
    np.testing.assert_allclose(y[[0, 6, -1]], [-0.9571428, 0.4785714, 2.392857], rtol=1e-6)
    np.testing.assert_array_equal(gx, [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0])
    assert (low, high) == (3.0, 2.0)


def test_channels_have_ranges_of_their_own():
    x = X[:10].reshape(5, 2)
    y, grads = gradients(
        lambda x, a, b: tf.quantization.fake_quant_with_min_max_vars_per_channel(x, a, b, num_bits=3),
        x,
        [-1.05, -2.0],
        [2.3, 0.7],
    )
    one = tf.quantization.fake_quant_with_min_max_vars(x[:, 1], -2.0, 0.7, num_bits=3).numpy()
    np.testing.assert_array_equal(y[:, 1], one)
    assert [g.shape for g in grads] == [(5, 2), (2,), (2,)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 channels"):
        tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [0.0], [1.0])


@pytest.mark.parametrize(
    "options,first,last",
    [
        (dict(range_given=True), -2.015748, 2.0),
        (dict(), -7.0, 7.0),
        (dict(range_given=True, signed_input=False), 0.0, 2.0),
        (dict(range_given=True, num_bits=4, narrow_range=True), -2.0, 2.0),
    ],
)
def test_a_symmetric_grid(options, first, last):
    y, (g,) = gradients(lambda x: tf.quantization.quantize_and_dequantize_v2(x, -1.0, 2.0, **options), X)
    np.testing.assert_allclose([y[0], y[-1]], [first, last], rtol=1e-6)
    np.testing.assert_array_equal(g, [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0])


def test_levels_of_nothing_but_zeros_and_of_halves():
    """Zeros had no scale and became NaN; a value half-way between two levels went to the even one."""
    zeros = tf.quantization.quantize_and_dequantize_v2(tf.zeros([3]), 0.0, 0.0, range_given=False)
    np.testing.assert_array_equal(zeros, [0, 0, 0])
    halves = tf.quantization.fake_quant_with_min_max_args([2.0, -2.0, 0.0], num_bits=6)
    np.testing.assert_allclose(halves, [2.095238, -1.904762, 0.0], rtol=1e-6)
