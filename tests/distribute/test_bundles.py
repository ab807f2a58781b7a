"""Few exchanges instead of many."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.frames import entered
from tapeflow.core.primitive import Spec, recorded as ops
from tapeflow.distribute.bundles import bundled
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.graph import Graph

from .cpus import each, four_cpus, mirrored, numbers

__all__ = ["four_cpus"]


def traced(body, *shapes, dtype="float32"):
    graph = Graph()
    xs = [graph.argument(Spec(shape=shape, dtype=np.dtype(dtype))) for shape in shapes]
    with entered(graph.frame()):
        outs = [graph.index_of(y) for y in body(*xs)]
    return GraphFunction(graph, graph.inputs, outs, "body")


def exchanges(function):
    return [n.prim.name for n in function.graph.nodes if n.prim.across is not None]


def total(x, mean=False):
    return ops.all_reduce(x, count=2, mean=mean)


def both(function, *values):
    """What it gives in two replicas, before and after."""
    strategy = mirrored(2)
    given = [each(strategy, *value) for value in values]
    run = lambda f: [numbers(y) for y in strategy.run(lambda *xs: f.replay(xs), args=given)]
    return run(function), run(bundled(function))


def test_those_that_do_not_wait_for_each_other_are_one():
    def body(a, b, c):
        return total(a), total(b) * total(c), total(a * 2.0), total(a, mean=True)

    function = traced(body, (2,), (), (3, 1))
    assert (len(exchanges(function)), len(exchanges(bundled(function)))) == (5, 2), "sums and means"
    before, after = both(
        function,
        [np.float32([1, 2]), np.float32([3, 4])],
        [np.float32(2), np.float32(5)],
        [np.ones((3, 1), "f"), np.full((3, 1), 4, "f")],
    )
    assert before == after and before[0] == [[4, 6], [4, 6]]


def test_what_comes_from_an_exchange_waits_for_it():
    def body(a, b):
        first = total(a)
        second = total(first * b)
        return second, total(b), total(second + b) + first

    function = traced(body, (2,), (2,))
    assert (len(exchanges(function)), len(exchanges(bundled(function)))) == (4, 3)
    before, after = both(function, [np.float32([1, 2]), np.float32([3, 4])], [np.float32([5, 6]), np.float32([7, 8])])
    assert before == after


@pytest.mark.parametrize(
    "body, shapes, count",
    [
        (lambda a, b: (total(a), total(b)), [(1000, 1000), (1000, 1000)], 2),  # large
        (lambda a, b: (total(a), ops.all_gather(b, axis=0, count=2)), [(2,), (2,)], 2),
        (lambda a, b: (total(a), total(ops.cast(b, dtype=np.dtype("float64")))), [(2,), (2,)], 2),
    ],
)
def test_what_is_exchanged_alone(body, shapes, count):
    function = traced(body, *shapes)
    assert bundled(function) is function and len(exchanges(function)) == count


def test_nothing_is_lost_of_random_numbers_constants_and_rules():
    @tf.custom_gradient
    def scaled(x):
        return x * 3.0, lambda g: g

    def body(a, b):
        return total(scaled(a) + tf.constant([1.0, 2.0])), total(b), tf.range(2) + tf.cast(a * 0, tf.int32)

    function = traced(body, (2,), (2,))
    before, after = both(function, [np.float32([1, 2]), np.float32([3, 4])], [np.float32([5, 6]), np.float32([7, 8])])
    assert before == after and before[2] == [[0, 1], [0, 1]]
