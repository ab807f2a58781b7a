"""Functions that are no functions: they read nodes that are not there, wait for themselves, call themselves."""

import pytest

import tapeflow as tf
from tapeflow.io.model_messages import FunctionDef
from tapeflow.saved_model.tensorflow.library import Library, reference
from tests.saved_model.tensorflow.reading import changed, function


def loads(change, tmp_path, match):
    with pytest.raises(OSError, match=match):
        tf.saved_model.load(changed("line", tmp_path, change))


def test_a_cycle_of_nodes(tmp_path):
    def change(graph):
        nodes = {node.name: node for node in function(graph, "__inference_moved_").node_def}
        first = next(iter(nodes.values()))
        first.input.append(f"^{first.name}")

    loads(change, tmp_path, "has a cycle of nodes")


def test_a_node_that_is_not_there(tmp_path):
    loads(lambda g: function(g, "__inference_at_").node_def[0].input.append("^nowhere"), tmp_path, "reads 'nowhere'")


def test_two_nodes_of_one_name(tmp_path):
    def change(graph):
        nodes = function(graph, "__inference_at_").node_def
        nodes.add().CopyFrom(nodes[0])

    loads(change, tmp_path, "two nodes of one name")


def test_a_function_that_calls_itself(tmp_path):
    def change(graph):
        at = function(graph, "__inference_at_")
        for node in at.node_def:
            if node.op == "StatefulPartitionedCall":
                node.attr["f"].func.name = at.signature.name

    loads(change, tmp_path, "calls itself")


def test_calls_of_calls_that_no_memory_would_hold():
    """Each function calls the next one twice: the last one would run 2 ** 60 times."""
    made = []
    for k in range(60):
        one = FunctionDef()
        one.signature.name = f"f{k}"
        one.signature.output_arg.add(name="y")
        one.ret["y"] = "a:output:0"
        for name in "ab":
            node = one.node_def.add(name=name, op="PartitionedCall" if k < 59 else "NoOp")
            node.attr["f"].func.name = f"f{k + 1}"
        one.control_ret["b"] = "b"
        made.append(one)
    with pytest.raises(ValueError, match="operations with all that it calls"):
        Library(made).reached(["f0"])


def test_references():
    assert reference("a") == ("a", None, 0)
    assert reference("a:2") == ("a", None, 2)
    assert reference("a:values:1") == ("a", "values", 1)
    with pytest.raises(ValueError, match="no result of a node"):
        reference("a:b:c:1")
