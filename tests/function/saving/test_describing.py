"""A graph printed as text: operations, shapes, lines, and what is inside of branches."""

import tapeflow as tf
from tapeflow.function.saving.describing import text


def described(function, *args):
    return text(tf.function(function).get_concrete_function(*args).function)


def test_operations_shapes_and_lines():
    lines = described(lambda x: tf.exp(x) * 2.0, tf.TensorSpec([None, 3])).splitlines()
    assert "x: float32[None, 3]" in lines[0]
    assert [line.split(" = ")[1].split("(")[0] for line in lines[1:-1]] == ["exp", "mul"]
    assert "float32[None, 3]" in lines[1] and "test_describing.py" in lines[1]
    assert "2.0" in lines[2] and lines[-1].strip().startswith("return %")


def test_branches_are_written_out_further_in():
    def f(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sin(x), lambda: tf.cos(x))

    lines = described(f, tf.TensorSpec([2])).splitlines()
    depth = lambda word: next(len(line) - len(line.lstrip()) for line in lines if word in line)
    assert depth("sin(") == depth("cos(") > depth("reduce_sum(")


def test_long_parameters_are_cut():
    table = tuple(range(100))
    said = described(lambda x: tf.transpose(tf.reshape(x, [1] * 60 + [4]), [*range(60, -1, -1)]), tf.TensorSpec([4]))
    assert "..." in said and str(table) not in said and max(map(len, said.splitlines())) < 300


def test_constants_that_are_zero_or_several():
    """A captured constant was asked whether it is true: zero was no constant, a vector an error."""
    zero, several = tf.constant(0.0), tf.constant([1.0, 2.0])
    lines = described(lambda x: x * zero + several + tf.constant([3.0, 4.0]), tf.TensorSpec([2]))
    assert "(x, 0.0)" in lines and "add" in lines
