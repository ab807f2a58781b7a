"""Layers that compute in 16 bits, and the scaling of losses. The numbers are TensorFlow's, from the same weights."""

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
RNG = np.random.default_rng(0)
X = RNG.normal(size=(32, 4)).astype("float32")
Y = X[:, :1] * 2 - 1
WEIGHTS = [RNG.normal(size=(4, 8)) * 0.5, np.zeros(8), RNG.normal(size=(8, 1)) * 0.5, np.zeros(1)]


@pytest.fixture
def policy():
    yield keras.mixed_precision.set_global_policy
    keras.mixed_precision.set_global_policy("float32")


def a_model():
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(8, activation="relu"),
            layers.Dense(1),
            layers.Activation("linear", dtype="float32"),
        ]
    )
    model.set_weights(WEIGHTS)
    return model


@pytest.mark.parametrize(
    "name, optimizer, losses",
    [
        (
            "mixed_float16",
            "LossScaleOptimizer",
            [4.7634, 3.0128, 1.6062],
        ),  # the first two steps overflow, and are skipped
        ("mixed_bfloat16", "SGD", [4.348, 2.098, 0.8945]),
        ("float32", "SGD", [4.3447, 2.1006, 0.8955]),
    ],
)
def test_fit(policy, name, optimizer, losses):
    policy(name)
    model = a_model()
    model.compile(keras.optimizers.SGD(0.05), "mse")
    history = model.fit(X, Y, epochs=3, batch_size=8, shuffle=False, verbose=0).history["loss"]
    np.testing.assert_allclose(history, losses, rtol=5e-3)
    assert type(model.optimizer).__name__ == optimizer
    assert model.layers[0].compute_dtype == name.removeprefix("mixed_") and model.weights[0].dtype == "float32"
    assert model(X).dtype == tf.float32
    if name == "mixed_float16":
        assert float(model.optimizer.dynamic_scale) == 8192


@pytest.mark.parametrize("name", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_a_loop_with_a_scaled_loss(policy, name, wrap):
    policy(name)
    model = a_model()
    optimizer = keras.mixed_precision.LossScaleOptimizer(
        keras.optimizers.SGD(0.05), initial_scale=2.0**10, dynamic_growth_steps=4
    )

    @wrap
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
            scaled = optimizer.scale_loss(loss)
        gradients = tape.gradient(scaled, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss, scaled

    found = [
        (float(loss), float(scaled / loss), float(optimizer.dynamic_scale))
        for loss, scaled in (step(X, Y) for _ in range(6))
    ]
    losses, factors, scales = zip(*found)
    np.testing.assert_allclose(losses, [5.2591, 4.3502, 3.6436, 3.0709, 2.5904, 2.168], rtol=3e-3)
    np.testing.assert_allclose(factors, [1024, 1024, 1024, 1024, 2048, 2048])
    assert scales == (1024, 1024, 1024, 2048, 2048, 2048)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "graph"])
def test_a_step_that_overflows_is_skipped(policy, wrap):
    policy("mixed_float16")
    model = a_model()
    optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.05))

    @wrap
    def step(x, y):
        with tf.GradientTape() as tape:
            scaled = optimizer.scale_loss(tf.reduce_mean((model(x) - y) ** 2))
        optimizer.apply(tape.gradient(scaled, model.trainable_variables), model.trainable_variables)

    scales = []
    for _ in range(3):
        step(X * 1000, Y)
        scales.append(float(optimizer.dynamic_scale))
    assert scales == [16384, 8192, 4096]
    assert int(optimizer.inner_optimizer.iterations) == 0
    np.testing.assert_allclose(model.get_weights()[0], WEIGHTS[0], rtol=1e-6)


def test_saving_keeps_policy_and_scale(policy, tmp_path):
    policy("mixed_float16")
    model = a_model()
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.fit(X, Y, batch_size=8, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert loaded.layers[0].dtype_policy.name == "mixed_float16"
    assert float(loaded.optimizer.dynamic_scale) == float(model.optimizer.dynamic_scale)
    np.testing.assert_array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
