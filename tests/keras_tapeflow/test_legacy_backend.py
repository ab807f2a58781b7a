"""`tf.keras.backend`: the old helpers that programs still call."""

import numpy as np
import pytest

import tapeflow as tf

K = tf.keras.backend
X = tf.constant([[1.0, 2.0], [3.0, 4.0]])
CALLS = {
    "abs": [X], "argmax": [X],
    "batch_dot": [X, X], "cast": [X, "float64"], "clip": [X, 0.0, 2.0], "concatenate": [[X, X]], "dot": [X, X], "equal": [X, X],
    "exp": [X], "expand_dims": [X], "eye": [2], "flatten": [X], "gather": [X, tf.constant([0])], "l2_normalize": [X], "log": [X], "max": [X],
    "maximum": [X, X], "mean": [X], "ndim": [X], "one_hot": [tf.constant([0, 1]), 2], "ones": [(2,)], "pow": [X, 2], "random_normal": [(2,)],
    "relu": [X], "repeat": [X, 2], "reshape": [X, [4]], "shape": [X], "sigmoid": [X], "softmax": [X], "sqrt": [X], "square": [X],
    "squeeze": [X[None], 0], "stack": [[X, X]], "std": [X], "stop_gradient": [X], "sum": [X], "tile": [X, [1, 2]], "var": [X], "zeros": [(2,)],
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_helper_runs(name):
    assert getattr(K, name)(*CALLS[name]) is not None


def test_gradients_go_through():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = K.mean(K.square(X))
    np.testing.assert_allclose(tape.gradient(y, X), X.numpy() / 2)
