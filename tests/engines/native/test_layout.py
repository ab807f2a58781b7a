"""The library reads NumPy's arrays itself, if they are as it expects."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engines.native import fusion, layout
from tapeflow.engines.native.library import library
from tapeflow.engines.native.linalg import products
from tests.rounding import close

pytestmark = pytest.mark.skipif(library.functions is None, reason=f"the C library is {library.state}")


def test_what_it_finds_is_compared(monkeypatch):
    assert layout.readable
    with monkeypatch.context() as patch:
        patch.setattr(layout, "at", lambda x: x.__array_interface__["data"][0] + 4)
        assert not layout._readable()
    assert layout._readable()


def test_where_arrays_are_otherwise_numpy_computes(monkeypatch):
    f = lambda x: tf.tanh(x * 0.5) * x @ tf.exp(-x)
    x = tf.constant(np.random.default_rng(0).normal(size=(100, 100)).astype(np.float32))
    want = tf.function(f)(x)
    monkeypatch.setattr(products, "_products", None)
    monkeypatch.setattr(fusion, "_NUMBERS", {})
    plan = tf.function(f).get_concrete_function(x)
    assert "y0" not in plan.function.run.source
    close(plan(x), want, terms=100, size=100.0)
