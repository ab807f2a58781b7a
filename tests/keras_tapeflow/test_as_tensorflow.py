"""`tf.keras.backend`: the old helpers that programs still call. The numbers are TensorFlow's."""

import numpy as np
import pytest

import tapeflow as tf

K = tf.keras.backend
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
IMAGE = tf.reshape(tf.range(32.0), (1, 4, 4, 2))
LIKELY = tf.nn.softmax(tf.constant(np.sin(np.arange(60.0)).reshape(3, 5, 4) * 3, tf.float32))
RUN = {
    "abs": [X],
    "argmax": [X],
    "batch_dot": [X, X],
    "batch_flatten": [IMAGE],
    "batch_set_value": [[]],
    "bias_add": [X, X[0]],
    "binary_crossentropy": [X / 5, X / 6],
    "cast": [X, "float64"],
    "cast_to_floatx": [np.ones(2)],
    "categorical_crossentropy": [X / 5, X / 6],
    "clear_session": [],
    "clip": [X, 0.0, 2.0],
    "concatenate": [[X, X]],
    "constant": [3.0],
    "conv3d": [tf.ones((1, 3, 3, 3, 1)), tf.ones((2, 2, 2, 1, 2))],
    "cumprod": [X],
    "depthwise_conv2d": [IMAGE, tf.ones((2, 2, 2, 1))],
    "dot": [X, X],
    "dropout": [X, 0.5],
    "dtype": [X],
    "elu": [X],
    "epsilon": [],
    "equal": [X, X],
    "exp": [X],
    "expand_dims": [X],
    "eye": [2],
    "flatten": [X],
    "floatx": [],
    "foldr": [lambda a, b: a + b, X],
    "gather": [X, tf.constant([0])],
    "get_uid": ["a"],
    "hard_sigmoid": [X],
    "image_data_format": [],
    "is_sparse": [X],
    "l2_normalize": [X],
    "log": [X],
    "map_fn": [lambda x: x * 2, X],
    "max": [X],
    "maximum": [X, X],
    "mean": [X],
    "name_scope": ["a"],
    "ndim": [X],
    "one_hot": [tf.constant([0, 1]), 2],
    "ones": [(2,)],
    "permute_dimensions": [X, (1, 0)],
    "pool3d": [tf.ones((1, 4, 4, 4, 1)), (2, 2, 2)],
    "pow": [X, 2],
    "prod": [X],
    "random_bernoulli": [(2,)],
    "random_normal": [(2,)],
    "random_normal_variable": [(2,), 0.0, 1.0],
    "random_uniform": [(2,)],
    "random_uniform_variable": [(2,), 0.0, 1.0],
    "relu": [X],
    "repeat": [X, 2],
    "repeat_elements": [X, 2, 0],
    "reshape": [X, [4]],
    "resize_images": [IMAGE, 2, 2, "channels_last"],
    "reverse": [X, 0],
    "separable_conv2d": [IMAGE, tf.ones((2, 2, 2, 1)), tf.ones((1, 1, 2, 3))],
    "shape": [X],
    "sigmoid": [X],
    "softmax": [X],
    "sparse_categorical_crossentropy": [tf.constant([0, 1]), X / 5],
    "spatial_2d_padding": [IMAGE],
    "sqrt": [X],
    "square": [X],
    "squeeze": [X[None], 0],
    "stack": [[X, X]],
    "std": [X],
    "stop_gradient": [X],
    "sum": [X],
    "switch": [tf.constant(True), X, X],
    "tile": [X, [1, 2]],
    "truncated_normal": [(2,)],
    "var": [X],
    "variable": [1.0],
    "zeros": [(2,)],
}


@pytest.mark.parametrize("name", RUN)
def test_helper_runs(name):
    getattr(K, name)(*RUN[name])


