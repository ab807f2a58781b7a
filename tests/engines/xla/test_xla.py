"""Kernels by name, and constants."""

import numpy as np
import pytest

from tapeflow.core.primitive import REGISTRY

jax = pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines import xla  # noqa: E402  it needs jax


def test_a_kernel_is_jaxs_function_or_one_of_ours():
    assert xla.kernel(REGISTRY["tanh"]) is jax.numpy.tanh
    ours = xla.kernel(REGISTRY["log_domain"])
    assert (ours.__module__, ours.__name__) == ("tapeflow.engines.xla.math.elementwise", "log_domain")


def test_text_stays_on_the_host():
    text = np.array([b"a"], object)
    assert xla.constant(text) is text
    assert isinstance(xla.constant(np.ones(2, np.float32)), jax.Array)
