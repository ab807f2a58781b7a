"""Cross-entropies: differences, every order, masks, infinities, label range, shapes."""

import numpy as np
import pytest
from scipy import special

import tapeflow as tf
from tests.api.gradients import gradient
from tests.ops.test_registry import check_gradients, tf_tensor
from tests.rounding import close

INF = np.inf
LOGITS = np.random.default_rng(0).normal(size=(3, 4))
LABELS = special.softmax(np.random.default_rng(1).normal(size=(3, 4)), axis=1)


@pytest.mark.parametrize(
    "loss",
    [
        lambda x: tf.nn.softmax_cross_entropy_with_logits(LABELS, x),
        lambda x: tf.nn.softmax_cross_entropy_with_logits(np.stack([LABELS, LABELS], 1), tf.stack([x, x * x], 1)),
        lambda x: tf.nn.softmax_cross_entropy_with_logits(LABELS.T, tf.transpose(x), axis=0),
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3, 1], x),
        lambda x: tf.nn.sigmoid_cross_entropy_with_logits(LABELS, x),
        lambda x: tf.nn.weighted_cross_entropy_with_logits(LABELS, x, 2.5),
        lambda x: tf.nn.log_poisson_loss(3 * LABELS, x, compute_full_loss=True),
        lambda x: tf.nn.l2_loss(x),
    ],
)
def test_gradients_of_three_orders_agree_with_differences(loss):
    check_gradients(lambda x: [loss(x)], [tf_tensor(LOGITS)], "loss", 3, 1e-4)


def test_labels_get_a_gradient():
    dl, dx = gradient(tf.nn.softmax_cross_entropy_with_logits, np.float32([0.3, 0.7]), np.float32([1, 2]))
    np.testing.assert_allclose(dl, [1.31326, 0.313262], rtol=1e-5)
    np.testing.assert_allclose(dx, [-0.0310586, 0.0310586], rtol=1e-5)
    dz, _ = gradient(lambda z, x: tf.nn.sigmoid_cross_entropy_with_logits(z, x), np.float32(0.3), np.float32(2))
    assert dz == -2


def test_labels_that_do_not_sum_to_one():
    loss = lambda x: tf.nn.softmax_cross_entropy_with_logits(np.float32([2, 3]), x)
    assert loss(np.float32([0, 0])).numpy() == pytest.approx(5 * np.log(2))
    np.testing.assert_array_equal(gradient(loss, np.float32([0, 0])), [-1.5, -2.5])


def test_a_masked_class_costs_nothing():
    """0 * -inf made the loss NaN although its gradient was finite."""
    x = np.float32([-INF, 0])
    loss = lambda u: tf.nn.softmax_cross_entropy_with_logits(np.float32([0, 1]), u)
    assert loss(x).numpy() == 0
    np.testing.assert_array_equal(gradient(loss, x), [0, 0])
    assert tf.nn.softmax_cross_entropy_with_logits(np.float32([1, 0]), x).numpy() == INF


def test_large_logits():
    x = np.float32([[1000, 0], [1e38, -1e38]])
    close(tf.nn.softmax_cross_entropy_with_logits(np.float32([[0, 1], [0, 1]]), x), np.float32([1000, 2e38]))
    np.testing.assert_array_equal(tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0], x).numpy(), [1000, 0])


def test_infinite_logits_of_sigmoid_cross_entropy():
    """A logit of +inf with label 0 costs inf; it was NaN."""
    loss = lambda x: tf.nn.sigmoid_cross_entropy_with_logits(np.float32([0, 1, 1, 0]), x)
    x = np.float32([INF, -INF, INF, -INF])
    np.testing.assert_array_equal(loss(x).numpy(), [INF, INF, 0, 0])
    np.testing.assert_array_equal(gradient(loss, x), [1, -1, 0, 0])


def test_the_tape_keeps_the_probabilities_alone():
    """The logits are let go of as soon as the caller lets go of them."""
    import gc
    import weakref

    x = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        logits = x + 1
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 2], logits)
    gone = weakref.ref(logits)
    del logits
    gc.collect()
    assert gone() is None
    assert tape.gradient(loss, x) is not None


