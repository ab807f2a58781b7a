"""The general path of applying a primitive: conversion, dtype checks, and errors that explain."""

import warnings

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.apply import as_tensor, describe
from tapeflow.core.primitive import REGISTRY


def test_numbers_take_the_dtype_of_the_tensor():
    for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.complex64):
        x = tf.constant([2.0], dtype)
        assert (x * 3).dtype is (3.0 * x).dtype is dtype
    with pytest.raises(TypeError, match=r"1\.5"):
        tf.constant([2]) * 1.5


def test_dtypes_that_clash_say_what_to_cast():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)float32.*float64.*tf.cast"):
        tf.constant(1.0) * tf.constant(1.0, tf.float64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        tf.sin(tf.constant("a"))


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(tf.errors.InvalidArgumentError) as found:
        tf.matmul(tf.ones([2, 3]), tf.ones([4, 5]))
    assert "(2, 3) and (4, 5)" in str(found.value)


def test_warnings_that_somebody_made_errors_do_not_stop_a_tensor():
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert np.isinf((tf.constant([1.0]) / tf.constant([0.0])).numpy()).all()
        assert np.isnan(tf.math.log(tf.constant([-1.0])).numpy()).all()


def test_a_description():
    prim = REGISTRY["matmul"]
    said = describe(prim, (tf.ones([2, 3]), tf.ones([3, 5])), {}, "train.py:12")
    assert said == "In matmul(a: float32 (2, 3), b: float32 (3, 5)) at train.py:12"


def test_tensors_stay_what_they_are():
    x = tf.constant(1.0)
    ragged = tf.ragged.constant([[1], []])
    assert as_tensor(x) is x and as_tensor(ragged) is ragged
    assert as_tensor(np.float64(2)).dtype == tf.float64 and as_tensor(2).dtype == tf.int32


SPARSE = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])
NUMPY = tf.experimental.numpy
# What computes with values in Python, and the tensors that it is given.
IN_PYTHON = {
    "sets": (lambda a, b: tf.sparse.to_dense(tf.sets.intersection(a, b)), [[1, 2]], [[2, 5]]),
    "edit distance": (lambda v: tf.edit_distance(tf.SparseTensor(SPARSE.indices, v, [2, 2]), SPARSE), [1, 2, 4]),
    "sparse cross": (lambda v: tf.sparse.to_dense(tf.sparse.cross_hashed([v, v])), [["a"], ["b"]]),
    "sparse reshape": (lambda s: tf.sparse.reshape(SPARSE, s).indices, [4, 1]),
    "fingerprint": (tf.fingerprint, ["abc"]),
    "pattern": (lambda p: tf.strings.regex_full_match("aab", p), "a+b"),
    "wav": (lambda x, rate: tf.audio.encode_wav(x, rate), [[0.0], [0.5]], 8000),
    "searchsorted": (NUMPY.searchsorted, [1.0, 2.0], [1.5]),
    "digitize": (NUMPY.digitize, [1.5], [1.0, 2.0]),
    "take": (NUMPY.take, [1.0, 2.0, 3.0], [-1, 0]),
    "compress": (NUMPY.compress, [True, False], [1.0, 2.0]),
    "repeat": (NUMPY.repeat, [1.0, 2.0], [1, 2]),
    "ix_": (lambda a, b: NUMPY.ix_(a, b)[1], [0, 2], [1]),
    "assertion": (lambda m: tf.linalg.LinearOperatorFullMatrix(m).assert_non_singular(), [[1.0, 0.0], [0.0, 1.0]]),
}


@pytest.mark.parametrize("case", IN_PYTHON)
def test_what_computes_with_values_in_python_does_so_in_a_function(case):
    """Each once said that a NumPy conversion is a mistake of the program."""
    act, *given = IN_PYTHON[case]
    tensors = [tf.constant(value) for value in given]
    expected, found = act(*tensors), tf.function(act)(*tensors)
    assert expected is found is None or np.array_equal(found, expected)
