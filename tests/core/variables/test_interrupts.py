"""Ctrl-C while a variable changes: it has its old value or its new one, the same for everybody who reads, and nobody
has locked it."""

import threading

import numpy as np
import pytest

import tapeflow as tf
from tests.interrupting import interrupted_everywhere

ROWS = np.repeat(np.arange(100), [*[1] * 60, *[3] * 40])  # rows that come once, and rows that come three times
OFTEN = np.repeat(np.arange(20), 12)


def _slices(rows):
    return tf.IndexedSlices(tf.ones([len(rows), 300]), tf.constant(rows))


CHANGES = {
    "assign": lambda v: v.assign(tf.constant(v.numpy() + 1.0)),
    "assign_add": lambda v: v.assign_add(tf.ones_like(v)),
    "assign_sub": lambda v: v.assign_sub(-tf.ones_like(v)),
    "part": lambda v: v[3:40].assign(tf.constant(v.numpy()[3:40] + 1.0)),
    "scatter_add": lambda v: v.scatter_add(_slices(ROWS)),
    "scatter_sub": lambda v: v.scatter_sub(_slices(OFTEN)),
    "scatter_update": lambda v: v.scatter_update(_slices(ROWS)),
    "scatter_nd_add": lambda v: v.scatter_nd_add(tf.constant(OFTEN[:, None]), tf.ones([len(OFTEN), 300])),
}
ELSEWHERE = ["assign_add", "part", "scatter_add"]


@pytest.mark.parametrize(
    ("change", "device"), [*[(c, "CPU:0") for c in CHANGES], *[(c, "XLA_CPU:0") for c in ELSEWHERE]]
)
def test_whole(change, device):
    with tf.device(device):
        v = tf.Variable(np.zeros((100, 300), np.float32))
        act = CHANGES[change]
        act(v)
        v.assign(tf.zeros_like(v))
        fresh = tf.Variable(np.zeros((100, 300), np.float32))
        step = None
        for where in interrupted_everywhere(lambda: act(v)):
            if step is None:
                act(fresh)
                step = fresh.numpy()
            found = v.numpy()
            np.testing.assert_array_equal((v + 0.0).numpy(), found, err_msg=where)
            assert (found == 0).all() or (found == step).all(), where
            free = []
            taken = lambda free=free: free.append(v._lock.acquire(blocking=False) and not v._lock.release())
            other = threading.Thread(target=taken)
            other.start()
            other.join()
            assert free == [True], where
            v.assign(tf.zeros_like(v), read_value=False)
        assert v.numpy().any()
