"""Gradients of Keras' neural network operations, graphs of them, and meanings that Keras' own tests leave open."""

import numpy as np
import pytest
import scipy.optimize

import tapeflow as tf
from keras_tapeflow.src.ops import nn

from .checks import check, normal

ACTIVATIONS = (
    "relu relu6 sigmoid sparse_sigmoid tanh tanh_shrink softplus softsign soft_shrink sparse_plus silu squareplus "
    "log_sigmoid leaky_relu hard_sigmoid hard_silu elu selu gelu celu glu hard_tanh hard_shrink softmax log_softmax "
    "sparsemax"
).split()
PICTURES = normal(2, 7, 6, 4)
SHARES = np.random.default_rng(6).random((3, 5))
CASES = {
    "elu": (lambda x: nn.elu(x, 0.3), normal(3, 4)),
    "celu": (lambda x: nn.celu(x, 0.3), normal(3, 4)),
    "gelu": (lambda x: nn.gelu(x, approximate=False), normal(3, 4)),
    "threshold": (lambda x: nn.threshold(x, 0.1, 2.0), normal(3, 4)),
    "softmax of all": (lambda x: nn.softmax(x, None), normal(3, 4)),
    "log_softmax of two axes": (lambda x: nn.log_softmax(x, (0, 2)), normal(3, 4, 2)),
    "sparsemax": (lambda x: nn.sparsemax(x, 0), normal(5, 4)),
    "max_pool": (lambda x: nn.max_pool(x, (2, 3), 2, "same"), PICTURES),
    "max_pool first": (lambda x: nn.max_pool(x, 2, data_format="channels_first"), PICTURES),
    "average_pool": (lambda x: nn.average_pool(x, (2, 3), 2, "same"), PICTURES),
    "adaptive_average_pool": (lambda x: nn.adaptive_average_pool(x, (3, 4)), PICTURES),
    "adaptive_average_pool first": (lambda x: nn.adaptive_average_pool(x, (5, 3), "channels_first"), PICTURES),
    "adaptive_max_pool": (lambda x: nn.adaptive_max_pool(x, (3, 4)), PICTURES),
    "conv": (lambda x, w: nn.conv(x, w, 2, "same"), PICTURES, normal(3, 3, 2, 6)),
    "conv first": (lambda x, w: nn.conv(x, w, 1, "valid", "channels_first", (2, 1)), PICTURES, normal(2, 2, 7, 3)),
    "depthwise_conv": (lambda x, w: nn.depthwise_conv(x, w, 1, "same"), PICTURES, normal(3, 3, 4, 2)),
    "separable_conv": (nn.separable_conv, PICTURES, normal(3, 3, 4, 2), normal(1, 1, 8, 3)),
    "conv_transpose": (lambda x, w: nn.conv_transpose(x, w, (5, 4), "valid", (3, 2)), PICTURES, normal(2, 3, 5, 4)),
    "conv_transpose far": (lambda x, w: nn.conv_transpose(x, w, 3, "same"), PICTURES, normal(2, 2, 5, 4)),
    "categorical": (lambda t, o: nn.categorical_crossentropy(t, o, True), SHARES, normal(3, 5)),
    "categorical axis": (lambda t, o: nn.categorical_crossentropy(t, o, True, 0), SHARES, normal(3, 5)),
    "categorical probabilities": (nn.categorical_crossentropy, SHARES, SHARES[::-1] + 0.1),
    "sparse": (lambda o: nn.sparse_categorical_crossentropy([1, 0, 4], o, True), normal(3, 5)),
    "sparse axis": (
        lambda o: nn.sparse_categorical_crossentropy([[1, 2], [0, 3], [4, 1]], o, True, 1),
        normal(3, 5, 2),
    ),
    "sparse probabilities": (lambda o: nn.sparse_categorical_crossentropy([[1], [0], [4]], o), SHARES + 0.1),
    "binary": (lambda t, o: nn.binary_crossentropy(t, o, True), SHARES, normal(3, 5)),
    "binary probabilities": (nn.binary_crossentropy, SHARES, SHARES[::-1] * 0.8 + 0.1),
    "moments": (lambda x: nn.moments(x, [0, 1]), normal(3, 4, 2)),
    "batch_normalization": (
        lambda x, m, v, o, s: nn.batch_normalization(x, m, v * v + 1, 1, o, s),
        normal(3, 4, 2),
        *normal(4, 4),
    ),
    "ctc_loss": (lambda o: nn.ctc_loss([[1, 2, 1], [1, 2, 2]], o, [3, 2], [5, 4]), normal(2, 5, 3)),
    "psnr": (lambda a, b: nn.psnr(a, b, 1.5), normal(3, 4), normal(3, 4, seed=6)),
    "attention": (
        lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=True, attn_logits_soft_cap=2.0),
        normal(2, 3, 4, 5),
        normal(2, 6, 2, 5),
        normal(2, 6, 2, 7),
    ),
    "attention mask": (
        lambda q, k, v, b: nn.dot_product_attention(q, k, v, bias=b, mask=np.tri(3, 6, dtype=bool)[None, None]),
        normal(2, 3, 4, 5),
        normal(2, 6, 4, 5),
        normal(2, 6, 4, 7),
        normal(2, 4, 3, 6),
    ),
    "unfold": (lambda x: nn.unfold(x, (2, 3), (1, 2), 1, (2, 1)), normal(2, 3, 5, 6)),
    "fold": (lambda x: nn.fold(x, (5, 6), (2, 3), (1, 2), 1, (2, 1)), normal(2, 18, 12)),
    "depth_to_space": (lambda x: nn.depth_to_space(x, 2), normal(1, 2, 3, 8)),
    "space_to_depth": (lambda x: nn.space_to_depth(x, 2, "channels_first"), normal(1, 3, 2, 4)),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_gradients_of_activations(name):
    check(getattr(nn, name), 1.3 * normal(3, 4))


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    check(*CASES[name])


