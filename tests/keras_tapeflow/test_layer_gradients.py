"""For every Keras layer with weights, and every loss: the tape's gradient is the derivative, in float64, by finite differences."""

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
layers = keras.layers
RNG = np.random.default_rng(0)
SEQUENCE, IMAGE, VOLUME = (2, 5, 4), (2, 6, 6, 3), (2, 4, 4, 4, 2)

LAYERS = {
    "Dense": (layers.Dense, dict(units=3, activation="tanh"), (2, 4)),
    "EinsumDense": (layers.EinsumDense, dict(equation="abc,cd->abd", output_shape=(5, 3), bias_axes="d"), SEQUENCE),
    "Conv1D": (layers.Conv1D, dict(filters=3, kernel_size=2), SEQUENCE),
    "Conv2D": (layers.Conv2D, dict(filters=3, kernel_size=3, strides=2, padding="same"), IMAGE),
    "Conv3D": (layers.Conv3D, dict(filters=2, kernel_size=2), VOLUME),
    "Conv1DTranspose": (layers.Conv1DTranspose, dict(filters=3, kernel_size=3, strides=2), SEQUENCE),
    "Conv2DTranspose": (layers.Conv2DTranspose, dict(filters=2, kernel_size=3, strides=2, padding="same"), IMAGE),
    "DepthwiseConv2D": (layers.DepthwiseConv2D, dict(kernel_size=3), IMAGE),
    "SeparableConv2D": (layers.SeparableConv2D, dict(filters=2, kernel_size=3), IMAGE),
    "LayerNormalization": (layers.LayerNormalization, {}, SEQUENCE),
    "RMSNormalization": (layers.RMSNormalization, {}, SEQUENCE),
    "BatchNormalization": (layers.BatchNormalization, {}, IMAGE),
    "GroupNormalization": (layers.GroupNormalization, dict(groups=2), SEQUENCE),
    "UnitNormalization": (layers.UnitNormalization, {}, SEQUENCE),
    "PReLU": (layers.PReLU, dict(alpha_initializer="ones"), (2, 4)),
    "SimpleRNN": (layers.SimpleRNN, dict(units=3, return_sequences=True), SEQUENCE),
    "LSTM": (layers.LSTM, dict(units=3, return_sequences=True), SEQUENCE),
    "GRU": (layers.GRU, dict(units=3), SEQUENCE),
    "Bidirectional": (lambda **how: layers.Bidirectional(layers.LSTM(2, **how), **how), {}, SEQUENCE),
    "ConvLSTM1D": (layers.ConvLSTM1D, dict(filters=2, kernel_size=2), (2, 3, 5, 2)),
    "TimeDistributed": (lambda **how: layers.TimeDistributed(layers.Dense(2, **how), **how), {}, SEQUENCE),
    "MultiHeadAttention": (layers.MultiHeadAttention, dict(num_heads=2, key_dim=3), SEQUENCE),
    "GroupQueryAttention": (layers.GroupQueryAttention, dict(head_dim=3, num_query_heads=4, num_key_value_heads=2), SEQUENCE),
    "Attention": (layers.Attention, dict(use_scale=True), SEQUENCE),
    "AdditiveAttention": (layers.AdditiveAttention, {}, SEQUENCE),
    "SpectralNormalization": (lambda **how: layers.SpectralNormalization(layers.Dense(3, **how), **how), {}, (2, 4)),
}  # fmt: skip


def slope(f, values, direction, step=1e-5):
    """The derivative of `f`, a function of arrays, in a direction."""
    move = lambda sign: [v + sign * step * d for v, d in zip(values, direction)]
    return (f(move(1)) - f(move(-1))) / (2 * step)


@pytest.mark.parametrize("name", LAYERS)
def test_layer(name):
    keras.utils.set_random_seed(1)
    make, options, shape = LAYERS[name]
    layer = make(**options, dtype="float64")
    x = tf.constant(RNG.normal(size=shape))
    queries = "Attention" in name
    call = lambda x: layer(x, x) if name in ("MultiHeadAttention", "GroupQueryAttention") else layer([x, x] if queries else x)
    weights_of_result = tf.constant(RNG.normal(size=call(x).shape))
    loss = lambda x: tf.reduce_sum(call(x) * weights_of_result)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(x)
    variables = layer.trainable_variables
    gradients = tape.gradient(value, [x, *variables])
    assert all(g is not None for g in gradients)
    start = [v.numpy() for v in variables]
    direction = [RNG.normal(size=np.shape(g)) for g in gradients]

    def moved(values):
        for variable, new in zip(variables, values[1:]):
            variable.assign(new)
        return float(loss(tf.constant(values[0])))

    want = slope(moved, [x.numpy(), *start], direction)
    got = sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(gradients, direction))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)


PROBABLE = {
    "BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy", "CategoricalFocalCrossentropy", "CategoricalGeneralizedCrossEntropy",
    "Dice", "KLDivergence", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError", "Poisson", "Tversky",
}  # fmt: skip
LOSSES = sorted(
    name
    for name in dir(keras.losses)
    if isinstance(getattr(keras.losses, name), type)
    and issubclass(getattr(keras.losses, name), keras.losses.Loss)
    and name != "Loss"
)


@pytest.mark.parametrize("name", LOSSES)
def test_loss(name):
    kind = getattr(keras.losses, name)
    rng = np.random.default_rng(3)
    target, guess = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    if name in PROBABLE:
        target, guess = (np.exp(v) / np.exp(v).sum(1, keepdims=True) for v in (target, guess))
    if name in ("SparseCategoricalCrossentropy", "CategoricalGeneralizedCrossEntropy"):
        target, guess = np.array([0, 2, 1, 1]), np.exp(guess) / np.exp(guess).sum(1, keepdims=True)
    if name == "Circle":
        target, guess = np.array([0, 1, 0, 1]), guess / np.linalg.norm(guess, axis=1, keepdims=True)
    if name == "CTC":
        target, guess = np.array([[1, 2], [2, 1]]), rng.normal(size=(2, 6, 4))
    loss = kind(dtype="float64")
    x = tf.constant(guess)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(target, x)
    gradient = tape.gradient(value, x).numpy()
    direction = rng.normal(size=guess.shape)
    want = slope(lambda v: float(loss(target, tf.constant(v[0]))), [guess], [direction])
    np.testing.assert_allclose(np.sum(gradient * direction), want, rtol=1e-4, atol=1e-6)
