"""Values that are computed alike from the same inputs are the same; those of which that is not known are not."""

import pytest

import tapeflow as tf
from tapeflow.function.tracing.sameness import the_same


def found(f, *args):
    """What `the_same` says of two symbols, at the end of a trace."""
    said = []
    tf.function(lambda *xs: [said.append(the_same(f(*xs))), xs[0]][1], autograph=False)(*args)
    return said[0]


X, Y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])


@pytest.mark.parametrize(
    "f,same",
    [
        (lambda x, y: [tf.sin(x) + y, tf.sin(x) + y], True),
        (lambda x, y: [tf.sin(x) + y, tf.sin(x) + x], False),
        (lambda x, y: [x + tf.constant(2.0), x + tf.constant(2.0)], True),
        (lambda x, y: [x + tf.constant(2.0), x + tf.constant(2.5)], False),
        (lambda x, y: [tf.reduce_sum(x, 0), tf.reduce_sum(x, 0)], True),
        (lambda x, y: [tf.reduce_sum(x[None], 0), tf.reduce_sum(x[:, None], 0)], False),
        (lambda x, y: [tf.unstack(x)[0], tf.unstack(x)[0]], True),
        (lambda x, y: [tf.unstack(x)[0], tf.unstack(x)[1]], False),
        (lambda x, y: [tf.random.normal([2]), tf.random.normal([2])], False),
        (lambda x, y: [tf.cond(x[0] > 0, lambda: x, lambda: y) for _ in range(2)], True),
        (lambda x, y: [tf.grad_pass_through(tf.floor)(x) for _ in range(2)], True),
        (lambda x, y: [x, tf.constant([1.0, 2.0])], False),
        (lambda x, y: [tf.constant(1.0), tf.constant(1.0)], True),
        (lambda x, y: [tf.constant(1.0), tf.constant(2.0)], False),
    ],
)
def test_of_symbols(f, same):
    assert found(f, X, Y) is same


def test_of_arrays():
    assert the_same([X, tf.constant([1.0, 2.0])]) and not the_same([X, Y])
    assert not the_same([tf.constant(1.0), tf.constant([1.0])]) and the_same([tf.constant(float("nan"))] * 2)
