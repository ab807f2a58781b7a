"""Changes of parts of a variable; `tests/core/variables/test_variable.py` has the methods one by one."""

import sys

import numpy as np
import pytest

import tapeflow as tf


class TestInPlace:
    """A large variable is changed in place only while nobody else can see its array."""

    def variable(self):
        return tf.Variable(np.zeros((5000, 8), np.float32))

    def changed_in_place(self, v):
        before = v._value.ctypes.data
        v.scatter_add(tf.IndexedSlices(np.ones((100, 8), np.float32), np.arange(100, dtype=np.int32)))
        return v._value.ctypes.data == before

    @pytest.mark.skipif(
        "free-threading" in sys.version, reason="references cannot be counted where threads run freely"
    )
    def test_alone(self):
        v = self.variable()
        assert self.changed_in_place(v)
        _ = tf.reduce_sum(v * 2.0)  # leaves the tensor that operations read, held by the variable alone
        assert self.changed_in_place(v)

    @pytest.mark.parametrize(
        "hold",
        [
            lambda v: v.read_value(),
            lambda v: tf.convert_to_tensor(v),
            lambda v: np.asarray(v),
            lambda v: v[1:],
            lambda v: tf.reshape(v, [-1]),
            lambda v: np.from_dlpack(v.read_value()),
            lambda v: v.operand(),
            lambda v: tf.identity(v),
        ],
    )
    def test_held_by_somebody(self, hold):
        v = self.variable()
        held = hold(v)
        assert not self.changed_in_place(v) or not np.shares_memory(np.asarray(held), v._value)
        assert not np.asarray(held).any()

    def test_held_by_a_tape(self):
        v = self.variable()
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        v.scatter_add(tf.IndexedSlices(np.ones((1, 8), np.float32), [0]))
        assert not np.asarray(tape.gradient(y, v)).any()

    @pytest.mark.parametrize("different", [1, 50, 1000])
    def test_repeated_rows(self, different):
        v = self.variable()
        ids = np.random.default_rng(0).integers(0, different, 300).astype(np.int32)
        rows = np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)
        v.scatter_sub(tf.IndexedSlices(rows, ids))
        want = np.zeros((5000, 8), np.float32)
        np.subtract.at(want, ids, rows)
        np.testing.assert_allclose(v, want, rtol=1e-5, atol=1e-5)
