"""`tf.debugging.enable_check_numerics`: the first operation that is not finite, with its line and its chain; eager,
traced and compiled."""

import linecache
import re

import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def checking():
    with tf.debugging.enable_check_numerics():
        yield


def report(function, *args):
    """(the message, the source of the first line of this file that it names)."""
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        function(*args)
    text = str(error.value)
    return text, linecache.getline(__file__, int(re.search(r"test_numerics\.py:(\d+)", text)[1]))


def logarithm(x):
    doubled = x * 2.0
    shifted = doubled - 2.0
    return tf.math.log(shifted)


def test_forward():
    text, line = report(logarithm, tf.constant([1.0, 3.0]))
    assert 'op "log": 1 infinite of 2 elements' in text and "tf.math.log(shifted)" in line
    assert "input 0: float32 (2,) from 0 to 4" in text
    chain = text.split("latest first:\n")[1].splitlines()
    assert [part.split()[0] for part in chain] == ["sub", "mul"] and "from 2 to 6" in chain[1]


def test_backward():
    v = tf.Variable([0.0, 4.0])
    with tf.GradientTape() as tape:
        root = tf.sqrt(v)
        y = tf.reduce_sum(root)
    text, _ = report(tape.gradient, y, v)
    assert 'part of the gradient of "sqrt"' in text
    number = re.search(
        r"the forward operation: sqrt at test_numerics\.py:(\d+), of values float32 \(2,\) from 0 to 4", text
    )[1]
    assert "root = tf.sqrt(v)" in linecache.getline(__file__, int(number))


@pytest.mark.parametrize("compiled", [False, True])
def test_inside_a_function(compiled):
    text, line = report(tf.function(logarithm, jit_compile=compiled), tf.constant([1.0, 3.0]))
    assert 'op "log" inside a tf.function: 1 infinite of 2' in text and "tf.math.log(shifted)" in line
    assert "sub at" in text and "mul at" in text


@pytest.mark.parametrize("compiled", [False, True])
def test_inside_a_loop_of_a_function(compiled):
    @tf.function(jit_compile=compiled)
    def power(x):
        for _ in tf.range(5):
            x = x * 1e20
        return x

    text, line = report(power, tf.constant(1.0))
    assert 'op "mul" inside a tf.function' in text and "x = x * 1e20" in line and "input 0: float32 () 1e+20" in text


@pytest.mark.parametrize("compiled", [False, True])
def test_the_gradient_of_a_function(compiled):
    root = tf.function(lambda v: tf.reduce_sum(tf.sqrt(v)), jit_compile=compiled)
    v = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        y = root(v)
    text, _ = report(tape.gradient, y, v)
    assert "inside a tf.function" in text


@pytest.mark.parametrize("compiled", [False, True])
def test_a_step_that_changes_variables(compiled):
    v = tf.Variable([1.0, 4.0])

    @tf.function(jit_compile=compiled)
    def step():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sqrt(v))
        v.assign_sub(tape.gradient(y, v) * 2.0)

    step()
    assert v.numpy().tolist() == [0.0, 3.5]
    report(step)


def test_finite_programs_run_as_ever():
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, "relu"), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    history = model.fit(tf.ones([16, 4]), tf.ones([16, 1]), epochs=2, batch_size=4, verbose=0)
    assert len(history.history["loss"]) == 2


def test_a_custom_gradient_that_is_not_finite():
    @tf.custom_gradient
    def halved(x):
        return x * 0.5, lambda g: g / 0.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = halved(x)
    _, line = report(tape.gradient, y, x)
    assert "g / 0.0" in line


def test_the_switch():
    tf.debugging.disable_check_numerics()
    assert tf.math.log(0.0).numpy() == -float("inf")
    traced = tf.function(logarithm)
    traced(tf.constant([1.0]))
    with tf.debugging.enable_check_numerics():
        report(traced, tf.constant([1.0]))
        with tf.debugging.enable_check_numerics():
            pass
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.math.log(0.0)
    assert traced(tf.constant([1.0])).numpy() == [-float("inf")]


def test_with_provenance_at_the_same_time():
    with tf.debugging.explain_gradients(), pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.log(0.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.log(0.0)
    x = tf.constant(1.0)
    y = x * 2.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = y * 2.0
    assert tape.explain(z, x)[0].kind == "used too early", "the checker knows where values come from"


def test_forward_mode_has_the_programs_line():
    x = tf.constant(0.0)
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match=r"test_numerics\.py"),
        tf.autodiff.ForwardAccumulator(x, x + 1.0),
    ):
        tf.sqrt(x)
