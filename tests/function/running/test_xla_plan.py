"""`jit_compile=True`: graphs compiled by XLA."""

import numpy as np
import pytest

import tapeflow as tf
from tests.function.programs import X, grad_of, wave

pytest.importorskip("jax", reason="the extra `xla` is not installed")


@pytest.fixture(autouse=True)
def _precise_products():
    """Without the rounding of GPUs."""
    tf.config.experimental.enable_tensor_float_32_execution(False)
    yield
    tf.config.experimental.enable_tensor_float_32_execution(True)


def test_values_and_derivatives():
    f = tf.function(wave, jit_compile=True)
    np.testing.assert_allclose(f(X), wave(X), rtol=1e-6)
    np.testing.assert_allclose(grad_of(f, X), grad_of(wave, X), rtol=1e-5)
    np.testing.assert_allclose(grad_of(lambda x: grad_of(f, x), X), grad_of(lambda x: grad_of(wave, x), X), rtol=1e-5)
    np.testing.assert_allclose(tf.derivatives.jvp(f, X, X)[1], tf.derivatives.jvp(wave, X, X)[1], rtol=1e-5)
    inside = tf.function(lambda x: grad_of(wave, x), jit_compile=True)
    np.testing.assert_allclose(inside(X), grad_of(wave, X), rtol=1e-5)


def test_a_network_step():
    rng = np.random.default_rng(0)
    images, labels = tf.constant(rng.normal(size=(4, 8, 8, 2)), tf.float32), tf.constant([0, 2, 1, 2])

    def make():
        rng = np.random.default_rng(1)
        weights = [tf.Variable(rng.normal(size=s) * 0.3, dtype=tf.float32) for s in ((3, 3, 2, 4), (64, 3))]

        def step():
            with tf.GradientTape() as tape:
                h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(images, weights[0], 1, "SAME")), 2, 2, "VALID")
                logits = tf.reshape(h, [4, -1]) @ weights[1]
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            for w, g in zip(weights, tape.gradient(loss, weights)):
                w.assign_sub(0.1 * g)
            return loss

        return step

    eager, compiled = make(), tf.function(make(), jit_compile=True)
    np.testing.assert_allclose([float(compiled()) for _ in range(5)], [float(eager()) for _ in range(5)], rtol=1e-4)


def test_64_bits_whatever_the_settings_of_jax():
    import jax

    before = jax.config.jax_enable_x64
    out = tf.function(lambda x: tf.cast(x, tf.float64) / 3.0, jit_compile=True)(X)
    assert out.dtype is tf.float64
    np.testing.assert_array_equal(out, X.numpy().astype(np.float64) / 3)
    assert jax.config.jax_enable_x64 == before


def test_random_numbers_follow_the_seed():
    draw = tf.function(lambda: tf.random.normal([1000]), jit_compile=True)
    tf.random.set_seed(3)
    first, second = draw().numpy(), draw().numpy()
    tf.random.set_seed(3)
    np.testing.assert_array_equal(draw(), first)
    assert not np.array_equal(first, second) and abs(first.mean()) < 0.15 and abs(first.std() - 1) < 0.1


def test_what_cannot_be_compiled_is_named_with_its_line():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"XLA cannot compile as_string, at test_xla_plan.py:\d+"):
        tf.function(lambda x: tf.strings.as_string(x), jit_compile=True)(X)


def test_a_text_is_refused_by_name():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"XLA cannot compile shout: .* is a text"):

        @tf.function(jit_compile=True)
        def shout(x):
            return x, tf.constant("a")

        shout(tf.constant(1.0))


def test_an_assertion_that_fails_names_its_line():
    """As in the NumPy plan."""

    @tf.function(jit_compile=True)
    def root(x):
        tf.debugging.assert_non_negative(x, message="negative input")
        return tf.sqrt(x)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)negative input.* At test_xla_plan\.py:\d+$"):
        root(tf.constant([-1.0]))
