import numpy as np

import tapeflow as tf
from tapeflow.io.model_messages import GraphDef


def message(function, *specs, **options):
    made = tf.function(function).get_concrete_function(*specs).graph.as_graph_def(**options)
    again = GraphDef.FromString(made.SerializeToString())
    assert again == made
    return again


def test_a_graph_as_a_message():
    found = message(lambda x: tf.nn.relu(x @ tf.ones([2, 3]) + 1.0), tf.TensorSpec([None, 2]))
    assert [(node.name, node.op, list(node.input)) for node in found.node] == [
        ("x", "Placeholder", []),
        ("Const", "Const", []),
        ("MatMul", "MatMul", ["x", "Const"]),
        ("Const_1", "Const", []),
        ("add", "AddV2", ["MatMul", "Const_1"]),
        ("Relu", "Relu", ["add"]),
    ]
    x, ones = found.node[:2]
    assert x.attr["dtype"].type == ones.attr["dtype"].type == tf.float32.as_datatype_enum
    assert [d.size for d in x.attr["shape"].shape.dim] == [-1, 2]
    np.testing.assert_array_equal(tf.make_ndarray(ones.attr["value"].tensor), np.ones((2, 3), np.float32))
    assert found.node[-1].attr["T"].type == tf.float32.as_datatype_enum and found.versions.producer > 0


def test_shapes_outputs_and_attributes():
    def f(x, words):
        a, b = tf.split(x, 2, axis=1)
        return b, tf.reduce_sum(a, 1), words + "!"

    specs = (tf.TensorSpec([2, 4], tf.float64), tf.TensorSpec([], tf.string))
    nodes = {node.op: node for node in message(f, *specs, add_shapes=True).node}
    given = nodes["Split"].attr["_output_shapes"].list.shape
    assert [[d.size for d in shape.dim] for shape in given] == [[2, 2], [2, 2]]
    assert nodes["Sum"].attr["axis"].list.i == [1] and nodes["Sum"].attr["keepdims"].b is False
    assert nodes["Const"].attr["value"].tensor.string_val == [b"!"]
    assert nodes["Sum"].attr["T"].type == tf.float64.as_datatype_enum
    used = message(lambda x: tf.sin(tf.split(x, 2)[1]), tf.TensorSpec([2])).node
    assert used[-1].input == ["split:1"]


def test_loops_and_branches():
    def f(x):
        for _ in tf.range(3):
            x = x * 2.0
        return x if x > 0.0 else -x

    nodes = message(f, tf.TensorSpec([])).node
    names = {node.name for node in nodes}
    assert len(names) == len(nodes) and all(i.split(":")[0] in names for node in nodes for i in node.input)
