"""Containers that are not plain lists, tuples and dicts."""

import collections

import numpy as np

import tapeflow as tf
from tapeflow.core import nest


class Layers(list):
    pass


def test_subclasses_and_views_are_structures_too():
    # optree takes these for leaves; tape.gradient(y, MyList([x])) raised TypeError
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    (g,) = tape.gradient(y, Layers([x]))
    assert float(g) == 4.0
    assert [float(g) for g in tape.gradient(y, {"a": x}.values())] == [4.0]
    assert float(tape.gradient({"t": Layers([y])}, collections.OrderedDict(b=x))["b"]) == 4.0


def test_types_are_kept():
    made = nest.map_structure(lambda v: v + 1, Layers([1, collections.OrderedDict(b=2, a=3)]))
    assert type(made) is Layers and made == [2, {"b": 3, "a": 4}] and list(made[1]) == ["b", "a"]


def test_paths():
    assert nest.paths({"a": [1, (2, None)]}) == ["['a'][0]", "['a'][1][0]", "['a'][1][1]"]
    assert nest.paths(np.ones(3)) == [""]
