import pytest

import tapeflow as tf


def traced(function, *args):
    return tf.function(function).get_concrete_function(*args).graph


def test_names_while_a_function_is_traced():
    found = []

    def f(x, y):
        found.extend([x.name, y.op.name, (x * 2).op.type, (x + y).name])
        with tf.name_scope("inner"):
            found.append((x + y).name)
        found.extend([(x + y).name, tf.reduce_sum(x).name, tf.nn.relu(x).name, tf.split(x, 2)[1].name, x.device])
        found.append(x.graph is tf.compat.v1.get_default_graph())
        return x

    traced(f, tf.TensorSpec([2]), tf.TensorSpec([2]))
    assert found == ["x:0", "y", "Mul", "add:0", "inner/add:0", "add_1:0", "Sum:0", "Relu:0", "split:1", "", True]


def test_operations_by_name():
    v = tf.Variable(2.0, name="rate")
    graph = traced(lambda x: tf.sin(x) * v @ tf.ones([2, 2]), tf.TensorSpec([None, 2], name="x"))
    assert [(op.name, op.type) for op in graph.get_operations()] == [
        ("x", "Placeholder"),
        ("Sin", "Sin"),
        ("rate/Read/ReadVariableOp", "ReadVariableOp"),
        ("mul", "Mul"),
        ("Const", "Const"),
        ("MatMul", "MatMul"),
    ]
    product = graph.get_operation_by_name("MatMul")
    assert [t.name for t in product.inputs] == ["mul:0", "Const:0"] and product.outputs[0].name == "MatMul:0"
    assert graph.get_tensor_by_name("x:0").shape.as_list() == [None, 2] and product.values()[0].op == product
    with pytest.raises(KeyError, match="not in the graph"):
        graph.get_operation_by_name("other")
    with pytest.raises(KeyError, match="does not exist"):
        graph.get_tensor_by_name("Sin:1")
    with pytest.raises(ValueError, match="Tensor name"):
        graph.get_tensor_by_name("Sin")


def test_names_differ_from_each_other():
    def f(x):
        for _ in range(3):
            x = tf.sin(x)
        with tf.name_scope("Sin_1"):
            return tf.sin(x)

    names = [op.name for op in traced(f, tf.TensorSpec([])).get_operations()]
    assert names == ["x", "Sin", "Sin_1", "Sin_2", "Sin_1/Sin"] and len(set(names)) == len(names)


def test_loops_branches_and_rules_are_operations():
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda g: g * 3 * x**2

    def f(x):
        for _ in tf.range(2):
            x = x * 2.0
        if x > 0.0:
            x = -x
        return cube(x)

    operations = traced(f, tf.TensorSpec([])).get_operations()
    assert all(t.op in operations for op in operations for t in op.inputs)
    assert len({op.name for op in operations}) == len(operations)
