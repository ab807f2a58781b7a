"""For every Keras layer with weights, and every loss: the tape's gradient is the derivative, in float64, by finite
differences."""

import keras
import numpy as np
import pytest

import tapeflow as tf

from .layer_cases import LAYERS, LOSSES, OTHER_LAYERS, a_loss, built


def missing(module, kind, names):
    """The classes of a kind which a module has under none of these names."""
    here = {getattr(module, name.split()[0]) for name in names}
    return {value for value in vars(module).values() if isinstance(value, type) and issubclass(value, kind)} - here


def test_every_layer_is_here():
    assert missing(keras.layers, keras.Layer, {*LAYERS, *OTHER_LAYERS}) == set()


def test_every_loss_is_here():
    assert missing(keras.losses, keras.losses.Loss, LOSSES) == {keras.losses.Loss}


def slope(f, values, direction, step=1e-5):
    """The derivative of `f`, a function of arrays, in a direction."""
    move = lambda sign: [v + sign * step * d for v, d in zip(values, direction)]
    return (f(move(1)) - f(move(-1))) / (2 * step)


# While it trains it holds two vectors for constant that are not: its gradient is no derivative.
@pytest.mark.parametrize("name", [name for name in LAYERS if name != "SpectralNormalization training"])
def test_layer(name):
    layer, inputs, call = built(name)
    rng = np.random.default_rng(1)
    assert layer.variables
    xs, variables = [tf.constant(x) for x in inputs], layer.trainable_variables
    state = [v.numpy() for v in layer.non_trainable_variables]
    weights = [rng.normal(size=y.shape) for y in tf.nest.flatten(call(xs))]
    loss = lambda xs: sum(tf.reduce_sum(y * w) for y, w in zip(tf.nest.flatten(call(xs)), weights))

    def moved(values):
        for variable, new in zip([*variables, *layer.non_trainable_variables], [*values[len(xs) :], *state]):
            variable.assign(new)
        return float(loss([tf.constant(v) for v in values[: len(xs)]]))

    start = [*inputs, *(v.numpy() for v in variables)]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        value = loss(xs)
    gradients = tape.gradient(value, [*xs, *variables])
    assert all(g is not None for g in gradients)
    direction = [rng.normal(size=v.shape) for v in start]
    want = slope(moved, start, direction)
    got = sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(gradients, direction))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", LOSSES)
def test_loss(name):
    loss, target, guess = a_loss(name)
    x = tf.constant(guess)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(target, x)
    gradient = tape.gradient(value, x).numpy()
    direction = np.random.default_rng(3).normal(size=guess.shape)
    want = slope(lambda v: float(loss(target, tf.constant(v[0]))), [guess], [direction])
    np.testing.assert_allclose(np.sum(gradient * direction), want, rtol=1e-4, atol=1e-6)


def test_a_row_used_twice_is_one_row_for_the_optimizer():
    """(Keras on TensorFlow squares the two gradients one by one, and goes further than it should.)"""
    layer = keras.layers.Embedding(4, 2)
    layer.build()
    layer.set_weights([np.full((4, 2), 0.5)])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(np.array([1, 1, 1])) ** 2)
    keras.optimizers.Adam(0.1).apply_gradients(
        zip(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables)
    )
    np.testing.assert_allclose(
        layer.get_weights()[0], [[0.5, 0.5], [0.4, 0.4], [0.5, 0.5], [0.5, 0.5]], rtol=1e-4
    )  # a step of 0.1, by a root


def test_shapes_of_variables_are_tensorflow_s():
    layer = keras.layers.Dense(3)
    layer.build((None, 2))
    assert (
        layer.kernel.shape == (2, 3)
        and layer.kernel.shape.as_list() == [2, 3]
        and layer.kernel.shape.num_elements() == 6
    )
