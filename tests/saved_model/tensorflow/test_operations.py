"""Nodes that cannot run are named when the model is loaded, and nothing runs in their place."""

import logging

import pytest

import tapeflow as tf
from tests.saved_model.tensorflow.reading import changed, function


def renamed(start, op, other):
    def change(graph):
        for node in function(graph, start).node_def:
            if node.op == op:
                node.op = other

    return change


def test_a_missing_operation_of_one_function(tmp_path, caplog):
    folder = changed("line", tmp_path, renamed("__inference_nested_", "AddV2", "AddV9"))
    with caplog.at_level(logging.WARNING, "tapeflow"):
        line = tf.saved_model.load(folder)
    assert "AddV9 (1 node, such as 'add' of __inference_nested_" in caplog.text
    assert line.at(tf.ones([1, 2])).shape == (1, 2)
    with pytest.raises(tf.errors.UnimplementedError, match=r"AddV9 \(1 node.*tf\.raw_ops does not have it"):
        line.nested({"a": tf.ones([2]), "b": [tf.ones([2]), tf.ones([3], tf.int32)]})


@pytest.mark.parametrize("op", ["EagerPyFunc", "PyFunc", "PyFuncStateless"])
def test_functions_that_call_python(op, tmp_path):
    folder = changed("own_gradient", tmp_path, lambda g: [renamed(f, "Exp", op)(g) for f in names(g)])
    with pytest.raises(tf.errors.UnimplementedError, match="calls Python code"):
        tf.saved_model.load(folder)


def names(graph):
    return [f.signature.name for f in graph.graph_def.library.function]


def test_an_attribute_without_counterpart(tmp_path):
    def change(graph):
        for f in graph.graph_def.library.function:
            for node in f.node_def:
                if node.op == "MatMul":
                    node.attr["fused_activation"].s = b"relu"

    folder = changed("line", tmp_path, change)
    line = tf.saved_model.load(folder)
    with pytest.raises(tf.errors.UnimplementedError, match="fused_activation='relu' has no counterpart"):
        line.at(tf.ones([1, 2]))


def test_tables_run_nothing_else_when_they_are_loaded(tmp_path):
    def change(graph):
        for f in graph.graph_def.library.function:
            for node in f.node_def:
                if node.op.startswith("InitializeTable"):
                    node.op = "WriteFile"

    def printing(graph):
        for f in graph.graph_def.library.function:
            for node in f.node_def:
                if node.op.startswith("HashTable"):
                    f.node_def.add(name="show", op="Print", input=[])
                    node.input.append("^show")

    with pytest.raises((OSError, tf.errors.UnimplementedError)):
        tf.saved_model.load(changed("text", tmp_path / "one", change))
    with pytest.raises(OSError, match="runs Print when it is loaded"):
        tf.saved_model.load(changed("text", tmp_path / "two", printing))
