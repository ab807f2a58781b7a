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
