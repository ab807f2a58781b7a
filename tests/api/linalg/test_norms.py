"""tf.norm and tf.linalg.normalize: values against NumPy, and the corner at zero."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient
from tests.ops.test_registry import check_gradients
from tests.rounding import close

X = np.random.default_rng(0).normal(size=(3, 4, 2))
INF = np.inf


@pytest.mark.parametrize("order", ["euclidean", 1, 2, 3, 0.5, 1.5, INF])
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("keepdims", [None, False, True])
def test_vector_norms(order, axis, keepdims):
    want = np.linalg.norm(X.ravel() if axis is None else X, 2 if order == "euclidean" else order, axis, keepdims=False)
    got = tf.norm(X, order, axis, keepdims).numpy()
    np.testing.assert_allclose(got.reshape(want.shape), want)
    assert got.ndim == (3 if keepdims else want.ndim)


@pytest.mark.parametrize("order", ["euclidean", "fro", 1, 2, INF])
@pytest.mark.parametrize("axis", [(0, 1), [1, 0], (-1, 0), (1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norms(order, axis, keepdims):
    want = np.linalg.norm(X, "fro" if order == "euclidean" else order, tuple(axis), keepdims)
    np.testing.assert_allclose(tf.norm(X, order, axis, keepdims).numpy(), want)


@pytest.mark.parametrize(
    ("order", "axis"), [("euclidean", 1), (1, 0), (3, 1), (INF, None), (2, (0, 1)), ("fro", (1, 2)), (1, (0, 1))]
)
def test_gradients(order, axis):
    check_gradients(lambda x: [tf.norm(x, order, axis)], [tf.constant(X)], f"norm {order}", 2, 1e-4)
    check_gradients(
        lambda x: [tf.norm(x, order, axis)], [tf.constant(X + 1j * X[::-1])], f"complex norm {order}", 1, 1e-4
    )


@pytest.mark.parametrize("order", ["euclidean", 1, 2, 3, 1.5, INF])
def test_zero_has_gradient_zero(order):
    assert gradient(lambda x: tf.norm(x, order), [0.0, 0.0]).tolist() == [0, 0]
    rows = gradient(lambda x: tf.norm(x, order, axis=1), [[0.0, 0.0], [3.0, 0.0]])
    close(rows, [[0, 0], [1, 0]])


@pytest.mark.parametrize("order", ["fro", "euclidean", 1, INF])
def test_zero_matrix_has_gradient_zero(order):
    assert not gradient(lambda x: tf.norm(x, order, axis=[0, 1]), np.zeros((2, 2))).any()


def test_second_order_at_zero():
    x = tf.zeros([2])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.norm(x)
        g = tape.gradient(y, x)
    assert np.isfinite(outer.gradient(g, x).numpy()).all()


def test_high_orders_do_not_overflow():
    """(1e30)³ is beyond float32."""
    np.testing.assert_allclose(
        tf.norm(np.array([1e30, 1e30], "float32"), ord=3).numpy(), 1e30 * 2 ** (1 / 3), rtol=1e-6
    )


@pytest.mark.parametrize("order", ["euclidean", 1, 3, INF])
def test_infinite_and_missing_numbers(order):
    assert tf.norm([INF, 1.0], order).numpy() == INF
    assert np.isnan(tf.norm([np.nan, 1.0], order).numpy())
    if order != INF:
        assert tf.norm(tf.zeros([0]), order).numpy() == 0


def test_complex_euclidean_norm_is_complex_as_in_tensorflow():
    z = tf.constant([3 + 4j, 0])
    assert tf.norm(z).dtype == tf.complex128 and tf.norm(z).numpy() == 5
    assert tf.norm(z, ord=1).dtype == tf.float64


@pytest.mark.parametrize(
    ("order", "axis", "text"),
    [
        ("fro", None, "vector norm"),
        (0, None, "vector norm"),
        (-1, 0, "vector norm"),
        (3, (0, 1), "matrix norm"),
        (2, (0, 0), "unique"),
        (2, [1], "unique"),
    ],
)
def test_wrong_arguments(order, axis, text):
    with pytest.raises(ValueError, match=text):
        tf.norm(X, order, axis)


def test_integers_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        tf.norm([3, 4])


@pytest.mark.parametrize(("order", "axis"), [("euclidean", None), (2, 1), (1, 0), (INF, None), ("fro", (0, 1))])
def test_normalize(order, axis):
    unit, length = tf.linalg.normalize(X, order, axis)
    np.testing.assert_allclose(unit.numpy() * length.numpy(), X)
    np.testing.assert_allclose(tf.norm(unit, order, axis).numpy(), 1.0)


def test_normalize_of_zero_is_nan():
    unit, length = tf.linalg.normalize([0.0, 0.0])
    assert np.isnan(unit.numpy()).all() and length.numpy() == 0
    assert np.isnan(gradient(lambda x: tf.linalg.normalize(x)[0], [0.0, 0.0])).all()


def test_normalize_complex():
    unit, _ = tf.linalg.normalize(tf.constant([3 + 4j, 0j]))
    np.testing.assert_allclose(unit.numpy(), [0.6 + 0.8j, 0])


@pytest.mark.parametrize("ord", ["euclidean", 1, 3, np.inf])
def test_the_norm_beside_a_complex_unit_vector_is_complex(ord):
    unit, length = tf.linalg.normalize(tf.constant([1 + 1j, 2]), ord=ord)
    assert unit.dtype is length.dtype is tf.complex128
    np.testing.assert_allclose(unit * length, [1 + 1j, 2])
