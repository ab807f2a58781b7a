"""Attributes of tensors that are operations."""

import numpy as np
import pytest

import tapeflow as tf

X = tf.reshape(tf.range(6), [1, 2, 3])


def test_transposed():
    assert X.T.shape == (3, 2, 1) and X.mT.shape == (1, 3, 2)
    np.testing.assert_array_equal(X.T, X.numpy().T)
    np.testing.assert_array_equal(X.mT, np.swapaxes(X.numpy(), -1, -2))
    with pytest.raises(ValueError, match=r"mT needs a tensor of rank 2 or more; this one has shape \(3,\)"):
        tf.range(3).mT  # noqa: B018


def test_the_namespace_of_the_array_api():
    namespace = X.__array_namespace__()
    assert namespace is tf.Variable(1.0).__array_namespace__(api_version="2022.12") and callable(namespace.matmul)
    with pytest.raises(ValueError, match=r"'1066.10' of the array API is not one of"):
        X.__array_namespace__(api_version="1066.10")


def test_numpys_methods_are_there_on_request_only():
    """In `tests/experimental/numpy/test_numpy.py`, in a process of its own, they are switched on."""
    for name in ("reshape", "transpose", "astype", "clip", "max"):
        with pytest.raises(AttributeError, match=name):
            getattr(X, name)
