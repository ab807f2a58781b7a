import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

INT_MIN = -(2**31)


@pytest.mark.parametrize(
    "values,dtype,expected",
    [
        ([1.9, -1.9, float("nan"), 1e20, float("-inf")], tf.int32, [1, -1, INT_MIN, INT_MIN, INT_MIN]),
        ([300.0, -1.0], tf.uint8, [44, 255]),
        ([300, -1], tf.uint8, [44, 255]),
        ([0.0, -0.0, 0.1, float("nan")], tf.bool, [False, False, True, True]),
        ([1 + 2j, 2j], tf.bool, [True, False]),
        ([True, False], tf.int8, [1, 0]),
        ([1.00390625, 1.01171875], tf.bfloat16, [1.0, 1.015625]),
        ([1e-8, 70000.0], tf.float16, [0, np.inf]),
    ],
)
def test_cast(values, dtype, expected):
    got = tf.cast(values, dtype)
    assert got.dtype is dtype
    assert got.numpy().tolist() == expected


def test_cast_to_the_same_dtype_is_the_same_tensor():
    x = tf.constant([1.0])
    assert tf.cast(x, tf.float32) is x


def test_cast_of_strings_is_not_implemented():
    for value, dtype in (("1", tf.int32), (1, tf.string)):
        with pytest.raises(tf.errors.UnimplementedError, match="to_number"):
            tf.cast(value, dtype)


def test_cast_of_slices_stays_sparse():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))
    assert tf.cast(slices, tf.float64).values.dtype is tf.float64


def test_gradients_pass_between_floating_and_complex_dtypes_only():
    assert gradient(lambda x: tf.cast(x, tf.float64) * 2.0, 1.0) == np.float32(2)
    assert gradient(lambda x: tf.cast(x, tf.int32), 1.0) is None
    assert gradient(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), 1.0) is None
    assert gradient(lambda x: tf.cast(x, tf.float32) * 2.0, tf.constant(1 + 2j, tf.complex64)) == 2
    got = gradient(lambda x: tf.math.real(tf.cast(x, tf.complex64) * tf.constant(2 + 3j, tf.complex64)), 1.0)
    assert got == 2 and got.dtype == np.float32


@pytest.mark.parametrize(
    "values,source,dtype,expected",
    [
        ([1e10, -1e10, 1.5], tf.float32, tf.int32, [2147483520, INT_MIN, 1]),
        ([300, -3], tf.int32, tf.uint8, [255, 0]),
        ([2**40, -(2**40), 7], tf.int64, tf.int32, [2**31 - 1, INT_MIN, 7]),
        ([1e300, -np.inf], tf.float64, tf.float32, [np.finfo("f").max, np.finfo("f").min]),
        ([1e10], tf.float32, tf.float16, [65504.0]),
        ([1 + 2j], tf.complex128, tf.float32, [1.0]),
        ([1.5, np.inf], tf.float32, tf.float64, [1.5, np.finfo("f").max]),
    ],
)
def test_saturate_cast(values, source, dtype, expected):
    assert tf.saturate_cast(tf.constant(values, source), dtype).numpy().tolist() == expected


def test_saturated_elements_have_no_gradient():
    assert gradient(lambda x: tf.saturate_cast(x, tf.float16), [1.0, 1e6, -1e6]).tolist() == [1, 0, 0]


def test_bitcast_changes_the_last_axis_with_the_width():
    assert tf.bitcast(tf.constant([1.0, 2.0]), tf.int32).numpy().tolist() == [0x3F800000, 0x40000000]
    assert tf.bitcast(tf.constant(1.0), tf.uint8).numpy().tolist() == [0, 0, 0x80, 0x3F]
    assert tf.bitcast(tf.constant([1, 2]), tf.int64).numpy() == 2**33 + 1
    assert tf.bitcast(tf.constant([1.0, 2.0], tf.bfloat16), tf.uint16).numpy().tolist() == [0x3F80, 0x4000]
    with pytest.raises(tf.errors.InvalidArgumentError, match="last axis of size 2"):
        tf.bitcast([1, 2, 3], tf.int64)


def test_bitcast_cuts_the_path():
    """As TensorFlow's; in forward mode too, where it raised."""
    assert gradient(lambda x: tf.bitcast(tf.bitcast(x, tf.int32), tf.float32), 3.0) is None
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.ones([])) as accumulator:
        y = tf.bitcast(tf.bitcast(x, tf.int32), tf.float32)
    assert accumulator.jvp(y) is None


def test_saturating_infinity_into_integers():
    # float16 cannot hold the limits of int32; inf went to INT_MIN
    x = tf.constant([np.inf, -np.inf], tf.float16)
    np.testing.assert_array_equal(tf.saturate_cast(x, tf.int32), [65504, -65504])
    np.testing.assert_array_equal(tf.saturate_cast(x, tf.uint8), [255, 0])


FLOATS = ["float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize(
    "target", [*FLOATS, "int8", "uint8", "int32", "uint32", "int64", "uint64", "complex64", "complex128"]
)
def test_saturated_infinities_are_the_largest_numbers(source, target):
    """Between the floats of one width, and to wider ones, infinities stayed; to uint64 from bfloat16 there was an
    error."""
    source, target = tf.dtypes.as_dtype(source), tf.dtypes.as_dtype(target)
    real = target.real_dtype if target.is_complex else target
    high, low = [
        np.real(v).astype(object) for v in tf.saturate_cast(tf.cast([np.inf, -np.inf], source), target).numpy()
    ]
    least, most = max(float(real.min), float(source.min)), min(float(real.max), float(source.max))
    precision = 2.0 ** -(7 if "bfloat16" in (source.name, target.name) else 10)
    assert abs(float(high) - most) <= most * precision
    assert abs(float(low) - least) <= -least * precision


def test_both_parts_of_a_complex_number_are_saturated():
    largest = np.finfo(np.float32).max
    found = tf.saturate_cast(tf.constant([1e300 - 1e300j, complex(np.inf, 2)]), tf.complex64).numpy()
    assert found.tolist() == [complex(largest, -largest), complex(largest, 2)]


@pytest.mark.parametrize("dtype", [tf.variant, tf.resource])
def test_dtypes_that_have_no_numbers(dtype):
    """They gave numbers of float64."""
    with pytest.raises(tf.errors.UnimplementedError, match=f"^Cast int32 to {dtype.name} is not supported"):
        tf.cast([1], dtype)
    with pytest.raises(TypeError, match=f"^Cannot convert 0 to EagerTensor of dtype {dtype.name}"):
        tf.zeros([2], dtype)