VALUES = {
    "conv1d": (
        lambda: K.conv1d(tf.ones((1, 4, 1)), tf.ones((2, 1, 1)), 1, "causal", dilation_rate=2),
        [[[1], [1], [2], [2]]],
    ),
    "conv2d": (lambda: K.conv2d(IMAGE, tf.ones((2, 2, 2, 1)), (2, 2), "same"), [[[[44], [76]], [[172], [204]]]]),
    "conv2d_transpose": (
        lambda: K.conv2d_transpose(X[None, :, :, None], tf.ones((2, 2, 1, 1)), (1, 3, 3, 1)),
        [[[[1], [3], [2]], [[4], [10], [6]], [[3], [7], [4]]]],
    ),
    "count_params": (lambda: K.count_params(X), 4),
    "ctc_batch_cost": (
        lambda: K.ctc_batch_cost(
            tf.constant([[1, 2]]), tf.fill((1, 5, 4), 0.25), tf.constant([[5]]), tf.constant([[2]])
        ),
        [[3.3761]],
    ),
    "ctc_decode": (
        lambda: K.ctc_decode(LIKELY, tf.constant([5, 4, 3]))[0][0],
        [[2, 0, 2, -1, -1], [0, 0, 1, -1, -1], [0, 2, -1, -1, -1]],
    ),
    "eval": (lambda: K.eval(X), [[1, 2], [3, 4]]),
    "get_value": (lambda: K.get_value(tf.Variable([1.0, 2.0])), [1, 2]),
    "batch_get_value": (lambda: K.batch_get_value([tf.Variable([1.0, 2.0])]), [[1, 2]]),
    "in_top_k": (lambda: K.in_top_k(X, tf.constant([0, 1]), 1), [False, True]),
    "pool2d": (lambda: K.pool2d(IMAGE[..., :1], (2, 2), (2, 2), "same"), [[[[10], [14]], [[26], [30]]]]),
    "pool2d avg": (
        lambda: K.pool2d(IMAGE[..., :1], (2, 2), (2, 2), "same", None, "avg"),
        [[[[5], [9]], [[21], [25]]]],
    ),
    "rnn": (
        lambda: K.rnn(
            lambda x, s: (x + s[0], [x + s[0]]),
            tf.ones((2, 3, 1)),
            [tf.zeros((2, 1))],
            mask=tf.constant([[True, True, False], [True, False, False]]),
        )[1],
        [[[1], [2], [2]], [[1], [1], [1]]],
    ),
    "gradients": (lambda: tf.function(lambda x: K.gradients(K.sum(x * x), [x])[0])(X), [[2, 4], [6, 8]]),
}


@pytest.mark.parametrize("name", VALUES)
def test_helper_is_tensorflow_s(name):
    function, want = VALUES[name]
    np.testing.assert_allclose(np.asarray(function()), want, rtol=1e-4)


def test_beams_are_found_without_repeats():
    likely = tf.nn.softmax(tf.constant(np.sin(np.arange(27.0) ** 2).reshape(1, 9, 3) * 2, tf.float32))
    decoded, scores = K.ctc_decode(likely, tf.constant([9]), greedy=False, beam_width=10, top_paths=2)
    assert [d.numpy()[0].tolist() for d in decoded] == [
        [1, 0, 1, 0, 1, -1, -1, -1, -1],
        [1, 0, 1, -1, -1, -1, -1, -1, -1],
    ]
    np.testing.assert_allclose(scores, [[-2.147434, -2.2320244]], rtol=1e-5)


def test_shapes_are_plain_tuples():
    assert type(K.int_shape(X)) is tuple and K.int_shape(IMAGE) == (1, 4, 4, 2)


def test_set_value():
    v = tf.Variable([1.0, 2.0])
    K.set_value(v, [3.0, 4.0])
    K.update_add(v, [1.0, 1.0])
    assert v.numpy().tolist() == [4.0, 5.0]


def test_gradients_want_a_graph():
    with pytest.raises(RuntimeError, match=r"tf\.gradients is not supported when eager execution is enabled"):
        K.gradients(X, [X])


def test_gradients_go_through():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = K.mean(K.square(X))
    np.testing.assert_allclose(tape.gradient(y, X), X.numpy() / 2)


def test_old_layers_run():
    np.testing.assert_allclose(tf.keras.layers.ThresholdedReLU(1.0)(X), [[0, 2], [3, 4]])
