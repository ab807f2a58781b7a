"""Arguments by their old names and in their old order give what the new ones give."""

import numpy as np
import pytest

import tapeflow as tf

old, new = tf.compat.v1.nn, tf.nn
RNG = np.random.default_rng(0)
IMAGE = RNG.normal(size=(1, 4, 4, 2)).astype(np.float32)
FILTER = RNG.normal(size=(2, 2, 2, 3)).astype(np.float32)
MATRIX = RNG.normal(size=(2, 3)).astype(np.float32)
WEIGHTS, BIAS = RNG.normal(size=(3, 2)).astype(np.float32), np.float32([0.5, -9.0])
LABELS = np.float32([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
SAME, STEP = "SAME", [1, 2, 2, 1]

PAIRS = {
    "softmax": (lambda: old.softmax(MATRIX, dim=0), lambda: new.softmax(MATRIX, 0)),
    "log_softmax": (lambda: old.log_softmax(MATRIX, dim=0), lambda: new.log_softmax(MATRIX, 0)),
    "cross_entropy": (
        lambda: old.softmax_cross_entropy_with_logits_v2(LABELS.T, MATRIX.T, dim=0),
        lambda: new.softmax_cross_entropy_with_logits(LABELS, MATRIX),
    ),
    "sparse_cross_entropy": (
        lambda: old.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=MATRIX),
        lambda: new.sparse_softmax_cross_entropy_with_logits([2, 0], MATRIX),
    ),
    "moments": (
        lambda: tf.concat(old.moments(MATRIX, [1], keep_dims=True), 1),
        lambda: tf.concat(new.moments(MATRIX, [1], keepdims=True), 1),
    ),
    "in_top_k": (lambda: old.in_top_k(MATRIX, [0, 1], 1), lambda: tf.equal(tf.argmax(MATRIX, 1), [0, 1])),
    "embedding_lookup": (lambda: old.embedding_lookup(MATRIX, [1, 0, 1]), lambda: tf.gather(MATRIX, [1, 0, 1])),
    "xw_plus_b": (lambda: old.xw_plus_b(MATRIX, WEIGHTS, BIAS), lambda: MATRIX @ WEIGHTS + BIAS),
    "relu_layer": (lambda: old.relu_layer(MATRIX, WEIGHTS, BIAS), lambda: np.maximum(MATRIX @ WEIGHTS + BIAS, 0)),
    "crelu": (lambda: old.crelu(MATRIX, "name", 0), lambda: np.maximum(np.concatenate([MATRIX, -MATRIX]), 0)),
    "space_to_depth": (lambda: old.space_to_depth(IMAGE, 2, "name"), lambda: new.space_to_depth(IMAGE, 2)),
    "conv2d": (
        lambda: old.conv2d(IMAGE, filter=FILTER, strides=STEP, padding=SAME),
        lambda: new.conv2d(IMAGE, FILTER, STEP, SAME),
    ),
    "conv1d": (
        lambda: old.conv1d(value=IMAGE[0], filters=FILTER[0], stride=2, padding=SAME),
        lambda: new.conv1d(IMAGE[0], FILTER[0], 2, SAME),
    ),
    "conv2d_transpose": (
        lambda: old.conv2d_transpose(value=IMAGE, filter=FILTER[..., ::-1, :][:, :, :2].swapaxes(2, 3),
            output_shape=[1, 8, 8, 3], strides=STEP),
        lambda: new.conv2d_transpose(IMAGE, FILTER[..., ::-1, :].swapaxes(2, 3), [1, 8, 8, 3], STEP),
    ),
    "depthwise_conv2d": (
        lambda: old.depthwise_conv2d(IMAGE, FILTER, [1, 1, 1, 1], "VALID", rate=[2, 2]),
        lambda: new.depthwise_conv2d(IMAGE, FILTER, [1, 1, 1, 1], "VALID", dilations=[2, 2]),
    ),
    "max_pool": (lambda: old.max_pool(input=IMAGE, value=None, ksize=2, strides=2, padding=SAME),
        lambda: new.max_pool2d(IMAGE, 2, 2, SAME)),
    "avg_pool": (lambda: old.avg_pool(IMAGE, 2, 1, SAME), lambda: new.avg_pool2d(IMAGE, 2, 1, SAME)),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_old_arguments(name):
    by_old_name, by_new_name = PAIRS[name]
    np.testing.assert_allclose(by_old_name(), by_new_name(), rtol=1e-5, atol=1e-6)


def test_dropout_keeps_or_drops():
    x = tf.ones([1000])
    assert (old.dropout(x, keep_prob=1.0).numpy() == 1).all() and (old.dropout(x, rate=0.0).numpy() == 1).all()
    kept = old.dropout(x, keep_prob=0.9, seed=1).numpy()
    assert 0.85 < (kept != 0).mean() < 0.95
    with pytest.raises(ValueError, match="rate"):
        old.dropout(x)


def test_no_gradient_goes_to_the_labels_of_the_oldest_cross_entropy():
    labels, logits = tf.constant(LABELS), tf.constant(MATRIX)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([labels, logits])
        loss = old.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    assert tape.gradient(loss, labels) is None
    np.testing.assert_allclose(tape.gradient(loss, logits), tf.nn.softmax(logits) - labels, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="Both `labels` and `logits`"):
        old.softmax_cross_entropy_with_logits(labels=labels)


def test_two_names_for_one_argument():
    with pytest.raises(ValueError, match="axis"):
        old.softmax(MATRIX, axis=0, dim=1)