def test_activations_of_integers_are_floating_unless_they_are_the_integers():
    x = np.array([-2, 0, 3])
    assert nn.sigmoid(x).dtype is tf.float32
    assert nn.relu(x).dtype.is_integer


def test_sparsemax_is_the_nearest_point_of_the_simplex():
    x = normal(6)
    near = scipy.optimize.minimize(
        lambda p: np.sum((p - x) ** 2),
        np.full(6, 1 / 6),
        bounds=[(0, 1)] * 6,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        tol=1e-12,
    )
    np.testing.assert_allclose(nn.sparsemax(x).numpy(), near.x, atol=1e-4)


@pytest.mark.parametrize("size, count", [(7, 3), (6, 4), (5, 5), (9, 2)])
def test_adaptive_windows_cover_everything_evenly(size, count):
    x = normal(2, size, 3)
    ends = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    mean = np.stack([x[:, a:b].mean(1) for a, b in ends], 1)
    largest = np.stack([x[:, a:b].max(1) for a, b in ends], 1)
    np.testing.assert_allclose(nn.adaptive_average_pool(x, count).numpy(), mean)
    np.testing.assert_allclose(nn.adaptive_max_pool(x, count).numpy(), largest)


@pytest.mark.parametrize("window", [1, 2, 3, 4])
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
@pytest.mark.parametrize("padding", ["same", "valid"])
def test_transposed_convolutions_put_a_kernel_at_every_place(window, stride, padding):
    x, w = normal(1, 5, 2), normal(window, 3, 2)
    whole = np.zeros((5 * stride + window, 3))
    for i in range(5):
        whole[i * stride : i * stride + window] += np.einsum("kof,f->ko", w, x[0, i])
    size = 5 * stride if padding == "same" else 5 * stride + max(window - stride, 0)
    start = max(window - stride, 0) // 2 if padding == "same" else 0
    np.testing.assert_allclose(
        nn.conv_transpose(x, w, stride, padding).numpy()[0], whole[start : start + size], atol=1e-12
    )


def test_a_convolution_of_channels_that_do_not_fit_says_which():
    with pytest.raises(ValueError, match=r"evenly divisible.*\(1, 5, 3\).*\(2, 2, 4\)"):
        nn.conv(normal(1, 5, 3), normal(2, 2, 4))


def test_fold_is_what_unfold_does_to_gradients():
    x, y = normal(1, 2, 5, 6), normal(1, 12, 12)
    how = dict(kernel_size=(2, 3), dilation=(1, 2), padding=1, stride=(2, 1))
    across = np.sum(nn.unfold(x, **how).numpy() * y)
    np.testing.assert_allclose(across, np.sum(x * nn.fold(y, (5, 6), **how).numpy()))


def test_a_class_that_cannot_be_costs_nothing_and_has_a_gradient():
    logits = tf.constant([[0.0, 1.0, -np.inf]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = nn.categorical_crossentropy([[1.0, 0.0, 0.0]], logits, from_logits=True)
    np.testing.assert_allclose(loss.numpy(), [np.log1p(np.e)], rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(loss, logits).numpy(), [[-0.7310586, 0.7310586, 0.0]], rtol=1e-5)


def test_the_variance_of_halves_stays_finite():
    mean, variance = nn.moments(np.array([-1000.0, 1000.0], "float16"), [0])
    assert (mean.numpy(), variance.numpy()) == (0, np.finfo("float16").max)


def test_a_query_that_sees_nothing_has_numbers_as_a_gradient():
    x = tf.constant(normal(1, 2, 1, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = nn.dot_product_attention(x, x, x, mask=np.array([[[[False, False], [True, False]]]]))
    assert np.isfinite(tape.gradient(y, x).numpy()).all()


def test_heads_that_share_keys_are_as_if_these_were_repeated():
    q, k = normal(2, 3, 4, 5), normal(2, 6, 2, 5)
    repeated = np.repeat(k, 2, axis=2)
    got = nn.dot_product_attention(q, k, k, flash_attention=True)
    np.testing.assert_allclose(got.numpy(), nn.dot_product_attention(q, repeated, repeated).numpy())


def test_decoding_in_a_graph():
    logits, lengths = normal(2, 5, 4), np.array([5, 3])
    for strategy in ("greedy", "beam_search"):
        decode = lambda x, n, how=strategy: nn.ctc_decode(x, n, how, mask_index=1)
        for eager, graph in zip(
            decode(logits, lengths), tf.function(decode)(tf.constant(logits), tf.constant(lengths))
        ):
            np.testing.assert_array_equal(graph.numpy(), eager.numpy())
        assert 1 not in decode(logits, lengths)[0].numpy()  # the blank
