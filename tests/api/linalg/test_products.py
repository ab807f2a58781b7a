"""tf.matmul, tf.linalg.matvec, tf.tensordot, tf.linalg.cross: arguments, shapes, dtypes."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY, bare
from tests.api.gradients import gradient

A = np.arange(6.0).reshape(2, 3)
Z = A + 1j * A[::-1]


@pytest.mark.parametrize(("flag", "turned"), [("transpose", lambda x: x.T), ("adjoint", lambda x: x.conj().T)])
def test_matmul_turns_its_arguments(flag, turned):
    got = tf.matmul(Z, Z, **{f"{flag}_b": True}).numpy()
    np.testing.assert_allclose(got, Z @ turned(Z))
    np.testing.assert_allclose(tf.matmul(Z, Z, **{f"{flag}_a": True}).numpy(), turned(Z) @ Z)


def test_matmul_cannot_turn_twice():
    with pytest.raises(ValueError, match="Only one of `transpose_b` and `adjoint_b`"):
        tf.matmul(A, A, transpose_b=True, adjoint_b=True)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
)
def test_matmul_keeps_the_dtype(dtype):
    a = tf.cast([[1, 2], [3, 4]], dtype)
    out = tf.matmul(a, a)
    assert out.dtype == dtype
    np.testing.assert_array_equal(out.numpy().astype(complex), [[7, 10], [15, 22]])


def test_matmul_output_type():
    out = tf.matmul(tf.constant([[100]], tf.int8), tf.constant([[100]], tf.int8), output_type=tf.int32)
    assert out.dtype == tf.int32 and out.numpy() == 10000


def test_float16_products_are_summed_in_float32():
    """Summed in float16 the total would stop growing at 2048."""
    ones = tf.ones([1, 5000], tf.float16)
    assert tf.matmul(ones, ones, transpose_b=True).numpy() == 5000


@pytest.mark.parametrize(
    "shapes",
    [((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 4)), ((0, 2, 3), (3, 4)), ((2, 0), (0, 3))],
)
def test_batches_broadcast(shapes):
    a, b = (np.random.default_rng(0).normal(size=s) for s in shapes)
    np.testing.assert_allclose(tf.matmul(a, b).numpy(), a @ b)
    g_a, g_b = gradient(lambda a, b: a @ b, a, b)
    assert g_a.shape == a.shape and g_b.shape == b.shape


@pytest.mark.parametrize(
    ("which", "a", "b"), [("b", (7, 5, 3), (3, 2)), ("a", (5, 3), (7, 3, 2)), ("b", (7, 5, 3), (1, 3, 2))]
)
def test_gradient_of_one_matrix_for_a_batch_is_one_product(which, a, b):
    """No product for every member of the batch is made, to be summed afterwards."""
    shapes = []

    class Spy:
        def __getattr__(self, name):
            def call(*args, **params):
                out = getattr(bare, name)(*args, **params)
                shapes.append(out.shape)
                return out

            return call

    kept, wanted = (b, a) if which == "a" else (a, b)
    rule = REGISTRY["matmul"].vjp[which]
    out = rule(Spy(), np.ones((7, 5, 2)), np.ones(kept), wanted)
    np.testing.assert_array_equal(out, np.full(wanted, 35.0 if which == "b" else 14.0))
    assert (7, *wanted[-2:]) not in shapes


@pytest.mark.parametrize(
    ("a", "b"), [((2, 3), (2, 3)), ((2, 2, 3), (3, 3, 2)), ((3,), (3,)), ((), (2, 2)), ((2, 3, 4), (3, 4))], ids=str
)
def test_shapes_that_do_not_fit(a, b):
    with pytest.raises(tf.errors.InvalidArgumentError, match="hapes"):
        tf.matmul(tf.ones(a), tf.ones(b))


def test_dtypes_do_not_mix():
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        tf.matmul(tf.ones([1, 1]), tf.ones([1, 1], tf.float64))


@pytest.mark.parametrize(
    ("a", "b", "kwargs", "shape"),
    [
        ((4, 2, 3), (3,), {}, (4, 2)),
        ((2, 3), (4, 3), {}, (4, 2)),
        ((2, 3), (2,), {"transpose_a": True}, (3,)),
        ((2, 3), (2,), {"adjoint_a": True}, (3,)),
    ],
)
def test_matvec(a, b, kwargs, shape):
    a, b = np.random.default_rng(0).normal(size=a), np.random.default_rng(1).normal(size=b)
    matrix = a.T if kwargs else a
    out = tf.linalg.matvec(a, b, **kwargs).numpy()
    assert out.shape == shape
    np.testing.assert_allclose(out, np.einsum("...ij,...j->...i", matrix, b))


@pytest.mark.parametrize(
    "axes", [0, 1, 2, [[1], [0]], [1, 0], [[-1, 0], [0, -1]], tf.constant([[1], [0]]), ([], [])], ids=str
)
def test_tensordot(axes):
    a = np.random.default_rng(0).normal(size=(3, 3))
    b = np.random.default_rng(1).normal(size=(3, 3))
    plain = axes.numpy().tolist() if isinstance(axes, tf.Tensor) else axes
    np.testing.assert_allclose(tf.tensordot(a, b, axes).numpy(), np.tensordot(a, b, plain))


@pytest.mark.parametrize("axes", [-1, 3, [0], [[0, 1], [0]], [[0, 0], [0, 1]], [[5], [0]]], ids=str)
def test_tensordot_axes_that_do_not_fit(axes):
    with pytest.raises(ValueError, match="axes"):
        tf.tensordot(tf.ones([2, 2]), tf.ones([2, 2]), axes)


def test_tensordot_lengths_must_agree():
    """TensorFlow sums over (2, 3) against (3, 2) as if they were flat."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="length 2"):
        tf.tensordot(tf.ones([2, 3]), tf.ones([3, 2]), 2)


def test_tensordot_gradient():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    g_a, g_b = gradient(lambda a, b: tf.tensordot(a, b, 1), a, b)
    np.testing.assert_allclose(g_a, np.ones((2, 4)) @ b.T)
    np.testing.assert_allclose(g_b, a.T @ np.ones((2, 4)))


def test_cross():
    a, b = np.random.default_rng(0).normal(size=(2, 4, 3))
    np.testing.assert_allclose(tf.linalg.cross(a, b).numpy(), np.cross(a, b))
    assert tf.linalg.cross([1, 2, 3], [4, 5, 6]).numpy().tolist() == [-3, 6, -3]
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.linalg.cross([1.0, 2.0], [3.0, 4.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.cross(tf.ones([2, 3]), tf.ones([3]))


def test_adjoint_and_matrix_transpose():
    np.testing.assert_array_equal(tf.linalg.adjoint(Z).numpy(), Z.conj().T)
    np.testing.assert_array_equal(tf.linalg.matrix_transpose(Z).numpy(), Z.T)
    np.testing.assert_array_equal(tf.linalg.matrix_transpose(Z, conjugate=True).numpy(), Z.conj().T)
    with pytest.raises(ValueError, match="rank >= 2"):
        tf.linalg.matrix_transpose([1.0])
