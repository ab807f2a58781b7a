"""Types of elements: one object each, under all their names."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core import dtypes

ALL = sorted(dtypes._BY_NAME.values(), key=lambda d: d.as_datatype_enum)


@pytest.mark.parametrize("dtype", ALL, ids=lambda d: d.name)
def test_one_object(dtype):
    same = [dtype.name, dtype] + ([dtype.np, dtype.as_numpy_dtype] if dtype.np is not None else [])
    assert all(tf.as_dtype(s) is dtype for s in same)
    assert copy.deepcopy(dtype) is pickle.loads(pickle.dumps(dtype)) is dtype
    assert dtype == dtype.name and dtype != "complex63" and dtype is not None and len({dtype, dtype.name}) <= 2


@pytest.mark.parametrize(
    ("given", "dtype"),
    [(float, tf.float32), (int, tf.int32), (bool, tf.bool), (complex, tf.complex128), (str, tf.string),
     ("half", tf.float16), ("double", tf.float64), (np.dtype("S3"), tf.string), (np.int16, tf.int16)],
)  # fmt: skip
def test_other_names(given, dtype):
    assert tf.as_dtype(given) is dtype


@pytest.mark.parametrize("given", ["float31", None, 3.5, np.dtype("M8[s]"), object()])
def test_what_is_no_type(given):
    with pytest.raises(TypeError, match="Cannot convert"):
        tf.as_dtype(given)


def test_limits():
    assert (tf.int8.min, tf.int8.max, tf.uint16.max, tf.bool.limits) == (-128, 127, 65535, (0, True))
    assert tf.int8.limits == (0, 127)  # as TensorFlow has it, for pictures
    assert tf.bfloat16.max == ml_dtypes.finfo(ml_dtypes.bfloat16).max and tf.float16.limits == (0, 1)
    with pytest.raises(TypeError, match="no smallest and largest"):
        tf.string.max  # noqa: B018


def test_kinds():
    assert (
        tf.complex64.real_dtype is tf.float32
        and tf.complex128.real_dtype is tf.float64
        and tf.int8.real_dtype is tf.int8
    )
    assert [d.name for d in ALL if d.is_unsigned] == ["uint8", "uint16", "uint32", "uint64", "uint4"]
    assert {d.np for d in ALL if d.is_inexact} == dtypes.INEXACT == dtypes.FLOATING | dtypes.COMPLEX
    assert tf.bfloat16.np not in dtypes.NATIVE and tf.bfloat16.np in dtypes.FLOATING
    assert not dtypes.NUMERIC & (dtypes.BOOL | dtypes.STRING)


@pytest.mark.parametrize("dtype", ALL, ids=lambda d: d.name)
def test_numbers_of_messages(dtype):
    assert tf.as_dtype(dtype.as_datatype_enum) is dtype


def test_numbers_that_mean_no_dtype():
    for number in (0, 1000, -1, True):
        with pytest.raises(TypeError, match="Cannot convert"):
            tf.as_dtype(number)
    assert tf.ones((2, 1), 1).dtype is tf.float32 and tf.zeros([2], 3).dtype is tf.int32
    with pytest.raises(TypeError, match=r"go into one list, \[2, 3\]"):  # sizes, more likely
        tf.zeros(2, 3)
