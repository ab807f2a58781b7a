"""Graphs that are no graphs: nodes that are not there, cycles, giants. Each is refused at once."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.saved_model.tensorflow.importing import Imported, Wrapped, imported
from tests.saved_model.tensorflow.test_switches import graph


def pruned(message, fetch="y:0", feeds=("x:0",)):
    with tf.Graph().as_default() as one:
        tf.graph_util.import_graph_def(message, name="")
    return Wrapped(one.operations.imported).prune(list(feeds), fetch)


@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (["x Placeholder dtype=1", "y Add x z"], "reads 'z', which is not there"),
        (["x Placeholder dtype=1", "y Add x ^z"], "reads 'z', which is not there"),
        (["x Placeholder dtype=1", "y Add x z", "z Neg y"], "has a cycle of nodes"),
        (["x Placeholder dtype=1", "y Neg y"], "has a cycle of nodes"),
        (["x Placeholder dtype=1", "y Neg x", "y Neg x"], "two nodes of one name"),
        (["x Placeholder dtype=1", "y Neg x:a:b:c"], "is no result of a node"),
        (["x Placeholder dtype=1", "y Neg v", "v Placeholder dtype=1"], "placeholder tensor 'v'"),
        (["x Placeholder dtype=99", "y Neg x"], "dtype number 99"),
    ],
)
def test_graphs_that_are_none(lines, match):
    with pytest.raises(ValueError, match=match):
        pruned(graph(*lines))


@pytest.mark.parametrize("op", ["PyFunc", "EagerPyFunc", "ReadFile", "WriteFile", "SaveV2", "RestoreV2"])
def test_what_would_leave_the_graph_is_refused(op):
    with pytest.raises(tf.errors.UnimplementedError, match=rf"{op} \(1 node, such as 'y'"):
        pruned(graph("x Placeholder dtype=7", f"y {op} x"))


def test_a_constant_that_no_memory_would_hold():
    message = graph("x Placeholder dtype=1", "c Const", "y Add x c")
    tensor = message.node[1].attr["value"].tensor
    tensor.dtype = 1
    tensor.float_val.append(1.0)
    for _ in range(4):
        tensor.tensor_shape.dim.add(size=1 << 12)
    with pytest.raises(ValueError, match=r"the constant 'c' .* 1125899906842624 bytes"):
        pruned(message)


def test_intermediate_results_are_fed():
    message = graph("x Placeholder dtype=1", "p Unpack x num=a", "y Add p:1 x")
    message.node[1].attr["num"].i = 2
    both = pruned(message, ["y:0", "p:0"])(tf.constant([1.0, 2.0]))
    assert both[0].numpy().tolist() == [3, 4] and both[1].numpy() == 1
    with tf.Graph().as_default() as one:
        tf.graph_util.import_graph_def(message, name="")
    wrapped = Wrapped(one.operations.imported)
    spec = [tf.TensorSpec([]), tf.TensorSpec([2])]
    assert wrapped.prune(["p:1", "x:0"], "y:0", input_signature=spec)(5.0, np.float32([0, 1])).numpy().tolist() == [
        5,
        6,
    ]
    with pytest.raises(ValueError, match=r"does not say its dtype\. Give input_signature"):
        wrapped.prune(["p:1", "x:0"], "y:0")


def test_no_function_of_two_graphs():
    message = graph("x Placeholder dtype=1", "y Neg x")
    one = Imported()
    imported(one, message, None, None, "a")
    imported(one, message, None, None, "b")
    with pytest.raises(ValueError, match="come from 2 graphs"):
        Wrapped(one).prune("a/x:0", "b/y:0")
