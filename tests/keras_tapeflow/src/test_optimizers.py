"""SGD and Adam in one operation for each variable: by Keras' formula, however they run."""

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
SIZES = [(3, 4), (100, 90)]  # the second one is large enough for native code


def descent(w, gradients, rate=0.1, momentum=0.0, nesterov=False):
    velocity = np.zeros_like(w)
    for g in gradients:
        velocity = momentum * velocity - rate * g
        w = w + momentum * velocity - rate * g if nesterov else w + velocity
    return w


def adam(w, gradients, rate=0.1, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    mean = square = np.zeros_like(w)
    for step, g in enumerate(gradients, 1):
        mean, square = beta_1 * mean + (1 - beta_1) * g, beta_2 * square + (1 - beta_2) * g * g
        w = w - rate * np.sqrt(1 - beta_2**step) / (1 - beta_1**step) * mean / (np.sqrt(square) + epsilon)
    return w


CASES = {
    "plain": (lambda: keras.optimizers.SGD(0.1), descent),
    "momentum": (lambda: keras.optimizers.SGD(0.1, 0.9), lambda w, gs: descent(w, gs, momentum=0.9)),
    "nesterov": (
        lambda: keras.optimizers.SGD(0.1, 0.9, nesterov=True),
        lambda w, gs: descent(w, gs, momentum=0.9, nesterov=True),
    ),
    "adam": (lambda: keras.optimizers.Adam(0.1), adam),
    "epsilon": (lambda: keras.optimizers.Adam(0.1, 0.5, 0.9, 0.1), lambda w, gs: adam(w, gs, 0.1, 0.5, 0.9, 0.1)),
}
WAYS = {
    "eager": lambda f: f,
    "function": tf.function,
    "xla": lambda f: tf.function(f, jit_compile=True),
}


def drawn(shape, count=4):
    rng = np.random.default_rng(1)
    return [rng.normal(size=shape) for _ in range(count)]


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_keras_formula(case, way, shape):
    make, formula = CASES[case]
    w, *gradients = drawn(shape)
    optimizer, variable = make(), keras.Variable(w, dtype="float32")
    optimizer.build([variable])
    step = WAYS[way](lambda g: optimizer.apply([g], [variable]))
    for g in gradients:
        step(tf.constant(g, tf.float32))
    # The power of a float near 1 is taken from 1: Adam's first rates are known to a few thousandths of a percent.
    np.testing.assert_allclose(variable.numpy(), formula(w, gradients), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("case", CASES)
def test_a_tensor_read_before_keeps_its_value(case):
    make, _ = CASES[case]
    w, g = drawn((100, 90), 2)
    optimizer, variable = make(), tf.Variable(w, dtype=tf.float32)
    optimizer.build([variable])
    held = []
    for _ in range(3):
        tensors = [variable.value(), *[v.value.value() for v in optimizer.variables if v.shape == variable.shape]]
        held += [(t, t.numpy().copy()) for t in tensors]
        optimizer.apply([tf.constant(g, tf.float32)], [variable])
    for tensor, before in held:
        np.testing.assert_array_equal(tensor.numpy(), before)


def test_what_is_not_single_or_dense_is_left_to_keras():
    """Rows of an embedding, halves, and Adam with the largest of all squares."""
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
    for optimizer in (keras.optimizers.SGD(0.5), keras.optimizers.Adam(0.5)):
        table = keras.Variable(np.zeros((3, 2)), dtype="float32")
        optimizer.build([table])
        optimizer.apply([rows], [table])
        np.testing.assert_allclose(table.numpy(), [[0, 0], [-0.5, -0.5], [0, 0]], 1e-4)
    half = keras.Variable(np.ones(3), dtype="float16")
    optimizer = keras.optimizers.SGD(0.5)
    optimizer.build([half])
    optimizer.apply([tf.ones([3], tf.float16)], [half])
    assert half.numpy().dtype == np.float16 and (half.numpy() == 0.5).all()
    optimizer, variable = keras.optimizers.Adam(0.1, amsgrad=True), keras.Variable(np.ones(3), dtype="float32")
    optimizer.build([variable])
    for g in (1.0, 0.0):
        optimizer.apply([tf.fill([3], g)], [variable])
    assert len(optimizer._velocity_hats) == 1 and (variable.numpy() < 0.9).all()


def test_stateless_and_differentiable():
    """A step of training as a function of the weights, through which a gradient flows."""
    w = tf.Variable(np.full((2,), 0.5), dtype=tf.float32)
    variable = keras.Variable(np.zeros(2), dtype="float32")
    for optimizer in (keras.optimizers.SGD(0.25), keras.optimizers.SGD(0.25, 0.5), keras.optimizers.Adam(0.25)):
        optimizer.build([variable])
        with tf.GradientTape() as tape:
            [new], _ = optimizer.stateless_apply([v.value for v in optimizer.variables], [w * w], [w])
        gradient = tape.gradient(new, w)
        slope = 1 - 0.25 * 2 * 0.5 if type(optimizer).__name__ == "SGD" else 1.0  # Adam's first step is a sign
        np.testing.assert_allclose(gradient.numpy(), slope, atol=1e-4)
    np.testing.assert_array_equal(variable.numpy(), 0)
