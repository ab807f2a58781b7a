"""A process that is forked from one that has used XLA, threads and random numbers: it ends, and does what can be
done."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal
import numpy as np
import tapeflow as tf

def child(act):
    "What `act` gives in a forked process, which has ten seconds."
    out, into = os.pipe()
    if not os.fork():
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(10)
        try:
            found = repr(act())
        except BaseException as error:
            found = f"{type(error).__name__}: {error}"
        os.write(into, found.encode())
        os._exit(0)
    os.close(into)
    os.wait()
    return os.read(out, 10_000).decode()

numbers = {child(lambda: tf.random.normal([2]).numpy().tolist()) for _ in range(3)}
assert len(numbers) == 3 and tf.random.normal([2]).numpy().tolist() not in map(eval, numbers), numbers
tf.random.set_seed(1)
assert len({child(lambda: tf.random.normal([2]).numpy().tolist()) for _ in range(2)}) == 1

dataset = tf.data.Dataset.range(50).map(lambda x: x * 2, num_parallel_calls=3).prefetch(3)
begun = iter(dataset)
next(begun)
found = child(lambda: [int(next(begun)) for _ in range(3)])
assert found.startswith("RuntimeError: This iterator's threads are in the process"), found
assert child(lambda: sum(int(x) for x in dataset)) == "2450"

compiled = tf.function(lambda x: x * x, jit_compile=True)
assert child(lambda: float(compiled(3.0))) == "9.0"  # the parent has not used XLA yet
v = tf.Variable([1.0, 2.0])
step = tf.function(lambda: v.assign_add([1.0, 1.0]), jit_compile=True)
for _ in range(3):
    compiled(3.0)
    step()
with tf.device("XLA_CPU:0"):
    there = tf.constant([1.0, 2.0])
for act in (lambda: compiled(3.0), lambda: compiled(tf.constant([3.0])), step, lambda: there * 2.0):
    found = child(act)
    assert found.startswith("RuntimeError: XLA cannot be used in this process") and "spawn" in found, found
assert child(lambda: v.numpy().tolist()) == "[4.0, 5.0]"
assert child(lambda: there.numpy().tolist()) == "[1.0, 2.0]"
assert child(lambda: tf.function(lambda: v * 2.0)().numpy().tolist()) == "[8.0, 10.0]"
assert child(lambda: v.assign_add([1.0, 1.0]).numpy().tolist()) == "[5.0, 6.0]"
assert child(lambda: len(tf.config.list_physical_devices())) == "1"

def slope():
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v).numpy().tolist()

assert child(slope) == "[8.0, 10.0]"
assert step().numpy().tolist() == [5.0, 6.0]
print("all")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forked_processes():
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": ""}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=600
    )
    assert done.stdout == "all\n", done.stderr
