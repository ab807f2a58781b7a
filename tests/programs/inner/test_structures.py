"""Structures of specs and plain values that go into a message and come out again."""

import collections

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.programs.inner import specs
from tapeflow.programs.inner.structures import NotEncodableError, decode_proto, encode_structure

Point = collections.namedtuple("Point", "x y")


class Named(tf.TypeSpec):
    value_type = property(lambda self: tf.Tensor)

    def __init__(self, inside, words):
        self.inside, self.words = inside, words

    _component_specs = property(lambda self: self.inside)

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return components

    def _serialize(self):
        return self.inside, self.words

    @classmethod
    def _deserialize(cls, state):
        return cls(*state)


class Nameless(Named):
    pass


if "structures.Named" not in specs.BY_NAME:
    specs.register("structures.Named")(Named)

SPEC = tf.TensorSpec([None, 2], tf.float64, name="x")


@pytest.mark.parametrize(
    "value",
    [
        None, True, 3, -2, 0.5, "word", tf.TensorShape([2, None]), tf.TensorShape(None), tf.TensorShape([]), tf.int64,
        SPEC, [1, (2, None)], (), {"a": [tf.float32], "b": {}}, tf.RaggedTensorSpec([2, None], tf.int32),
        tf.SparseTensorSpec([None, 3], tf.float32), specs.VariableSpec([2], tf.float64, False),
        Named({"a": SPEC, "b": Named(tf.TensorSpec([]), ())}, ("scale", None)),
    ],
)  # fmt: skip
def test_there_and_back(value):
    found = decode_proto(encode_structure(value))
    assert type(found) is type(value)
    if isinstance(value, tf.TensorShape):
        assert repr(found) == repr(value)
    else:
        assert found == value


def test_named_tuples_and_arrays():
    found = decode_proto(encode_structure(Point(1, [SPEC])))
    assert found._fields == ("x", "y") and type(found).__name__ == "Point" and found.y == [SPEC]
    for array in (np.array([[1, 2]]), tf.constant([1.5])):
        np.testing.assert_array_equal(decode_proto(encode_structure({"a": array}))["a"], array)


def test_what_no_message_holds():
    with pytest.raises(NotEncodableError, match="No encoder for object <object"):
        encode_structure([object()])
    with pytest.raises(NotEncodableError, match="has no name"):
        encode_structure(Nameless(SPEC, ()))


def test_the_order_of_a_mapping_does_not_matter():
    """A message keeps no order; two specs with the same in another order were not equal."""
    assert Named({"b": SPEC, "a": SPEC}, ()) == Named({"a": SPEC, "b": SPEC}, ())
