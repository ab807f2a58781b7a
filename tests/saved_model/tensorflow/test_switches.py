"""Branches and loops of TensorFlow 1 become functions: they are differentiated, and what is none is named."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.io.model_messages import GraphDef
from tests.rounding import close
from tests.saved_model.tensorflow.reading import unpacked


def graph(*lines):
    """A GraphDef: `name op inputs …`, with attributes as `name=number` or `name=text`."""
    made = GraphDef()
    for line in lines:
        name, op, *rest = line.split()
        node = made.node.add(name=name, op=op)
        for word in rest:
            key, equal, value = word.partition("=")
            if not equal:
                node.input.append(word)
            elif value.isdigit():
                node.attr[key].type = int(value)
            else:
                node.attr[key].s = value.encode()
    return made


def run(message, values, fetch):
    [found] = tf.graph_util.import_graph_def(message, values, [fetch])
    return found.numpy().tolist()


CONDITION = ("x Placeholder dtype=1", "p Placeholder dtype=10", "s Switch x p", "f Neg s", "t Square s:1")


def test_a_branch():
    message = graph(*CONDITION, "y Merge f t")
    assert run(message, {"x": tf.constant(3.0), "p": tf.constant(True)}, "y:0") == 9
    assert run(message, {"x": tf.constant(3.0), "p": tf.constant(False)}, "y:0") == -3


def test_branches_of_one_condition_one_after_the_other():
    message = graph(*CONDITION, "y Merge t f", "i Identity p", "s2 Switch y i", "t2 Exp s2:1", "z Merge s2 t2")
    assert run(message, {"x": tf.constant(3.0), "p": tf.constant(False)}, "z:0") == -3
    close(run(message, {"x": tf.constant(1.0), "p": tf.constant(True)}, "z:0"), np.exp(np.float32(1)))


def test_a_branch_that_hands_on_what_it_gets():
    message = graph(*CONDITION, "y Merge s t")
    assert run(message, {"x": tf.constant(3.0), "p": tf.constant(False)}, "y:0") == 3


def test_random_numbers_of_a_branch_are_drawn_once():
    lines = ["n Const", "r RandomUniform n ^t dtype=1", "a Add r t", "b Sub r t"]
    message = graph(*CONDITION, *lines, "y Merge f a", "z Merge f b")
    message.node[5].attr["value"].tensor.dtype = 3
    message.node[5].attr["value"].tensor.tensor_shape.dim.add(size=0)
    values = {"x": tf.constant(3.0), "p": tf.constant(True)}
    y, z = tf.graph_util.import_graph_def(message, values, ["y:0", "z:0"])
    close(y - z, 18.0)


LOOP = (
    "n Placeholder dtype=3", "zero Const", "i Enter zero frame_name=f", "e Enter n frame_name=f", "m Merge i next",
    "less Less m e", "go LoopCond less", "s Switch m go", "two Const ^s", "more Add s:1 two",
    "next NextIteration more", "out Exit s",
)  # fmt: skip


def loop(*lines):
    made = graph(*(lines or LOOP))
    for node in made.node:
        if node.op == "Const":
            tensor = node.attr["value"].tensor
            tensor.dtype = 3
            tensor.int_val.append(2 if node.name == "two" else 0)
    return made


def test_a_loop():
    assert [run(loop(), {"n": tf.constant(n)}, "out:0") for n in (-1, 0, 1, 4, 5)] == [0, 0, 2, 4, 6]


@pytest.mark.parametrize("line", ["go LoopCond", "next NextIteration", "s Switch", "m Merge"])
def test_a_loop_that_is_none_is_named(line):
    """No loop of another kind runs, and none hangs."""
    lines = [one if not one.startswith(line) else one.replace(line, f"{line.split()[0]} Identity") for one in LOOP]
    with pytest.raises((tf.errors.UnimplementedError, ValueError), match=r"control flow of TensorFlow 1|cycle|inputs"):
        run(loop(*lines), {"n": tf.constant(3)}, "out:0")


def test_a_side_of_a_switch_that_nothing_merges():
    with pytest.raises(tf.errors.UnimplementedError, match=r"Switch \(1 node, such as 's'.*control flow"):
        run(graph(*CONDITION), {"x": tf.constant(3.0), "p": tf.constant(True)}, "t:0")


def test_a_cycle():
    with pytest.raises(ValueError, match="has a cycle of nodes"):
        run(graph(*CONDITION, "y Merge f u", "u Add t y"), {"x": tf.ones([]), "p": tf.constant(True)}, "y:0")


def test_many_branches_in_each_other():
    """Each Merge was looked for from each node: time grew with the square."""
    lines = [*CONDITION[:2], "y0 Identity x"]
    for k in range(300):
        lines += [f"s{k} Switch y{k} p", f"t{k} Neg s{k}:1", f"y{k + 1} Merge s{k} t{k}"]
    message = graph(*lines)
    assert run(message, {"x": tf.constant(3.0), "p": tf.constant(True)}, "y300:0") == 3
    assert run(message, {"x": tf.constant(3.0), "p": tf.constant(False)}, "y300:0") == 3


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (
            ["x Placeholder dtype=1", "p Placeholder dtype=10", "s Switch x", "y Merge s s:1"],
            r"'s' \(Switch\) has 1 input",
        ),
        (
            ["x Placeholder dtype=1", "p Placeholder dtype=10", "s0 Switch x p"]
            + [f"i{k} Not p\ns{k + 1} Switch s{k}:1 i{k}" for k in range(300)]
            + ["y Merge s300 s300:1"],
            "more than 200 branches in each other",
        ),
        (
            ["x Placeholder dtype=1", "p Placeholder dtype=10", "e0 Enter x frame_name=f0"]
            + [f"e{k + 1} Enter e{k} frame_name=f{k + 1}" for k in range(300)]
            + ["y Identity e300"],
            "more than 200 loops in each other",
        ),
        (
            ["x Placeholder dtype=1", "p Placeholder dtype=10", "y0 Identity x"]
            + [f"s{k} Switch y{k} p\ny{k + 1} Merge s{k} s{k}:1" for k in range(3100)]
            + ["y Identity y3100"],
            "3100 places where branches meet",
        ),
    ],
    ids=["inputs", "branches", "loops", "merges"],
)
def test_graphs_that_would_take_for_ever(lines, match):
    with pytest.raises(ValueError, match=match):
        run(graph(*"\n".join(lines).splitlines()), {"x": tf.ones([]), "p": tf.constant(True)}, "y:0")


def test_gradients_of_loops_within_loops(tmp_path):
    """TensorFlow has none for such a model once it is loaded; differences have to do."""
    model = tf.saved_model.load(unpacked("v1_flow", tmp_path))
    looped, w = model.prune("n:0", "looped:0"), model.variables[0]
    value = lambda: tf.reduce_sum(looped(tf.constant(4)))
    with tf.GradientTape() as tape:
        y = value()
    gradient, start = tape.gradient(y, w).numpy(), w.numpy()
    for place in np.ndindex(2, 2):
        step = np.zeros((2, 2), np.float32)
        step[place] = 2**-8
        w.assign(start + step)
        above = value().numpy()
        w.assign(start - step)
        difference = (above - value().numpy()) * 2**7
        np.testing.assert_allclose(gradient[place], difference, rtol=1e-3)


@pytest.mark.long
def test_compiled_by_xla(tmp_path):
    pytest.importorskip("jax")
    model = tf.saved_model.load(unpacked("v1_flow", tmp_path))
    serve, x = model.signatures["serving_default"], tf.ones([2, 3, 2])
    np.testing.assert_allclose(
        tf.function(lambda x: serve(x=x)["last"], jit_compile=True)(x), serve(x=x)["last"], 1e-5
    )
