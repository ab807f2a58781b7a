"""What the tests of functions share."""

import tapeflow as tf

X = tf.constant([1.0, 2.0, 3.0])


def grad_of(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def wave(x):
    return tf.reduce_sum(tf.sin(x) * x**2 / (1.0 + tf.exp(-x)))
