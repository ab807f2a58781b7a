"""The tape keeps only what rules read, frees as it walks, and leaks nothing."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import tapeflow as tf


def kept_arrays(f, n=1000):
    """How many n-element arrays a tape holds after `f(x)`, besides its input and its output."""
    x = tf.constant(np.linspace(0.1, 1.0, n))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    held = {}
    stack = [saved for *_, saved in tape._recording.records]
    while stack:
        value = stack.pop()
        if isinstance(value, (tuple, list)):
            stack.extend(value)
        elif isinstance(value, (tf.Tensor, np.ndarray)):
            array = value.array if isinstance(value, tf.Tensor) else value
            if array.size == n:
                held[id(array)] = array.dtype.itemsize / 8
    for own in (x, y):
        held.pop(id(own.array), None)
    return sum(held.values())


@pytest.mark.parametrize(
    "f",
    [lambda x: -x, lambda x: x + 1.0, lambda x: x * 2.0, lambda x: x / 2.0, lambda x: x[::-1], tf.identity,
     lambda x: tf.reshape(x, [10, -1]), lambda x: tf.cumsum(x), lambda x: tf.roll(x, 1, 0),
     lambda x: x - tf.reduce_mean(x), lambda x: tf.cast(tf.cast(x, tf.float32), tf.float64),
     lambda x: tf.concat(tf.split(x, 2), 0)],
)  # fmt: skip
def test_linear_operations_keep_no_array(f):
    assert kept_arrays(f) == 0


@pytest.mark.parametrize("f", [tf.exp, tf.tanh, tf.sigmoid, tf.nn.relu, tf.nn.softmax, tf.sqrt, tf.sin, tf.square])
def test_one_array_at_most_and_it_is_the_input_or_the_output(f):
    assert kept_arrays(f) == 0


def test_masks_are_enough_for_clipping():
    assert kept_arrays(lambda x: tf.clip_by_value(x, 0.2, 0.8)) <= 0.25 + 1e-9


def test_unwatched_work_is_not_kept():
    x = tf.constant(np.ones(1000))
    with tf.GradientTape() as tape:
        _ = tf.exp(x) * x
    assert tape._recording.records == []


def test_records_go_as_the_walk_passes():
    x = tf.constant(1.0)
    alive, seen = [], []

    class Marker:
        pass

    @tf.custom_gradient
    def step(x):
        marker = Marker()
        alive.append(weakref.ref(marker))

        def backward(g):
            seen.append(sum(r() is not None for r in alive))
            return g * (1.0 if marker is not None else 0.0)

        return x * 1.0, backward

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(4):
            y = step(y)
    tape.gradient(y, x)
    assert seen == [4, 3, 2, 1]


def test_values_are_freed_without_the_collector():
    gc.disable()
    try:
        x = tf.constant(np.ones(1000))
        with tf.GradientTape() as tape:
            tape.watch(x)
            middle = tf.exp(x)
            y = tf.reduce_sum(middle * middle)
        ref = weakref.ref(middle.array)
        del middle
        assert ref() is not None
        tape.gradient(y, x)
        assert ref() is None
    finally:
        gc.enable()


def test_ten_thousand_steps_leave_memory_flat():
    v = tf.Variable(np.ones(8, np.float32))

    def steps(n):
        for _ in range(n):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.tanh(v * v) * 2.0)
            v.assign_sub(1e-6 * tape.gradient(y, v))

    steps(500)
    gc.collect()
    tracemalloc.start()
    before, objects = tracemalloc.get_traced_memory()[0], len(gc.get_objects())
    steps(10_000)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 50_000
    assert len(gc.get_objects()) - objects < 100


def test_large_terms_do_not_wait_in_a_recorded_walk_either():
    """The size of tensors, and of what follows sparse rows, used to count as 32 bytes."""
    from tapeflow.core.slices import SparseGradient
    from tapeflow.tape.accumulation import Sum

    large = tf.zeros([1 << 20])
    rows = SparseGradient(np.zeros((1, 1 << 20)), np.zeros(1, int), (2, 1 << 20))
    for running, term in ((Sum(large), large), (Sum(rows), large.array)):
        for _ in range(5):
            running.add(term)
        assert len(running.waiting) <= 2
