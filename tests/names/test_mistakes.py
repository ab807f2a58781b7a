"""What is said below errors that Python raises itself, or Keras, when they are shown."""

import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.runtime.tracebacks import shortened
from tapeflow.names.mistakes import hint

x = tf.constant([1.0, 2.0])
MODEL = tf.keras.Sequential([tf.keras.layers.Dense(1)])


def hint_of(program, **names):
    with pytest.raises((TypeError, AttributeError, ValueError)) as caught:
        program(**names)
    return hint(caught.value)


ARGUMENTS = {
    "axis": (lambda: tf.reduce_sum(x, dim=0), "Use axis in place of dim. reduce_sum takes input_tensor, axis, keep"),
    "keepdims": (lambda: tf.math.reduce_mean(x, keepdim=True), "Use keepdims in place of keepdim."),
    "shape": (lambda: tf.random.normal(size=[2]), "Use shape in place of size."),
    "a variable": (lambda: tf.constant(1.0, requires_grad=True), "Use tf.Variable(value) in place of requires_grad."),
    "a device": (lambda: tf.zeros([2], device="cpu"), "Use `with tf.device(…):` in place of device."),
    "spelling": (lambda: tf.reduce_sum(x, axs=0), "Did you mean axis? reduce_sum takes"),
    "a class": (lambda: tf.GradientTape(persistant=True), "Did you mean persistent? GradientTape takes persistent, "),
    "a norm": (lambda: tf.norm(x, p=2), "Use ord in place of p."),
    "a limit": (lambda: tf.clip_by_value(x, min=0.0, max=1.0), "Use clip_value_min in place of min."),
    "something else": (lambda: tf.sin(x, banana=1), "sin takes x, name."),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments(name):
    program, words = ARGUMENTS[name]
    assert hint_of(program).startswith(words)


def test_nothing_is_said_of_what_is_not_ours():
    def mine(x):
        return x

    class Mine:
        pass

    assert hint_of(lambda: mine(x, dim=0)) == ""
    assert hint_of(lambda: dict().get("a", dim=0)) == ""
    assert hint_of(lambda: [mine][0](x, dim=0)) == "", "what is called is computed"
    assert hint_of(lambda: Mine().minimize()) == ""
    assert hint_of(lambda: 0.1 * None) == ""
    assert hint_of(lambda: np.ones(2).size()) == ""
    assert hint(KeyError("a")) == ""


def test_a_gradient_that_is_none():
    tape = tf.GradientTape()
    assert "tape.explain(loss, variables)" in hint_of(lambda t=tape: 0.1 * None)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (lambda sgd, v: sgd.minimize(lambda: v, [v]), "tf.GradientTape"),
        (lambda sgd, v: sgd.zero_grad(), "There is nothing to clear"),
        (lambda sgd, v: sgd.apply_gradients([v], [v]), "zip(gradients, variables)"),
        (lambda sgd, v: sgd.apply_gradients([(None, v)]), "tape.explain(loss, variables)"),
        (lambda sgd, v: v.shape(), "x.shape, without parentheses"),
        (lambda sgd, v: x.size(0), "without parentheses"),
        (lambda sgd, v: sgd.step(), "optimizer.apply(tape.gradient("),
        (lambda sgd, v: tf.keras.optimizers.SGD(lr=0.1), "learning_rate"),
        (lambda sgd, v: MODEL.parameters(), "model.trainable_variables"),
        (lambda sgd, v: MODEL.to("cuda"), "tf.device"),
        (lambda sgd, v: MODEL.eval(), "training=True"),
        (lambda sgd, v: MODEL.state_dict(), "save_weights"),
    ],
    ids="minimize zero_grad pairs none shape size step rate parameters device eval state".split(),
)
def test_optimizers_and_shapes(program, words):
    assert words in hint_of(program, sgd=tf.keras.optimizers.SGD(0.1), v=tf.Variable(1.0))


class Net(tf.Module):
    def forward(self):
        return 1.0


def test_modules_lists_of_gradients_and_parentheses():
    net, tape, gradients = Net(), tf.GradientTape(), [1.0]
    with pytest.raises(TypeError) as caught:
        net()
    assert "__call__" in hint(caught.value)
    assert "for g, v in zip" in hint_of(lambda tape=tape: 0.1 * gradients)
    assert hint_of(lambda: 0.1 * gradients) == ""
    with pytest.raises(TypeError) as caught, tf.GradientTape:
        pass
    assert hint(caught.value) == "Parentheses are missing: with tf.GradientTape() as tape:"
    with pytest.raises(TypeError) as caught, Net:
        pass
    assert hint(caught.value) == ""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import tapeflow.sin", "from tapeflow import sin"),
        ("import tapeflow.optim", "tapeflow has no tf.optim. It is PyTorch's name"),
        ("import tensorflow", "tapeflow run program.py"),
    ],
)
def test_modules_that_are_not_there(program, words):
    with pytest.raises(ModuleNotFoundError) as caught:
        exec(program, {})
    assert words in hint(caught.value)


def test_it_is_said_where_the_error_is_shown_and_nowhere_else():
    with pytest.raises(TypeError) as caught:
        tf.reduce_sum(x, dim=0)
    with shortened(caught.value):
        assert caught.value.__notes__ == [hint(caught.value)]
    assert not getattr(caught.value, "__notes__", [])
    program = "import tapeflow as tf\ntf.reduce_sum([1.0], dim=0)\n"
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True)
    assert done.stderr.rstrip().endswith("unexpected keyword argument 'dim'"), "without its text nothing is known"


def test_a_script_shows_it(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import tapeflow as tf\ntf.reduce_sum([1.0], dim=0)\n")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert "Use axis in place of dim." in done.stderr
