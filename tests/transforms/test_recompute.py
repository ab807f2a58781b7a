import weakref

import numpy as np

import tapeflow as tf


def test_only_the_arguments_are_kept():
    x = tf.constant(np.ones(1000))
    refs = []

    def f(x):
        middle = tf.exp(x)
        refs.append(weakref.ref(middle.array))
        return tf.reduce_sum(middle * middle)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(f)(x)
    assert refs[0]() is None
    np.testing.assert_allclose(tape.gradient(y, x), 2 * np.exp(2.0) * np.ones(1000))


def test_random_numbers_are_drawn_again_the_same():
    x = tf.constant(np.linspace(1.0, 2.0, 50, dtype=np.float32))
    f = tf.recompute_grad(lambda x: x * tf.random.normal([50]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), y / x, rtol=1e-5)
    after = tf.random.normal([50])
    assert not np.allclose(after, y / x)


def test_variables_and_second_order():
    v = tf.Variable(3.0)
    f = tf.recompute_grad(lambda x: x * x * x * v)
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        dx, dv = inner.gradient(y, [x, v])
    assert (float(dx), float(dv)) == (36.0, 8.0)
    assert float(outer.gradient(dx, x)) == 36.0


def test_one_tensor_as_two_arguments():
    """Each of the two used to get the gradient of both."""
    product = tf.recompute_grad(lambda a, b: a * b)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = product(x, x)
    assert float(tape.gradient(y, x)) == 6.0


def test_variables_that_are_not_trained_have_no_gradient_inside():
    """Not even where they are watched: as in TensorFlow, its variables are those that are trained."""
    w, frozen = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    f = tf.recompute_grad(lambda x: x * w * frozen)
    with tf.GradientTape() as tape:
        tape.watch(frozen)
        y = f(tf.constant(1.0))
    of_w, of_frozen = tape.gradient(y, [w, frozen])
    assert float(of_w) == 3.0 and of_frozen is None
