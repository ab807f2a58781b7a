"""The errors of `tf.errors`: they travel between processes."""

import pickle

import pytest

import tapeflow as tf


@pytest.mark.parametrize("call", [lambda: tf.ones([2, 3]) @ tf.ones([2, 3]), lambda: tf.constant(1) + tf.constant(1.0)])
def test_errors_pickle(call):
    """A clash of dtypes used to fail to pickle, so that a worker process died of it instead of reporting it."""
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call()
    sent = pickle.loads(pickle.dumps(caught.value))
    assert type(sent) is type(caught.value) and str(sent) == str(caught.value)
    assert (sent.error_code, sent.message) == (tf.errors.INVALID_ARGUMENT, caught.value.message)
