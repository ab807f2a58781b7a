"""Kernels by name, and constants."""

import os
import subprocess
import sys

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


COMPILES = """
import jax
import tapeflow as tf

seen = []
jax.monitoring.register_event_listener(lambda name, **_: seen.append(name.rpartition("/")[2]))
v = tf.Variable(2.0)


@tf.function(jit_compile=True)
def step(x):
    with tf.GradientTape() as tape:
        y = tf.sin(x) * v
    v.assign_sub(tape.gradient(y, v))
    return y


step(tf.constant(1.0))
print(float(v), seen.count("cache_misses"), seen.count("cache_hits"))
"""


@pytest.mark.long
def test_what_was_compiled_stays_for_the_next_process(tmp_path):
    environment = os.environ | {"TAPEFLOW_COMPILATION_CACHE": str(tmp_path / "programs")}
    said = [
        subprocess.run([sys.executable, "-c", COMPILES], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    first, second = [one.stdout.split() for one in said]
    assert first[0] == second[0]
    assert int(first[1]) > 0 == int(first[2])
    assert int(second[1]) == 0 < int(second[2])
