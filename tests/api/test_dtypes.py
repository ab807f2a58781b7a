"""The names of types: each is the one object, and none is missing."""

import tapeflow as tf
from tapeflow.core import dtypes


def test_each_type_is_one_object():
    for name in tf.dtypes.__all__:
        found = getattr(tf.dtypes, name)
        if isinstance(found, tf.DType):
            assert found is tf.as_dtype(name) is getattr(tf, name)
    assert tf.dtypes.half is tf.float16 and tf.dtypes.double is tf.float64 and tf.dtypes.bool is dtypes.bool_


def test_narrow_types_are_experimental():
    found = tf.dtypes.experimental
    assert (found.int4, found.uint4, found.float8_e5m2) == (dtypes.int4, dtypes.uint4, dtypes.float8_e5m2)


def test_no_type_is_missing():
    public = {
        v for v in [*vars(tf.dtypes).values(), *vars(tf.dtypes.experimental).values()] if isinstance(v, tf.DType)
    }
    assert public >= {*dtypes.BY_NUMPY.values(), dtypes.resource, dtypes.variant}
