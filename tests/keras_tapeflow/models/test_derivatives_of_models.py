"""Keras' variables stand wherever `tf.Variable`s do: in derivatives of functions, in forward mode, on a tape, in its
messages."""

import numpy as np
import pytest

import tapeflow as tf

keras, d = tf.keras, tf.derivatives


@pytest.fixture
def model():
    keras.utils.set_random_seed(3)
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((3,)), layers.Dense(2, activation="tanh", name="hidden"), layers.Dense(1, name="out")]
    )


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return tf.constant(rng.normal(size=(5, 3)).astype("float32")), tf.constant(
        rng.normal(size=(5, 1)).astype("float32")
    )


def mean_square(model, x, y):
    return tf.reduce_mean((model(x) - y) ** 2)


def transforms(model, x, y):
    loss, outputs = (lambda: mean_square(model, x, y)), lambda: model(x)
    ones = lambda structure: tf.nest.map_structure(tf.ones_like, structure)
    yield "grad", lambda w: d.grad(loss, wrt=w)()
    yield "value_and_grad", lambda w: d.value_and_grad(loss, wrt=w)()
    yield "jacobian", lambda w: d.jacobian(outputs, wrt=w)()
    yield "jacobian forward", lambda w: d.jacobian(outputs, wrt=w, mode="forward")()
    yield "hessian", lambda w: d.hessian(loss, wrt=w)()
    yield "hvp", lambda w: d.hvp(loss, w, ones(w))
    yield "jvp", lambda w: d.jvp(loss, w, ones(w))
    yield "vjp", lambda w: d.vjp(outputs, wrt=w)[1](tf.ones([5, 1]))
    yield "per example", lambda w: d.per_example_gradients(lambda x, y: mean_square(model, x[None], y), wrt=w)(x, y)


@pytest.mark.parametrize("nest", [lambda v: v, lambda v: v[0], lambda v: {"first": v[0], "others": tuple(v[1:])}])
def test_a_transform_by_keras_variables_is_that_by_the_variables_in_them(model, data, nest):
    variables = model.trainable_variables
    reference = [v.__tf_variable__() for v in variables]
    for name, transform in transforms(model, *data):
        found, expected = transform(nest(variables)), transform(nest(reference))
        tf.nest.assert_same_structure(found, expected)
        for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected)):
            assert a is not None, name
            np.testing.assert_array_equal(a.numpy(), b.numpy(), err_msg=name)


def test_a_keras_variable_as_an_argument(model):
    kernel = model.layers[0].kernel
    square = lambda w: tf.reduce_sum(w * w)
    np.testing.assert_array_equal(d.grad(square)(kernel).numpy(), 2 * kernel.numpy())
    assert d.hessian(square)(kernel).shape == (3, 2, 3, 2)
    assert float(d.laplacian(square)(kernel)) == 12
    assert float(d.jvp(square, kernel, kernel)[1]) == pytest.approx(2 * (kernel.numpy() ** 2).sum(), rel=1e-6)


def test_forward_mode_at_keras_variables(model, data):
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = mean_square(model, *data)
    slope = sum(float(tf.reduce_sum(g)) for g in tape.gradient(loss, variables))
    with tf.autodiff.ForwardAccumulator(variables, [tf.ones_like(v) for v in variables]) as accumulator:
        loss = mean_square(model, *data)
    assert float(accumulator.jvp(loss)) == pytest.approx(slope, rel=1e-4)
    assert accumulator.jvp(variables[0]).shape == variables[0].shape


def test_messages_name_variables_by_their_path(model, data):
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.stop_gradient(mean_square(model, *data))
    assert [r.name.rpartition("/")[0].rpartition("/")[2] for r in tape.explain(loss, model.trainable_variables)] == [
        "hidden", "hidden", "out", "out",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="hidden/kernel: the path is cut by stop_gradient"):
        tape.gradient(loss, model.trainable_variables, unconnected_gradients="error")


def test_moving_averages_are_no_alarm():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.BatchNormalization()])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model(tf.ones([4, 3]), training=True))
    assert "moving_mean" not in tape.report().html
    assert tape.explain(y, model.trainable_variables).connected


def test_a_model_as_a_function_of_its_weights(model, data):
    """`stateless_call` in transforms: the model itself does not change."""
    weights = [v.value for v in model.trainable_variables]
    before = [w.numpy() for w in weights]

    def loss(weights, x, y):
        outputs, _ = model.stateless_call(weights, [], x)
        return tf.reduce_mean((outputs - y) ** 2)

    found = d.grad(loss)(weights, *data)
    expected = d.grad(lambda: mean_square(model, *data), wrt=model.trainable_variables)()
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    ensemble = [tf.stack([w, 2 * w]) for w in weights]
    losses = tf.vmap(loss, in_axes=(0, None, None))(ensemble, *data)
    np.testing.assert_allclose(losses[1], loss([2 * w for w in weights], *data), rtol=1e-5)
    assert all(np.array_equal(v.numpy(), old) for v, old in zip(model.trainable_variables, before))
