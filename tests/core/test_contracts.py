"""The roles have names: whoever executes, observes or stands where a primitive stands is one of `core.contracts`."""

import inspect

import numpy as np

import tapeflow as tf
from tapeflow.core.contracts import Executor, Observer, Operation
from tapeflow.core.frames import current, entered
from tapeflow.core.primitive import REGISTRY
from tapeflow.core.record import Record, SeveralOutputs


class Names(Observer):
    """Writes down what it is told of."""

    class watched:
        __contains__ = staticmethod(lambda _: True)

    watched = watched()

    def __init__(self):
        self.operations = []

    def see(self, prim, args, params, out, mask):
        self.operations.append(prim)


def subclasses(kind):
    return {kind, *(found for sub in kind.__subclasses__() for found in subclasses(sub))}


def test_an_observer_needs_no_more_than_what_it_wants_to_know():
    looking = Names()
    x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    with entered(current().watched_by(looking)):
        tf.sin(x) * v
        float(tf.reduce_sum(x))  # leaves the library
    assert [prim.name for prim in looking.operations] == ["sin", "mul", "reduce_sum"]


def test_whatever_is_told_of_is_an_operation():
    looking = Names()

    @tf.custom_gradient
    def twice(x):
        return 2 * x, lambda g: 2 * g

    function = tf.function(lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: -x))
    x = tf.constant([1.0, 2.0])
    with entered(current().watched_by(looking)), tf.GradientTape() as tape:
        tape.watch(x)
        twice(x), function(x)
    kinds = {type(prim).__name__ for prim in looking.operations}
    assert {"Primitive", "CustomRule", "CallRule"} <= kinds
    assert all(isinstance(prim, Operation) for prim in looking.operations)


def test_operations_say_everything_that_is_asked_of_them():
    """What the contract promises is there with the signature that it has: nobody has to probe."""
    for contract in (Executor, Observer, Operation):
        methods = {name: f for name, f in vars(contract).items() if inspect.isfunction(f)}
        for kind in subclasses(contract):
            for name, promised in methods.items():
                if kind.__module__.startswith("tapeflow.") and name in vars(kind):
                    given = len(inspect.signature(vars(kind)[name]).parameters)
                    assert given == len(inspect.signature(promised).parameters), f"{kind.__name__}.{name}"
    assert all(prim.parts() == [] and prim.root() is prim and prim.body is None for prim in REGISTRY.values())


def test_records_have_fields():
    x = tf.constant([3.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x)
        values, _ = tf.math.top_k(y, 2)
    one, several = (Record(*record) for record in tape._recording.records)
    assert (one.output, one.inputs, one.pullback.title) == (y.serial, x.serial, "sin")
    assert several.output == 0 and isinstance(several.saved, SeveralOutputs)
    assert several.saved.ids == [values.serial, 0] and several.pullback.title == "top_k"


def test_pullbacks_for_some_of_the_inputs():
    a, b = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        tf.multiply(a, b)
    pullback = Record(*tape._recording.records[0]).pullback
    saved = tape._recording.records[0][-1]
    ops = None
    assert [float(g) for g in pullback.on_arrays(ops, np.float32(1), saved)] == [5.0, 2.0]
    assert float(pullback.restricted((1,)).on_arrays(ops, np.float32(1), saved)) == 2.0
    doubled = pullback.around(lambda pull: lambda ops, g, saved: [2 * part for part in pull(ops, g, saved)])
    assert [float(g) for g in doubled.on_arrays(ops, np.float32(1), saved)] == [10.0, 4.0]
    assert doubled.title == pullback.title == "mul"
