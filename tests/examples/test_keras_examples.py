"""Every Keras example learns what it says it does, as a graph where it says so, and draws it."""

import logging

import numpy as np
import pytest

import tapeflow as tf
from tests.examples.test_examples import example


@pytest.fixture(autouse=True)
def _steps_are_graphs(caplog):
    caplog.set_level(logging.INFO, logger="tapeflow")
    yield
    assert "runs as plain Python" not in caplog.text


@pytest.fixture
def picture(tmp_path):
    """Where to draw; something must have been drawn there when the test ends."""
    path = tmp_path / "picture.png"
    yield path
    assert path.stat().st_size > 5000


def test_training_loop(picture):
    history = example("keras_training_loop").main(epochs=5, count=1024, picture=picture)
    assert history[-1]["loss"] < 0.5 * history[0]["loss"]
    assert history[-1]["accuracy"] > 0.8
    assert history[-1]["test accuracy"] > 0.75


def test_gan_draws_discs(picture):
    gan = example("keras_gan")
    history = gan.main(steps=240, picture=picture)
    assert min(h["error"] for h in history) < 0.6 * history[0]["error"]  # the two take turns at being ahead
    assert history[-1]["spread"] > 0.8  # not one disc for all
    assert gan.unlike_a_disc(gan.discs(np.random.default_rng(0), 100))[0] < 0.12


def test_actor_critic_balances_the_pole(picture):
    results = example("keras_actor_critic").main(updates=1200, picture=picture)
    assert results["first"] < 40
    assert results["balanced"] > 3 * results["first"]


def test_poles_fall_the_same_way_to_both_sides():
    poles = example("keras_actor_critic").Poles(np.random.default_rng(0), 4)
    start = poles.states = np.array([[0.1, -0.2, 0.05, 0.3]] * 2 + [[-0.1, 0.2, -0.05, -0.3]] * 2)
    poles.step(np.array([0, 1, 1, 0]))
    np.testing.assert_allclose(poles.states[:2], -poles.states[2:])
    np.testing.assert_allclose(poles.states[:, [0, 2]], start[:, [0, 2]] + 0.02 * start[:, [1, 3]])
    assert poles.states[0, 1] < start[0, 1] < poles.states[1, 1]  # the cart goes where it is pushed
    assert poles.states[0, 3] > start[0, 3] > poles.states[1, 3]  # and the pole leans the other way


def test_vae_finds_the_angle(picture):
    results = example("keras_vae").main(epochs=20, count=1024, picture=picture)
    assert results["loss"][-1] < 0.5 * results["loss"][0]
    assert results["explained"] > 0.8


def test_grad_cam_points_at_the_shape_that_was_asked_for(picture):
    results = example("keras_grad_cam").main(epochs=6, count=1000, picture=picture)
    assert results["right"] > 0.75
    assert results["on it"] > 0.7
    assert results["on the other"] < 0.15


def test_grad_cam_of_an_average_is_its_weights():
    """Where maps are averaged and then weighed, their gradients are the weights, divided by the number of places."""
    it = example("keras_grad_cam")
    model, images = it.build(), it.pictures(np.random.default_rng(0), 3)[0]
    asked = np.array([2, 0, 1])
    maps = tf.keras.Model(model.input, model.get_layer("maps_3").output)(images).numpy()
    weights = model.layers[-1].kernel.numpy()[:, asked].T / 64
    expected = np.maximum(np.einsum("nhwc,nc->nhw", maps, weights), 0)
    np.testing.assert_allclose(it.grad_cam(model, "maps_3", images, asked), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.long
def test_wgan_gp_makes_curves(picture):
    results = example("keras_wgan_gp").main(epochs=4, picture=picture)
    assert results["distances"][-1] < 0.3 * results["distances"][0]
    assert 0.7 < results["slopes"][-1] < 1.4


@pytest.mark.long
def test_wgan_without_the_penalty_has_a_critic_without_bounds():
    assert example("keras_wgan_gp").main(epochs=1, penalty=0.0)["slopes"][-1] > 2.0


def test_kernel_of_the_wide_network_moves_less(picture):
    runs = example("keras_jacobian").main(epochs=300, widths=(8, 128), picture=picture)
    for run in runs.values():
        assert run["losses"][-1] < 0.1 * run["losses"][0]
    moved = {width: run["moved"][299] for width, run in runs.items()}
    assert 0.0 < moved[128] < 0.4 * moved[8]
    wide = runs[128]
    assert wide["losses"][50] == pytest.approx(wide["foretold"][50], rel=0.15)  # as only the true Jacobian foretells


def test_jacobian_is_that_of_the_outputs():
    it = example("keras_jacobian")
    tf.keras.utils.set_random_seed(0)
    model, x = it.build(8), it.points(5)[0]
    jacobians = it.Jacobians(x, [0])
    jacobians.set_model(model)
    found, before = jacobians.matrix(), model(x).numpy()[:, 0]
    direction = np.random.default_rng(0).normal(size=found.shape[1]).astype("float32")
    start = 0
    for v in model.trainable_variables:
        size = int(np.prod(v.shape))
        v.assign_add(1e-3 * direction[start : start + size].reshape(v.shape))
        start += size
    np.testing.assert_allclose((model(x).numpy()[:, 0] - before) / 1e-3, found @ direction, atol=0.05)


def test_clipped_and_scaled_gradients_learn_the_curve(picture):
    errors = example("keras_clipping").main(steps=600, picture=picture)
    bare = errors.pop("as they are")[-1]
    assert len(errors) == 4
    for name, error in errors.items():
        assert error[-1] < 0.4 * bare or not np.isfinite(bare), name


def test_clipping_by_hand_is_what_the_optimizer_does():
    it = example("keras_clipping")
    keras, rng, weights = tf.keras, np.random.default_rng(0), []
    batches = [list(map(tf.constant, it.measurements(rng))) for _ in range(5)]
    for bound, options in ((it.WAYS["global norm clipped"], {}), (it.WAYS["as they are"], {"global_clipnorm": 0.3})):
        keras.utils.set_random_seed(0)
        model = it.build()
        step = it.make_step(model, keras.optimizers.SGD(0.1, **options), bound)
        assert max(float(step(*batch)[1]) for batch in batches) > 0.3
        weights.append([w.numpy() for w in model.trainable_variables])
    for by_hand, by_optimizer in zip(*weights):
        np.testing.assert_allclose(by_hand, by_optimizer, rtol=1e-4, atol=1e-6)


def test_two_models_agree(picture):
    results = example("keras_two_models").main(steps=150, picture=picture)
    assert results["before"] < 0.1
    assert results["after"] > 0.4
    assert np.mean(results["loss"][-20:]) < 0.4 * results["loss"][0]
