"""Every example learns what it says it does, and would not with a wrong derivative."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

FOLDER = Path(__file__).resolve().parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def total(values):
    return float(tf.add_n([tf.reduce_sum(v) for v in values]))


# ---- maml


def test_maml_adapts_better_than_training_on_all_tasks(capsys):
    results = example("maml").main(steps=250)
    assert results["MAML"][1] < 0.8 * results["MAML"][0]
    assert results["MAML"][1] < 0.75 * results["trained on all tasks together"][1]
    assert results["MAML"][2] < 0.75 * results["trained on all tasks together"][2]
    assert "MAML" in capsys.readouterr().out


def test_maml_differentiates_through_the_inner_loop():
    maml = example("maml")
    rng = np.random.default_rng(0)
    weights = [tf.Variable(tf.cast(w, tf.float64)) for w in maml.weights_at_start(rng)]
    seen, unseen = [[tf.cast(a, tf.float64) for a in half] for half in maml.sine_waves(rng, 5, 10)]
    after = lambda first_order: tf.reduce_mean(
        maml.errors(unseen, maml.adapted(weights, seen, 2, first_order=first_order))
    )

    def gradient(first_order):
        with tf.GradientTape() as tape:
            loss = after(first_order)
        return tape.gradient(loss, weights)

    second, first = gradient(False), gradient(True)
    direction, losses = [tf.constant(rng.normal(size=w.shape)) for w in weights], []
    for sign in (1, -2):
        for w, d in zip(weights, direction):
            w.assign_add(sign * 1e-5 * d)
        losses.append(float(after(False)))
    measured = (losses[0] - losses[1]) / 2e-5
    along = lambda gradients: total(g * d for g, d in zip(gradients, direction))
    assert along(second) == pytest.approx(measured, rel=1e-4)
    assert along(first) != pytest.approx(measured, rel=1e-2)


# ---- wgan_gp


def test_wgan_gp_comes_closer_to_the_bumps(capsys):
    history = example("wgan_gp").main(steps=300)
    assert history[-1]["distance"] < 0.25 * history[0]["distance"]
    assert 0.8 < history[-1]["slope"] < 1.5
    assert "8 bumps" in capsys.readouterr().out.splitlines()[-2]


def test_wgan_without_the_penalty_has_a_critic_without_bounds():
    assert example("wgan_gp").main(steps=20, penalty=0.0)[-1]["slope"] > 5.0


# ---- pinn


def test_pinn_finds_the_wave():
    results = example("pinn").main(steps=500, points=150)
    assert results["error"] < 0.25 * results["error of standing still"]
    assert results["forward against tapes"] < 1e-11


@pytest.mark.parametrize("way", ["residual", "residual_forward"])
def test_pinn_third_derivatives_are_exact(way):
    """A network of zeros is the wave standing still. For a soliton u_t = -c u_x, so what is left of the equation is c
    u_x."""
    pinn = example("pinn")
    variables = [tf.zeros_like(v) for v in pinn.network(np.random.default_rng(0))]
    x = np.linspace(-3, 3, 25).reshape(-1, 1)
    found = getattr(pinn, way)(tf.constant(x), tf.constant(0.3 * np.ones_like(x)), variables)
    k = pinn.SPEED**0.5 / 2
    slope = -pinn.SPEED * k * np.tanh(k * (x + 1)) / np.cosh(k * (x + 1)) ** 2
    np.testing.assert_allclose(found.numpy(), pinn.SPEED * slope, atol=1e-11)


# ---- natural_gradient


def test_natural_gradient_needs_few_steps():
    it = example("natural_gradient")
    x, y = it.curve()
    start = lambda: it.network(np.random.default_rng(1), 1, 20, 20, 1)
    natural = it.natural_gradient(start(), x, y, steps=120)
    assert natural[-1] < it.ENOUGH
    assert it.gradient_descent(start(), x, y, steps=600, rate=0.3, adam=False)[-1] > 1000 * natural[-1]
    assert it.gradient_descent(start(), x, y, steps=600, rate=0.003, adam=True)[-1] > 100 * natural[-1]


def test_gauss_newton_products_are_those_of_the_matrix():
    it = example("natural_gradient")
    x, _ = it.curve(17)
    weights = it.network(np.random.default_rng(1), 1, 5, 4, 1)
    with tf.GradientTape() as tape:
        out = it.outputs(weights, x)
    jacobian = np.concatenate([j.numpy().reshape(17, -1) for j in tape.jacobian(out, weights)], axis=1)
    v = [tf.constant(np.random.default_rng(2).normal(size=w.shape)) for w in weights]
    flat = lambda parts: np.concatenate([p.numpy().ravel() for p in parts])
    product = it.gauss_newton_product(weights, x)
    np.testing.assert_allclose(flat(product(v)), jacobian.T @ (jacobian @ flat(v)) / 17, rtol=1e-9)
    solved = it.solve(product, v, damping=0.1, steps=60)
    np.testing.assert_allclose(flat(product(solved)) + 0.1 * flat(solved), flat(v), atol=1e-2)


# ---- implicit_layer


def test_implicit_layer_agrees_with_unrolling_and_learns():
    results = example("implicit_layer").main(steps=60)
    assert results["first order"] < 1e-9
    assert results["second order"] < 1e-9
    assert results["memory"][0] < 0.2 * results["memory"][1]
    assert results["right"] > 0.95


def test_implicit_layer_has_third_derivatives():
    it = example("implicit_layer")
    w = tf.Variable(np.full((1, 1), 0.6))
    x, u, b = tf.constant([[0.4]], tf.float64), tf.constant([[0.7]], tf.float64), tf.constant([0.1], tf.float64)
    cell = lambda z, x, w, u, b: tf.tanh(z @ w + x @ u + b)

    def third(layer):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as middle:
                with tf.GradientTape() as inner:
                    z = layer(cell, tf.zeros([1, 1], tf.float64), x, tf.convert_to_tensor(w), u, b)
                first = inner.gradient(z, w)
            second = middle.gradient(first, w)
        return outer.gradient(second, w).numpy()

    expected = third(lambda *args: it.unrolled(*args, steps=60))
    assert abs(expected) > 1.0
    np.testing.assert_allclose(third(it.fixed_point), expected, rtol=1e-8)


# ---- per_example


def test_per_example_gradients_train_privately():
    results = example("per_example").main(steps=60, count=600, noise=4.0)
    assert results["difference"] < 1e-5
    assert results["right"] > 0.9
    loop, together = results["seconds"]
    assert together < loop


def test_one_picture_changes_the_clipped_sum_by_no_more_than_the_bound():
    it = example("per_example")
    rng = np.random.default_rng(0)
    gradients = [tf.constant(10 * rng.normal(size=(8, *shape))) for shape in ((3, 2), (4,))]
    whole = it.private_sum(rng, gradients, clip=0.5, noise=0.0)
    without = it.private_sum(rng, [g[1:] for g in gradients], clip=0.5, noise=0.0)
    assert total((a - b) ** 2 for a, b in zip(whole, without)) ** 0.5 == pytest.approx(0.5)
    short = [1e-3 * g for g in gradients]  # what is short enough is left as it is
    for a, g in zip(it.private_sum(rng, short, clip=0.5, noise=0.0), short):
        np.testing.assert_allclose(a.numpy(), g.numpy().sum(axis=0))
    assert it.epsilon(100, 10.0) == pytest.approx(0.5 + 2 * (0.5 * np.log(1e5)) ** 0.5)


# ---- laplace, spectrum


def test_laplace_is_close_to_the_exact_posterior(capsys):
    results = example("laplace").main()
    (mean, width, evidence, probability), exact = results["Laplace"], results["exact"]
    np.testing.assert_allclose(mean, exact[0], atol=0.2)
    np.testing.assert_allclose(width, exact[1], rtol=0.06)
    assert evidence == pytest.approx(exact[2], abs=0.05)
    assert probability == pytest.approx(exact[3], abs=0.02)
    last = capsys.readouterr().out.split("step 6")[1].splitlines()[0]
    assert float(last.split()[-1]) < 1e-8  # Newton's method has converged, as it does with the true Hessian only


def test_spectrum_reaches_the_edge_of_stability():
    results = example("spectrum").main(steps=1000, rates=(0.2,))
    sharpness = results["sharpness"][0.2]
    assert sharpness[0] < 9.0
    assert sharpness[-1] == pytest.approx(10.0, rel=0.06)
    np.testing.assert_allclose(results["found"][-3:], results["exact"][-3:], rtol=1e-6)
    assert results["found"][0] == pytest.approx(results["exact"][0], rel=1e-4)
    assert results["exact"][0] < 0.0
