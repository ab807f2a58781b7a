"""What the tests of AutoGraph share."""

import numpy as np

import tapeflow as tf

V = tf.Variable(1.0)


def values(structure):
    return tf.nest.map_structure(lambda v: np.asarray(v).tolist(), structure)


def traced(function):
    """As a graph; fails if it is run by Python instead."""
    graph = tf.function(tf.autograph.to_graph(function))

    def run(*args):
        args = [a if isinstance(a, tf.Tensor) else tf.constant(a) for a in args]
        assert not graph.get_concrete_function(*args).as_python, f"{function.__name__} does not become a graph"
        return graph(*args)

    return run


def by_python(function, *args):
    """Not as a graph, but with the right result."""
    graph = tf.function(tf.autograph.to_graph(function))
    args = [tf.constant(a) for a in args]
    assert graph.get_concrete_function(*args).as_python
    return values(graph(*args))


def check(function, *argument_lists):
    run = traced(function)
    for arguments in argument_lists:
        arguments = [tf.constant(a) for a in arguments]
        assert values(run(*arguments)) == values(function(*arguments))


def slope(function, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return values(tape.gradient(y, x))
