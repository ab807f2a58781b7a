"""Containers that are not plain lists, tuples and dicts."""

import collections

import numpy as np
import pytest

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


def _list():
    found = []
    found.append(found)
    return found


def _branching():
    found = [1.0]
    found += [found, {"again": found}]
    return found


def _dict():
    found = {}
    found["a"] = [found]
    return found


def _through_a_tuple():
    inside = []
    found = inside, 1.0
    inside.append(found)
    return found


class _Unfolds:
    def __tf_flatten__(self):
        return None, (1.0, [self])


@pytest.mark.parametrize("made", [_list, _branching, _dict, _through_a_tuple, _Unfolds])
@pytest.mark.parametrize(
    "call",
    [
        tf.nest.flatten,
        lambda s: tf.nest.map_structure(lambda x: x, s),
        lambda s: tf.nest.pack_sequence_as(s, [1.0]),
        lambda s: tf.nest.assert_same_structure(s, s),
        lambda s: tf.function(lambda x: 1.0)(s),
        lambda s: tf.function(lambda: s)(),
        lambda s: tf.vectorized_map(lambda x: 1.0, s),
        tf.data.Dataset.from_tensors,
        tf.data.Dataset.from_tensor_slices,
        tf.constant,
    ],
)
def test_what_contains_itself_is_an_error(made, call):
    # The walk never ended, and took all memory where there were leaves.
    with pytest.raises((RecursionError, ValueError, TypeError)):
        call(made())


def test_modules_that_contain_themselves():
    module = tf.Module()
    module.me, module.list, module.v = module, [module], tf.Variable(1.0)
    assert module.variables == (module.v,)
    module.list = _branching()
    with pytest.raises(RecursionError):
        module.variables  # noqa: B018


def test_what_is_large_or_shared_is_no_cycle(monkeypatch):
    monkeypatch.setattr(nest, "_SUSPICIOUS", 100)
    shared = [1.0, {"a": 2.0}]
    assert len(tf.nest.flatten([shared] * 200)) == 400
    deep = []
    for _ in range(200):
        deep = [deep, 1.0, shared]
    assert len(tf.nest.flatten(deep)) == 600
