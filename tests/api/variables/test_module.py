"""`tf.Module`: what it finds, in which order, under which names. The expectations are TensorFlow's."""

from collections import OrderedDict, namedtuple

import pytest

import tapeflow as tf


def floats(variables):
    return [float(v) for v in variables]


@pytest.fixture
def module():
    made = tf.Module()
    made.b = tf.Variable(1.0)
    made.a = [tf.Variable(2.0, trainable=False), {"z": tf.Variable(3.0), "y": tf.Module(name="inner")}]
    made.kinds, made.pair = {tf.Module}, (tf.Module(name="q"),)
    made.a[1]["y"].k = tf.Variable(9.0)
    return made


def test_own_variables_come_before_those_of_submodules(module):
    assert floats(module.variables) == [2.0, 3.0, 1.0, 9.0]
    assert floats(module.trainable_variables) == [3.0, 1.0, 9.0]
    assert floats(module.non_trainable_variables) == [2.0]
    assert [m.name for m in module.submodules] == ["inner", "q"]


def test_dicts_by_key_tuples_by_place():
    made, Pair = tf.Module(), namedtuple("Pair", "y x")
    made.table = OrderedDict(b=tf.Variable(1.0), a=tf.Variable(2.0))
    made.pair = Pair(tf.Variable(3.0), tf.Variable(4.0))
    made.nested = [[tf.Variable(7.0)], [[tf.Variable(8.0)]]]
    assert floats(made.variables) == [7.0, 8.0, 3.0, 4.0, 2.0, 1.0]
    made.itself, made.child = made, tf.Module(name="c")
    made.child.parent, made.shared = made, made.nested[0][0]
    assert floats(made.variables) == [7.0, 8.0, 3.0, 4.0, 2.0, 1.0]
    assert [m.name for m in made.submodules] == ["c"]
    del made.nested
    assert floats(made.variables) == [3.0, 4.0, 7.0, 2.0, 1.0]


def test_flatten(module):
    is_variable = lambda thing: isinstance(thing, tf.Variable)
    paths = [path for path, _ in module._flatten(predicate=is_variable, with_path=True)]
    assert paths == [("a", 0), ("a", 1, "z"), ("b",), ("a", 1, "y", "k")]
    assert floats(module._flatten(recursive=False, predicate=is_variable)) == [2.0, 3.0, 1.0]
    backwards = module._flatten(predicate=is_variable, attribute_traversal_key=lambda key: -ord(key[0]))
    assert floats(backwards) == [1.0, 2.0, 3.0, 9.0]


def test_names():
    class HTTPServer2D(tf.Module):
        pass

    class Dense(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self):
            if not hasattr(self, "w"):
                self.w = tf.Variable(1.0, name="w")
            return self.w.name, tf.get_current_name_scope()

    assert HTTPServer2D().name == "http_server2_d"
    assert Dense(name="enc")() == ("enc/w:0", "enc")
    with tf.name_scope("out"):
        dense = Dense()
    assert dense() == ("out/dense/w:0", "out/dense")
    assert (dense.name, dense.name_scope.name) == ("dense", "out/dense/")
    for wrong in ("3x", "a b", "a/b"):
        with pytest.raises(ValueError, match=f"{wrong!r} is not a valid module name"):
            tf.Module(name=wrong)


def test_a_module_that_does_not_call_its_parent_has_variables_but_no_name():
    class Careless(tf.Module):
        def __init__(self):
            self.x = tf.Variable(1.0)

    assert len(Careless().variables) == 1
    with pytest.raises(AttributeError, match="_name"):
        _ = Careless().name


def test_each_property_looks_for_itself():
    """A class that refuses `variables`, until there are some, says nothing of the others."""

    class Refusing(tf.Module):
        @property
        def variables(self):
            raise ValueError("none yet")

    refusing = Refusing()
    refusing.a, refusing.b = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    assert floats(refusing.trainable_variables) == [1.0] and floats(refusing.non_trainable_variables) == [2.0]


def test_shapes_are_no_lists_of_parts():
    module = tf.Module()
    module.shape, module.v = [tf.TensorShape(None)], tf.Variable(1.0)
    assert module.variables == (module.v,)
