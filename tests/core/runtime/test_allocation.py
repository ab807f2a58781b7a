import subprocess
import sys

import pytest

FAULTS = """
import resource, numpy as np, tapeflow as tf
x = tf.constant(np.ones((1000, 1000), np.float32))
def step():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.where(x > 0.0, x * x, -x))
    return tape.gradient(y, x)
step(), step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 10)
"""


def faults(**environment):
    found = subprocess.run([sys.executable, "-c", FAULTS], env=environment, capture_output=True, text=True, check=True)
    return int(found.stdout)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="what is tested is a setting of glibc, the C library of Linux"
)
def test_steps_of_one_size_reuse_their_memory():
    import ctypes

    if not hasattr(ctypes.CDLL(None), "gnu_get_libc_version"):
        pytest.skip("what is tested is a setting of glibc; this is another C library")
    kept, given_back = faults(), faults(TAPEFLOW_KEEP_FREED_MEMORY="0")
    assert kept < 100 < given_back
