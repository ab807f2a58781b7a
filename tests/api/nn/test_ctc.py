"""CTC: the loss against all paths, gradients, lengths, decoders."""

from itertools import product

import numpy as np
import pytest
from scipy import special

import tapeflow as tf
from tests.api.gradients import gradient
from tests.ops.test_registry import check_gradients, tf_tensor

LOGITS = np.random.default_rng(0).normal(size=(4, 3, 3))
LABELS = np.array([[1, 2], [1, 1], [2, 0]])
LABEL_LENGTH, LOGIT_LENGTH = np.array([2, 2, 1]), np.array([4, 3, 2])


def by_all_paths(logits, label, blank=0):
    """The sum over every path that spells the label."""
    log_probs = special.log_softmax(logits, axis=-1)
    total = -np.inf
    for path in product(range(logits.shape[1]), repeat=len(logits)):
        merged = [c for k, c in enumerate(path) if c != blank and (k == 0 or path[k - 1] != c)]
        if merged == list(label):
            total = np.logaddexp(total, sum(log_probs[t, c] for t, c in enumerate(path)))
    return -total


def loss(x, **more):
    return tf.nn.ctc_loss(LABELS, x, LABEL_LENGTH, LOGIT_LENGTH, **more)


WANT = [by_all_paths(LOGITS[:t, b], LABELS[b, :n]) for b, (n, t) in enumerate(zip(LABEL_LENGTH, LOGIT_LENGTH))]


def test_the_loss_is_the_sum_over_all_paths():
    np.testing.assert_allclose(loss(LOGITS).numpy(), WANT)
    np.testing.assert_allclose(loss(np.transpose(LOGITS, (1, 0, 2)), logits_time_major=False).numpy(), WANT)


def test_another_blank_and_sparse_labels():
    moved = LOGITS[..., [1, 2, 0]]
    labels = np.maximum(LABELS - 1, 0)
    dense = tf.nn.ctc_loss(labels, moved, LABEL_LENGTH, LOGIT_LENGTH, blank_index=-1).numpy()
    np.testing.assert_allclose(dense, WANT)
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]], [0, 1, 0, 0, 1], [3, 2])
    np.testing.assert_allclose(tf.nn.ctc_loss(sparse, moved, None, LOGIT_LENGTH, blank_index=-1).numpy(), WANT)
    with pytest.raises(ValueError, match="blank_index"):
        tf.nn.ctc_loss(sparse, moved, None, LOGIT_LENGTH)


def test_gradients_of_three_orders():
    """TensorFlow's second derivative is NaN."""
    check_gradients(lambda x: [loss(x)], [tf_tensor(LOGITS)], "ctc_loss", 3, 1e-4)


def test_frames_beyond_the_length_get_no_gradient():
    grad = gradient(loss, LOGITS)
    assert not grad[3, 1].any() and not grad[2:, 2].any() and grad[:3, 1].any()
    np.testing.assert_allclose(grad.sum(-1), 0, atol=1e-12)


def test_labels_that_do_not_fit_cost_infinity_and_give_no_gradient():
    impossible = lambda x: tf.nn.ctc_loss([[1, 1]], x, [2], [2])
    assert impossible(np.zeros((2, 1, 3), np.float32)).numpy() == [np.inf]
    assert not gradient(impossible, np.zeros((2, 1, 3), np.float32)).any()


def test_no_labels_means_blanks_only():
    got = tf.nn.ctc_loss(np.zeros((1, 2), np.int32), LOGITS[:, :1], [0], [4]).numpy()
    np.testing.assert_allclose(got, by_all_paths(LOGITS[:, 0], []))
    np.testing.assert_array_equal(
        tf.nn.ctc_loss(np.zeros((2, 1), np.int32), LOGITS[:, :2], [0, 1], [0, 0]).numpy(), [0, np.inf]
    )


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_long_sequences_do_not_underflow(dtype):
    x = tf.cast(np.random.default_rng(1).normal(size=(300, 2, 5)), dtype)
    labels = np.tile([1, 2, 3, 4, 4], (2, 8))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.ctc_loss(labels, x, [40, 30], [300, 200])
    assert y.dtype == dtype and np.isfinite(y.numpy()).all() and np.isfinite(tape.gradient(y, x).numpy()).all()


@pytest.mark.parametrize(
    "change",
    [
        dict(labels=[[1, 5], [1, 1], [2, 0]]),
        dict(label_length=[3, 1, 1]),
        dict(logit_length=[5, 1, 1]),
        dict(label_length=[1, 1]),
        dict(blank_index=7),
        dict(logits=LOGITS[0]),
    ],
)
def test_arguments_that_do_not_fit(change):
    given = dict(labels=LABELS, logits=LOGITS, label_length=LABEL_LENGTH, logit_length=LOGIT_LENGTH) | change
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.nn.ctc_loss(**given)


def test_greedy_decoding():
    frames = tf.one_hot([[0, 1], [0, 3], [3, 1], [0, 2]], 4)
    [labels], score = tf.nn.ctc_greedy_decoder(frames, [4, 3])
    np.testing.assert_array_equal(tf.sparse.to_dense(labels, default_value=-1).numpy(), [[0, 0], [1, 1]])
    np.testing.assert_array_equal(score.numpy(), [[-4], [-3]])
    [labels], _ = tf.nn.ctc_greedy_decoder(frames, [4, 3], merge_repeated=False, blank_index=0)
    np.testing.assert_array_equal(tf.sparse.to_dense(labels, default_value=-1).numpy(), [[3, -1, -1], [1, 3, 1]])
    assert gradient(lambda x: tf.nn.ctc_greedy_decoder(x, [2])[1], np.ones((2, 1, 3), np.float32)) is None


def test_beam_search_finds_what_greedy_misses():
    logits = np.log(np.array([[[0.4, 0.6]], [[0.4, 0.6]]]))
    [best], score = tf.nn.ctc_beam_search_decoder(logits, [2])
    assert best.values.numpy().tolist() == [0]
    np.testing.assert_allclose(np.exp(score.numpy()), [[0.64]])
    [labels], _ = tf.nn.ctc_greedy_decoder(logits, [2])
    assert labels.values.numpy().tolist() == []
    with pytest.raises(tf.errors.InvalidArgumentError, match="beam_width"):
        tf.nn.ctc_beam_search_decoder(logits, [2], beam_width=1, top_paths=2)


def test_collapse_and_unique():
    labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 4, 0, 0]], [5, 3])
    assert labels.numpy().tolist() == [[1, 2, 1], [3, 4, 0]] and lengths.numpy().tolist() == [3, 2]
    unique, place = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    assert unique.numpy().tolist() == [[3, 4, 0, 0]] and place.numpy().tolist() == [[0, 1, 1, 0]]


def test_a_label_that_is_the_blank_is_a_label():
    """A path may step over the blank between two labels also where the second is the number of the blank, as in
    TensorFlow."""
    got = tf.nn.ctc_loss([[1, 2, 0]], tf.zeros([4, 1, 3], tf.float64), [3], [4])
    np.testing.assert_allclose(
        got.numpy(), [4 * np.log(3) - np.log(7)]
    )  # seven paths: one of seven states is visited twice


def test_the_loss_in_a_graph():
    traced = tf.function(lambda *args: tf.nn.ctc_loss(*args))
    got = traced(*[tf.constant(x) for x in (LABELS, LOGITS, LABEL_LENGTH, LOGIT_LENGTH)])
    np.testing.assert_allclose(got.numpy(), WANT)
