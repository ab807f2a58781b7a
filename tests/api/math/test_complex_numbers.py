"""Complex numbers: TensorFlow's convention, the origin, errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient


@pytest.mark.parametrize(
    ("f", "want"),
    [
        (tf.abs, 0.6 + 0.8j),
        (tf.math.angle, -0.16 + 0.12j),
        (tf.math.real, 1),
        (tf.math.imag, 1j),
        (tf.math.conj, 1),
        (tf.sign, 0.128 - 0.096j),
        (tf.sqrt, 0.2 + 0.1j),
        (lambda z: z * z, 6 - 8j),
        (lambda z: tf.math.real(z * z), 6 - 8j),
        (lambda z: tf.math.imag(z * z), 8 + 6j),
        (lambda z: tf.math.conj(z) * z, 6 + 8j),
        (lambda z: tf.abs(z) ** 2, 6 + 8j),
        (lambda z: tf.math.real(z) * tf.math.imag(z), 4 + 3j),
    ],
)
def test_gradients(f, want):
    np.testing.assert_allclose(gradient(f, 3 + 4j), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", [tf.abs, tf.math.angle, tf.sign])
def test_the_origin_has_slope_zero(f):
    assert gradient(f, 0j) == 0


def test_parts_of_real_tensors():
    assert tf.math.real([1, 2]).dtype == tf.int32
    assert tf.math.imag([1.0, 2.0]).numpy().tolist() == [0, 0]
    assert tf.math.conj([1.0]).numpy().tolist() == [1]
    np.testing.assert_allclose(tf.math.angle([1.0, -1.0]).numpy(), [0, np.pi], rtol=1e-6)


def test_complex_of_parts():
    assert tf.complex(1.0, 2.0).dtype == tf.complex64
    assert tf.complex(np.float64(1), np.float64(2)).dtype == tf.complex128
    a, b = gradient(lambda a, b: tf.abs(tf.complex(a, b)), 3.0, 4.0)
    np.testing.assert_allclose([a, b], [0.6, 0.8], rtol=1e-6)
    a, b = gradient(lambda a, b: tf.abs(tf.complex(a, b)), [[3.0], [4.0]], [4.0, 3.0])
    assert a.shape == (2, 1) and b.shape == (2,)


@pytest.mark.parametrize(("a", "b"), [(1, 2), (np.float16(1), np.float16(2)), (np.float32(1), np.float64(2))])
def test_parts_must_be_floats_of_one_kind(a, b):
    with pytest.raises(TypeError, match="incorrect types"):
        tf.complex(a, b)


@pytest.mark.parametrize(("f", "x"), [(tf.math.conj, [True]), (tf.math.real, ["a"]), (tf.math.angle, [1])])
def test_what_has_no_parts(f, x):
    with pytest.raises(TypeError):
        f(x)