@pytest.mark.parametrize("label", [-1, 4])
def test_labels_out_of_range(label):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"label value of {label}"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, label, 1], LOGITS)


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="except for the last dimension"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], LOGITS)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.softmax_cross_entropy_with_logits(LABELS, LOGITS[:, :3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 1"):
        tf.nn.softmax_cross_entropy_with_logits(1.0, 1.0)
    with pytest.raises(ValueError, match="same shape"):
        tf.nn.sigmoid_cross_entropy_with_logits(LABELS, LOGITS[0])
    with pytest.raises(ValueError, match="labels"):
        tf.nn.sigmoid_cross_entropy_with_logits(logits=LOGITS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="integers"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([0.0, 1.0, 2.0], LOGITS)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_results_have_the_dtype_of_the_logits(dtype):
    x = tf.cast(LOGITS, dtype)
    for loss in (
        lambda u: tf.nn.softmax_cross_entropy_with_logits(tf.cast(LABELS, dtype), u),
        lambda u: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 3, 1], u),
        lambda u: tf.nn.sigmoid_cross_entropy_with_logits(tf.cast(LABELS, dtype), u),
        tf.nn.l2_loss,
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        assert y.dtype == dtype and tape.gradient(y, x).dtype == dtype
        np.testing.assert_allclose(y.numpy().astype(float), loss(tf.cast(x, dtype)).numpy().astype(float))


def test_integer_labels_and_python_lists():
    x = np.float32([[1, 2], [3, 5]])
    want = special.logsumexp(x, axis=1) - [2, 3]
    np.testing.assert_allclose(tf.nn.softmax_cross_entropy_with_logits([[0, 1], [1, 0]], x).numpy(), want, rtol=1e-6)
    for dtype in ("int8", "uint8", "int32", "int64"):
        labels = tf.constant([1, 0], dtype)
        np.testing.assert_allclose(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x).numpy(), want, rtol=1e-6)


def test_weighted_cross_entropy_far_out():
    loss = lambda x: tf.nn.weighted_cross_entropy_with_logits(np.float32([1, 0]), x, 2.0)
    np.testing.assert_array_equal(loss(np.float32([-1000, 1000])).numpy(), [2000, 1000])
    np.testing.assert_array_equal(gradient(loss, np.float32([-1000, 1000])), [-2, 1])


def test_full_poisson_loss_has_no_nan_gradient_at_zero_counts():
    targets = np.float64([0, 0.5, 1, 3])
    dz, _ = gradient(lambda z, c: tf.nn.log_poisson_loss(z, c, True), targets, np.zeros(4))
    np.testing.assert_allclose(dz, [0, 0, 0, np.log(3) + 0.5 / 3])
    stirling = 3 * np.log(3) - 3 + 0.5 * np.log(6 * np.pi)
    np.testing.assert_allclose(tf.nn.log_poisson_loss(targets, np.zeros(4), True).numpy(), [1, 1, 1, 1 + stirling])


def test_average_loss():
    losses = np.float32([1, 2, 6])
    assert tf.nn.compute_average_loss(losses).numpy() == 3
    assert tf.nn.compute_average_loss(losses, sample_weight=np.float32([0, 0, 1])).numpy() == 2
    assert tf.nn.compute_average_loss(losses, global_batch_size=tf.constant(9)).numpy() == 1
    assert tf.nn.compute_average_loss(tf.zeros([0]), global_batch_size=0).numpy() == 0
    assert tf.nn.compute_average_loss(np.ones((2, 3), np.float32), sample_weight=np.float32([1, 0])).numpy() == 1.5
    with pytest.raises(ValueError, match="global_batch_size"):
        tf.nn.compute_average_loss(tf.constant(3.0))
    with pytest.raises(TypeError, match="integer"):
        tf.nn.compute_average_loss(losses, global_batch_size=2.5)
