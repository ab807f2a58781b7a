"""Values of messages: constants of a few bytes that stand for giants, dtypes and structures that are none."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.io.model_messages import AttrValue, StructuredValue, TensorProto, TensorShapeProto
from tapeflow.saved_model.tensorflow.values import array_of, attribute, dtype_of, shape_of, structured


def test_a_constant_that_no_memory_would_hold():
    proto = TensorProto(dtype=1, float_val=[1.0])
    for _ in range(4):
        proto.tensor_shape.dim.add(size=1 << 12)
    with pytest.raises(ValueError, match="a constant of 1125899906842624 bytes"):
        array_of(proto)
    small = TensorProto(dtype=1, float_val=[1.0])
    small.tensor_shape.dim.add(size=1000)
    np.testing.assert_array_equal(array_of(small), np.ones(1000, np.float32))


def test_dtypes():
    assert dtype_of(1) is tf.float32 and dtype_of(101) is tf.float32
    for number in (0, 20, 21, 99, -1):
        with pytest.raises(ValueError, match="dtype number"):
            dtype_of(number)


def test_shapes():
    shape = TensorShapeProto()
    for size in (2, -1):
        shape.dim.add(size=size)
    assert shape_of(shape).as_list() == [2, None]
    assert shape_of(TensorShapeProto(unknown_rank=True)).rank is None
    for _ in range(70):
        shape.dim.add(size=1)
    with pytest.raises(ValueError, match="72 axes"):
        shape_of(shape)


def test_attributes():
    assert attribute(AttrValue(s=b"SAME")) == "SAME"
    assert attribute(AttrValue(type=3)) is tf.int32 and attribute(AttrValue(type=20)) is None
    several = AttrValue()
    several.list.i.extend([1, 2])
    assert attribute(several) == [1, 2] and attribute(AttrValue()) is None


def test_structures():
    value = StructuredValue()
    value.tuple_value.values.add().int64_value = -3
    value.tuple_value.values.add().dict_value.fields["a"].string_value = "x"
    value.tuple_value.values.add().none_value.SetInParent()
    assert structured(value) == (-3, {"a": "x"}, None)
    value = StructuredValue()
    value.type_spec_value.type_spec_class = 6
    with pytest.raises(ValueError, match="which tapeflow cannot take"):
        structured(value)
