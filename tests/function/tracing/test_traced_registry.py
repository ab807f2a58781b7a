"""Every primitive traced: the plan gives what eager execution gives, and so do gradients inside, outside and of second
order."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tests.ops.samples import all_samples
from tests.ops.test_interpretations import CASES as DIFFERENTIABLE, arrays, direction, function, pulled, tensors
from tests.ops.test_registry import parts, tf_tensor

SAMPLES = all_samples()

CASES = [(name, k) for name, samples in sorted(SAMPLES.items()) for k in range(len(samples))]


def same(got, want, name, rtol=0.0):
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(a.array), np.asarray(b.array)
        assert (a.shape, a.dtype) == (b.shape, b.dtype), name
        if a.dtype.kind == "O":
            assert a.tolist() == b.tolist()
        else:
            np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-12 if rtol else 0, err_msg=name)


def as_graph(function, *args):
    """Is the function traced for these arguments? What needs values runs as plain Python, and would agree with eager
    in any case."""
    return not function.get_concrete_function(*args).as_python


@pytest.mark.parametrize("name,k", CASES)
def test_the_plan_computes_the_same(name, k):
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    call = lambda *xs: prim.entry(*xs, **sample.params)
    args = [tf_tensor(a) for a in sample.args]
    traced = tf.function(call, autograph=False)
    assert as_graph(traced, *args)
    same(parts(prim, traced(*args)), parts(prim, call(*args)), name)


@pytest.mark.parametrize("name,k", DIFFERENTIABLE)
def test_gradients_inside_and_outside(name, k):
    f, xs = function(name, k)
    xs = tensors(xs)
    us = tensors(direction(arrays(f(*xs)), 1))
    gradient = lambda *at: pulled(f, list(at), us)
    inside = tf.function(gradient, autograph=False)
    assert as_graph(inside, *xs)
    outside = lambda *at: pulled(tf.function(f, autograph=False), list(at), us)
    want = gradient(*xs)
    same(inside(*xs), want, name, rtol=1e-9)
    same(outside(*xs), want, name, rtol=1e-9)
    if SAMPLES[name][k].order > 1:
        ws = tensors(direction(arrays(xs), 2))
        second = pulled(gradient, xs, ws)
        nested = tf.function(lambda *at: pulled(gradient, list(at), ws), autograph=False)
        same(nested(*xs), second, name, rtol=1e-7)
        same(pulled(inside, xs, ws), second, name, rtol=1e-7)
        same(pulled(outside, xs, ws), second, name, rtol=1e-7)
