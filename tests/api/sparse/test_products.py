import numpy as np
import pytest

import tapeflow as tf

A, B = np.array([[1.0, 2.0], [3.0, 4.0], [0.5, -1.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
PLACES, ADDED = np.array([[0, 0], [2, 1], [1, 0]]), np.array([1.0, 2.0, 10.0])


def wanted(a, b, alpha=1.0, beta=1.0):
    return alpha * (a @ b)[tuple(PLACES.T)] + beta * ADDED


def test_sampled_addmm():
    for places in (PLACES, PLACES.astype(np.int32)):
        where, values, shape = tf.sparse.sampled_addmm(places, ADDED, [3, 2], A, B, output_type=tf.float64)
        np.testing.assert_allclose(values.numpy(), wanted(A, B))
        assert where.numpy().tolist() == PLACES.tolist() and shape.numpy().tolist() == [3, 2]
    values = tf.sparse.sampled_addmm(PLACES, ADDED, [3, 2], A, B, beta=0.5, alpha=2.0, output_type=tf.float64)[1]
    np.testing.assert_allclose(values.numpy(), wanted(A, B, 2.0, 0.5))
    assert tf.sparse.sampled_addmm(PLACES, ADDED, [3, 2], A, B)[1].dtype is tf.float32
    with pytest.raises(ValueError, match="does not match output shape"):
        tf.sparse.sampled_addmm(PLACES, ADDED, [2, 2], A, B)


def test_sampled_addmm_of_sizes_that_a_signature_leaves_open():
    """They were compared with the numbers of the dense shape, and refused."""
    open_sizes = [tf.TensorSpec([None, None], tf.float64)] * 2
    step = tf.function(
        lambda a, b: tf.sparse.sampled_addmm(PLACES, ADDED, [3, 2], a, b)[1], input_signature=open_sizes
    )
    np.testing.assert_allclose(step(A, B).numpy(), wanted(A, B))


def test_sampled_addmm_of_batches_and_its_gradient():
    a, b = tf.Variable(np.stack([A, 2 * A])), tf.Variable(np.stack([B, B]))
    places = [[0, 2, 1], [1, 0, 0]]

    @tf.function
    def total():
        return tf.reduce_sum(tf.sparse.sampled_addmm(places, [0.0, 0.0], [2, 3, 2], a, b, output_type=tf.float64)[1])

    with tf.GradientTape() as tape:
        y = total()
    np.testing.assert_allclose(y.numpy(), (A @ B)[2, 1] + (2 * A @ B)[0, 0])
    grad = np.zeros((2, 3, 2))
    grad[0, 2], grad[1, 0] = B[:, 1], B[:, 0]
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(y, a)).numpy(), grad)
