"""Ctrl-C during a step: its variables have their old values, or their new ones; all of them, and for everybody."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapeflow as tf
from tests.interrupting import interrupted_everywhere


@pytest.fixture(scope="module")
def elsewhere():
    with ThreadPoolExecutor(1) as pool:
        yield pool


class Counters:
    """Variables that a step adds one to, together; large enough to be changed in place where that is allowed."""

    def __init__(self, jit, device=None, checked=False):
        with tf.device(device or "CPU:0"):
            self.variables = [tf.Variable(np.zeros(size, np.float32)) for size in ([2], [200, 100], [])]

        @tf.function(jit_compile=jit)
        def step(x):
            if checked:
                tf.debugging.assert_positive(x)
            for v in self.variables:
                v.assign_add(tf.ones_like(v) * x)
            return tf.reduce_sum(self.variables[0])

        self.step, self.x, self.count = step, tf.constant(1.0), 0

    def run(self):
        self.step(self.x)

    def check(self, elsewhere, where):
        """Whole and together, read as a value and by an operation, and not locked."""
        found = [float(np.ravel(v.numpy())[k]) for v in self.variables for k in (0, -1)]
        read = [float(tf.reduce_max(v + 0.0)) for v in self.variables]
        assert len({*found, *read}) == 1, (where, found, read)
        assert found[0] in (self.count, self.count + 1), where
        self.count = int(found[0])
        assert elsewhere.submit(self._free).result(), where

    def _free(self):
        taken = [v for v in self.variables if v._lock.acquire(timeout=1)]
        for v in taken:
            v._lock.release()
        return len(taken) == len(self.variables)


KINDS = {
    "plan": (None,),
    "XLA": (True,),
    "XLA with assertions": (True, None, True),
    "on a device": (None, "XLA_CPU:0"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_happens_or_does_not(kind, elsewhere):
    counters = Counters(*KINDS[kind])
    for _ in range(4):
        counters.run()
    counters.count = 4
    for where in interrupted_everywhere(counters.run):
        counters.check(elsewhere, where)
    counters.check(elsewhere, "at the end")


@pytest.mark.parametrize("kind", ["XLA", "on a device"])
def test_the_first_compiled_steps(kind, elsewhere):
    # jax runs these by Python, where it may be interrupted between the end of the old values and the beginning of the
    # new
    counters = Counters(*KINDS[kind])
    for _ in range(2):
        counters.run()
    counters.count = 2

    def as_if_new():
        for trace in counters.step._traces.values():
            trace.function.program.direct.clear()
        counters.run()

    for where in interrupted_everywhere(as_if_new):
        counters.check(elsewhere, where)


@pytest.mark.parametrize("kind", KINDS)
def test_who_reads_during_steps_sees_whole_values(kind):
    # Of a variable on a device, a thread got an array that the step of another had given away.
    counters, stop, wrong = Counters(*KINDS[kind]), threading.Event(), []

    def read():
        try:
            while not stop.is_set():
                for v in counters.variables:
                    for found in (v.numpy(), (v + 0.0).numpy()):
                        assert (found == found.max()).all()
        except BaseException as error:
            wrong.append(error)

    before, readers = sys.getswitchinterval(), [threading.Thread(target=read) for _ in range(3)]
    sys.setswitchinterval(1e-6)
    try:
        for reader in readers:
            reader.start()
        for _ in range(300):
            counters.run()
    finally:
        sys.setswitchinterval(before)
        stop.set()
        for reader in readers:
            reader.join()
    assert not wrong
