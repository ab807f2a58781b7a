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


def test_errors_can_be_made_of_a_text():
    """Keras does so, to say in which layer it happened: it would make a RuntimeError of an error that cannot be made so."""
    error = tf.errors.InvalidArgumentError("too bad")
    assert (str(error), error.message, error.node_def, error.op) == ("too bad", "too bad", None, None)
