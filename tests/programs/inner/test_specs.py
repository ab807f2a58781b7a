"""Private names about composites: what a class of one's own over `CompositeTensor` and `TypeSpec` needs."""

import pytest

import tapeflow as tf
from tapeflow.core.composite import CompositeTensor
from tapeflow.programs.inner import specs


class PairSpec(tf.TypeSpec):
    """Its value type's parts are in a dict, and it compares by itself."""

    value_type = property(lambda self: Pair)

    def __init__(self, parts):
        self._parts_of = parts

    _component_specs = property(lambda self: self._parts_of)

    def _to_components(self, value):
        return {"a": value.a, "b": value.b}

    def _from_components(self, components):
        return Pair(**components)

    def _serialize(self):
        return (self._parts_of,)

    def __eq__(self, other):
        return type(self) is type(other) and self._TypeSpec__make_cmp_key(self._serialize()) == (
            other._TypeSpec__make_cmp_key(other._serialize())
        )

    def __hash__(self):
        return hash(self._TypeSpec__make_cmp_key(self._serialize()))

    def is_compatible_with(self, other):
        return self._TypeSpec__is_compatible(self._serialize(), other._serialize())


class Pair(CompositeTensor):
    def __init__(self, a, b):
        self.a, self.b = a, b

    @property
    def _type_spec(self):
        return PairSpec({"a": tf.type_spec_from_value(self.a), "b": tf.type_spec_from_value(self.b)})


def pair(*numbers):
    return Pair(*map(tf.constant, numbers))


def test_parts_in_a_dict():
    leaves = tf.nest.flatten(pair(1.0, 2.0), expand_composites=True)
    assert [leaf.numpy() for leaf in leaves] == [1.0, 2.0]
    again = tf.nest.pack_sequence_as(pair(1.0, 2.0), leaves, expand_composites=True)
    assert isinstance(again, Pair) and again.b.numpy() == 2.0


def test_in_a_function():
    traces = []

    @tf.function
    def total(p):
        traces.append(p)
        return Pair(p.a + p.b, p.b)

    assert total(pair(1.0, 2.0)).a.numpy() == 3.0 and total(pair(2.0, 3.0)).a.numpy() == 5.0
    assert len(traces) == 1


def test_compatible():
    spec = lambda *sizes: PairSpec({"a": tf.TensorSpec(sizes), "b": tf.TensorSpec([])})
    assert spec(None).is_compatible_with(spec(3)) and not spec(2).is_compatible_with(spec(3))
    assert spec(2) == spec(2) != spec(3)


def test_a_registry():
    found = specs.register("tests.Named")(type("Named", (tf.TypeSpec,), {}))
    assert specs.lookup("tests.Named") is found and specs.get_name(found) == "tests.Named"
    with pytest.raises(ValueError, match="already been registered"):
        specs.register("tests.Named")(type("Other", (tf.TypeSpec,), {}))
    specs.NAMES.pop(specs.BY_NAME.pop("tests.Named"))
    with pytest.raises(ValueError, match="No TypeSpec has been registered"):
        specs.lookup("tests.Named")
    with pytest.raises(TypeError, match="Expected `cls` to be a TypeSpec"):
        specs.register("tests.Named")(int)


def test_the_spec_of_a_variable():
    spec = specs.VariableSpec.from_value(tf.Variable([1.0, 2.0]))
    assert repr(spec) == "VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=None)"
    assert spec == specs.VariableSpec([2]) != specs.VariableSpec([3])
    assert specs.VariableSpec([None]).is_compatible_with(tf.Variable([1.0]))
    assert spec._batch(4).shape == [4, 2] and spec._unbatch().shape == []


def test_variables_are_read():
    read = specs.read_variables({"v": tf.Variable(1.0), "p": Pair(tf.Variable(2.0), tf.constant(3.0))})
    assert read["v"].numpy() == 1.0 and not isinstance(read["v"], tf.Variable)
    assert not isinstance(read["p"].a, tf.Variable) and read["p"].b.numpy() == 3.0


def test_conversions():
    ragged = tf.ragged.constant([[1]])
    assert specs.tensor_or_composite(ragged) is ragged and specs.tensor_or_composite([1.0]).shape == [1]
    assert specs.constant_value_as_shape(tf.constant([2, -1])) == tf.TensorShape([2, None])


def test_specs_without_sizes_or_names():
    spec = tf.TensorSpec([2, None], tf.int32, name="x")
    assert spec._with_tensor_ranks_only() == tf.TensorSpec([None, None], tf.int32, name="x")
    assert spec._without_tensor_names() == tf.TensorSpec([2, None], tf.int32)
    assert spec._batch(5).shape == [5, 2, None] and spec._unbatch() == tf.TensorSpec([None], tf.int32)
